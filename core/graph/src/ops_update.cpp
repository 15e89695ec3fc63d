#include "op_rules.h"

#include <fmt/format.h>

namespace lockstep::graph::rules {
namespace {

// All inputs float, of one element type.
Result<void> needOneFloatType(std::string_view op, Types inputs) {
    const Operand first{op, "input 0", inputs[0]};
    LS_TRY(needFloat(first));
    for (std::size_t i = 1; i < inputs.size(); ++i) LS_TRY(needSameDType(first, {op, fmt::format("input {}", i), inputs[i]}));
    return {};
}

}  // namespace

Inferred inferSquareSum(Types inputs, const Attributes&) {
    LS_TRY(needOneFloatType("square_sum", inputs));
    return std::vector{TensorType{inputs[0].dtype, Shape{}}};
}

Result<void> gradientOfSquareSum(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    for (const Value& x : node.inputs) {
        if (!gradients.wants(x)) continue;
        LS_TRY_ASSIGN(Value dx, gradients.append(OpKind::Scale, node, {x}, {{"factor", 2.0}}));
        if (!outputGradients.empty()) {
            LS_TRY_ASSIGN(dx, gradients.append(OpKind::MulScalar, node, {dx, *outputGradients[0]}));
        }
        LS_TRY(gradients.accumulate(x, dx));
    }
    return {};
}

OpCost costOfSquareSum(Types inputs, Types outputs, const Attributes&) {
    double elements = 0;
    for (const auto& type : inputs) elements += elementsOf(type);
    return {2.0 * elements, bytesOf(inputs, outputs)};
}

Inferred inferSqrt(Types inputs, const Attributes&) {
    const Operand x{"sqrt", "x", inputs[0]};
    LS_TRY(needFloat(x));
    LS_TRY(needRank(x, 0));
    return std::vector{inputs[0]};
}

Inferred inferAllReduce(Types inputs, const Attributes&) {
    LS_TRY(needOneFloatType("all_reduce", inputs));
    return std::vector(inputs.begin(), inputs.end());
}

OpCost costOfAllReduce(Types inputs, Types outputs, const Attributes&) {
    double elements = 0;
    for (const auto& type : inputs) elements += elementsOf(type);
    return {elements, bytesOf(inputs, outputs)};
}

Inferred inferSgdUpdate(Types inputs, const Attributes& attributes) {
    const Operand w{"sgd_update", "w", inputs[0]}, lr{"sgd_update", "lr", inputs[2]};
    LS_TRY(needFloat(w));
    LS_TRY(needSame(w, {"sgd_update", "g", inputs[1]}));
    LS_TRY(needSameDType(w, lr));
    LS_TRY(needRank(lr, 0));
    if (inputs.size() == 3) {
        if (doubleAttribute(attributes, "momentum") != 0) return mismatch("sgd_update", "momentum is not 0, but there is no slot for it");
        return std::vector{w.type};
    }
    LS_TRY(needSame(w, {"sgd_update", "slot", inputs[3]}));
    return std::vector{w.type, w.type};
}

OpCost costOfSgdUpdate(Types inputs, Types outputs, const Attributes& attributes) {
    const bool nesterov = intAttribute(attributes, "nesterov") != 0;
    const double perElement = inputs.size() == 3 ? 2 : (nesterov ? 6 : 4);
    return {perElement * elementsOf(inputs[0]), bytesOf(inputs, outputs)};
}

Inferred inferAdamUpdate(Types inputs, const Attributes&) {
    constexpr std::string_view kOp = "adam_update";
    const Operand w{kOp, "w", inputs[0]}, lr{kOp, "lr", inputs[2]}, step{kOp, "step", inputs[3]};
    LS_TRY(needFloat(w));
    LS_TRY(needSame(w, {kOp, "g", inputs[1]}));
    for (const auto& scalar : {lr, step}) {
        LS_TRY(needSameDType(w, scalar));
        LS_TRY(needRank(scalar, 0));
    }
    LS_TRY(needSame(w, {kOp, "m", inputs[4]}));
    LS_TRY(needSame(w, {kOp, "v", inputs[5]}));
    return std::vector{w.type, w.type, w.type};
}

OpCost costOfAdamUpdate(Types inputs, Types outputs, const Attributes&) {
    // m: 3, v: 4, w: multiply, square root, add, divide, subtract.
    return {12.0 * elementsOf(inputs[0]), bytesOf(inputs, outputs)};
}

}  // namespace lockstep::graph::rules
