#include "op_rules.h"

#include <fmt/format.h>

namespace lockstep::graph::rules {
namespace {

struct MatMulShape {
    bool transposeA, transposeB;
    std::int64_t m, k, kOfB, n;
};

MatMulShape matMulShape(Types inputs, const Attributes& attributes) {
    const bool ta = intAttributeOr(attributes, "transpose_a", 0) != 0, tb = intAttributeOr(attributes, "transpose_b", 0) != 0;
    const Shape& a = inputs[0].shape;
    const Shape& b = inputs[1].shape;
    return {ta, tb, a[ta ? 1 : 0], a[ta ? 0 : 1], b[tb ? 1 : 0], b[tb ? 0 : 1]};
}

}  // namespace

Attributes transposes(bool a, bool b) {
    Attributes attributes;
    if (a) attributes.emplace("transpose_a", std::int64_t{1});
    if (b) attributes.emplace("transpose_b", std::int64_t{1});
    return attributes;
}

Inferred inferMatMul(Types inputs, const Attributes& attributes) {
    const Operand a{"matmul", "a", inputs[0]}, b{"matmul", "b", inputs[1]};
    LS_TRY(needFloat(a));
    LS_TRY(needSameDType(a, b));
    LS_TRY(needRank(a, 2));
    LS_TRY(needRank(b, 2));
    const auto shape = matMulShape(inputs, attributes);
    if (shape.k != shape.kOfB) {
        return mismatch("matmul", fmt::format("axis {} of a {} is {}, axis {} of b {} is {}", shape.transposeA ? 0 : 1, a.type.toText(),
                                              shape.k, shape.transposeB ? 1 : 0, b.type.toText(), shape.kOfB));
    }
    if (inputs.size() == 3) {
        const Operand bias{"matmul", "bias", inputs[2]};
        LS_TRY(needSameDType(a, bias));
        LS_TRY(needShape(bias, Shape{shape.n}));
    }
    return std::vector{TensorType{a.type.dtype, Shape{shape.m, shape.n}}};
}

Result<Value> gradientBeforeActivation(Gradients& gradients, const Node& node, const Value& self, Value dy) {
    if (textAttributeOr(node.attributes, "activation", "").empty()) return dy;
    return gradients.append(OpKind::ReluGrad, node, {dy, self});
}

Result<void> gradientOfFusedBias(Gradients& gradients, const Node& node, Value dy) {
    if (node.inputs.size() < 3 || !gradients.wants(node.inputs[2])) return {};
    LS_TRY_ASSIGN(const Value db, gradients.append(OpKind::BiasGrad, node, {dy}));
    return gradients.accumulate(node.inputs[2], db);
}

Error lossItself(const Node& node) {
    return makeError("S409", {{"op", std::string(opRow(node.op).name)}, {"name", node.name}, {"why", " as the loss itself"}});
}

Result<void> gradientOfMatMul(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    const Value self{*gradients.graph().find(node.name), 0};
    LS_TRY_ASSIGN(const Value dy, gradientBeforeActivation(gradients, node, self, *outputGradients[0]));
    LS_TRY(gradientOfFusedBias(gradients, node, dy));
    const Value a = node.inputs[0], b = node.inputs[1];
    const bool ta = intAttributeOr(node.attributes, "transpose_a", 0) != 0, tb = intAttributeOr(node.attributes, "transpose_b", 0) != 0;
    // The weight (b) comes first: its all-reduce can then start while the rest of the backward pass runs.
    if (gradients.wants(b)) {
        const auto left = tb ? dy : a, right = tb ? a : dy;
        const Attributes attributes = tb ? transposes(true, ta) : transposes(!ta, false);
        LS_TRY_ASSIGN(const Value db, gradients.append(OpKind::MatMul, node, {left, right}, attributes));
        LS_TRY(gradients.accumulate(b, db));
    }
    if (gradients.wants(a)) {
        const auto left = ta ? b : dy, right = ta ? dy : b;
        const Attributes attributes = ta ? transposes(tb, true) : transposes(false, !tb);
        LS_TRY_ASSIGN(const Value da, gradients.append(OpKind::MatMul, node, {left, right}, attributes));
        LS_TRY(gradients.accumulate(a, da));
    }
    return {};
}

OpCost costOfMatMul(Types inputs, Types outputs, const Attributes& attributes) {
    const auto shape = matMulShape(inputs, attributes);
    double flops = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.k) * static_cast<double>(shape.n);
    if (inputs.size() == 3) flops += elementsOf(outputs[0]);
    if (!textAttributeOr(attributes, "activation", "").empty()) flops += elementsOf(outputs[0]);
    return {flops, bytesOf(inputs, outputs)};
}

Inferred inferBiasAdd(Types inputs, const Attributes&) {
    const Operand x{"bias_add", "x", inputs[0]}, b{"bias_add", "b", inputs[1]};
    LS_TRY(needFloat(x));
    LS_TRY(needSameDType(x, b));
    if (x.type.shape.rank() == 0) return mismatch("bias_add", "x is a scalar, but must have a last axis");
    LS_TRY(needShape(b, Shape{x.type.shape.back()}));
    return std::vector{x.type};
}

Result<void> gradientOfBiasAdd(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    const Value dy = *outputGradients[0];
    if (gradients.wants(node.inputs[1])) {
        LS_TRY_ASSIGN(const Value db, gradients.append(OpKind::BiasGrad, node, {dy}));
        LS_TRY(gradients.accumulate(node.inputs[1], db));
    }
    return gradients.accumulate(node.inputs[0], dy);
}

Inferred inferBiasGrad(Types inputs, const Attributes&) {
    const Operand dy{"bias_grad", "dy", inputs[0]};
    LS_TRY(needFloat(dy));
    if (dy.type.shape.rank() == 0) return mismatch("bias_grad", "dy is a scalar, but must have a last axis");
    return std::vector{TensorType{dy.type.dtype, Shape{dy.type.shape.back()}}};
}

}  // namespace lockstep::graph::rules
