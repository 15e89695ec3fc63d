#include "case_maker.h"

namespace lockstep::opcases {
namespace {

class Updates : public CaseMaker {
public:
    void updates(const std::string& name, const Shape& shape) {
        const Operand weight{shape, Fill::Signed, true};
        const Operand slot{shape, Fill::Signed, true};
        const Operand square{shape, Fill::Positive, true};
        const Operand rate{Shape{}, Fill::Rate};
        const Operand step{Shape{}, Fill::Step};
        const auto sgd = [](double momentum, std::int64_t nesterov) { return Attributes{{"momentum", momentum}, {"nesterov", nesterov}}; };
        add("sgd_update " + name, OpKind::SgdUpdate, {weight, {shape}, rate}, sgd(0, 0));
        add("sgd_update " + name + " momentum", OpKind::SgdUpdate, {weight, {shape}, rate, slot}, sgd(0.9, 0));
        add("sgd_update " + name + " nesterov", OpKind::SgdUpdate, {weight, {shape}, rate, slot}, sgd(0.9, 1));
        add("adam_update " + name, OpKind::AdamUpdate, {weight, {shape}, rate, step, slot, square},
            {{"beta_1", 0.9}, {"beta_2", 0.999}, {"epsilon", 1e-7}});
    }
};

}  // namespace

std::vector<OpCase> updateCases() {
    Updates list;
    list.updates("[1]", {1});
    list.updates("[128, 10]", {128, 10});
    list.updates("[7, 11, 13]", {7, 11, 13});
    return list.take();
}

}  // namespace lockstep::opcases
