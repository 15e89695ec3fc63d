#include "op_rules.h"

namespace lockstep::graph::rules {

Inferred inferSource(Types, const Attributes& attributes) {
    const std::string_view role = textAttributeOr(attributes, "role", "weight");
    if (role != "weight" && role != "slot" && role != "statistic") {
        return mismatch("state", "role must be \"weight\", \"slot\" or \"statistic\"");
    }
    return std::vector{TensorType{*dtypeNamed(textAttribute(attributes, "dtype")), Shape(listAttribute(attributes, "shape"))}};
}

}  // namespace lockstep::graph::rules
