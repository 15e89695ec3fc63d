#include "op_rules.h"

#include <fmt/format.h>

namespace lockstep::graph::rules {
namespace {

// All inputs f32 or all f64.
Result<void> needOneWideType(std::string_view op, Types inputs) {
    const Operand first{op, "input 0", inputs[0]};
    LS_TRY(needWide(first));
    for (std::size_t i = 1; i < inputs.size(); ++i) LS_TRY(needSameDType(first, {op, fmt::format("input {}", i), inputs[i]}));
    return {};
}

}  // namespace

Inferred inferSquareSum(Types inputs, const Attributes&) {
    LS_TRY(needOneWideType("square_sum", inputs));
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

Inferred inferAbsSum(Types inputs, const Attributes&) {
    LS_TRY(needOneWideType("abs_sum", inputs));
    return std::vector{TensorType{inputs[0].dtype, Shape{}}};
}

Result<void> gradientOfAbsSum(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    for (const Value& x : node.inputs) {
        if (!gradients.wants(x)) continue;
        LS_TRY_ASSIGN(Value dx, gradients.append(OpKind::Sign, node, {x}));
        if (!outputGradients.empty()) {
            LS_TRY_ASSIGN(dx, gradients.append(OpKind::MulScalar, node, {dx, *outputGradients[0]}));
        }
        LS_TRY(gradients.accumulate(x, dx));
    }
    return {};
}

Inferred inferSign(Types inputs, const Attributes&) {
    LS_TRY(needWide(Operand{"sign", "x", inputs[0]}));
    return std::vector{inputs[0]};
}

Inferred inferAllFinite(Types inputs, const Attributes&) {
    LS_TRY(needOneWideType("all_finite", inputs));
    return std::vector{TensorType{inputs[0].dtype, Shape{}}};
}

Inferred inferSqrt(Types inputs, const Attributes&) {
    const Operand x{"sqrt", "x", inputs[0]};
    LS_TRY(needWide(x));
    LS_TRY(needRank(x, 0));
    return std::vector{inputs[0]};
}

Inferred inferAllReduce(Types inputs, const Attributes&) {
    LS_TRY(needOneWideType("all_reduce", inputs));
    return std::vector(inputs.begin(), inputs.end());
}

OpCost costOfAllReduce(Types inputs, Types outputs, const Attributes&) {
    double elements = 0;
    for (const auto& type : inputs) elements += elementsOf(type);
    return {elements, bytesOf(inputs, outputs)};
}

}  // namespace lockstep::graph::rules
