#include "op_case.h"

namespace lockstep::opcases {

const std::vector<OpCase>& caseList() {
    static const std::vector<OpCase> all = [] {
        std::vector<OpCase> list;
        for (const auto family :
             {productCases, pictureCases, pointwiseCases, normCases, lossCases, updateCases, activationCases, shapeCases, targetCases})
            for (OpCase& opCase : family()) list.push_back(std::move(opCase));
        return list;
    }();
    return all;
}

}  // namespace lockstep::opcases
