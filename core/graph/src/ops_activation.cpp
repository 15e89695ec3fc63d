#include "op_rules.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::graph::rules {
namespace {

constexpr std::array<std::string_view, 9> kKinds = {"relu6", "leaky_relu", "elu",     "gelu",    "gelu_tanh",
                                                    "silu",  "tanh",       "sigmoid", "softplus"};

Result<void> needKind(std::string_view op, const Attributes& attributes) {
    const std::string_view kind = textAttribute(attributes, "kind");
    if (std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end()) return {};
    return mismatch(op, fmt::format("kind is \"{}\", but must be one of {}", kind, fmt::join(kKinds, ", ")));
}

Result<void> needLastAxis(const Operand& x) {
    LS_TRY(needFloat(x));
    if (x.type.shape.rank() > 0) return {};
    return mismatch(x.op, fmt::format("{} is a scalar, but must have a last axis", x.name));
}

}  // namespace

Inferred inferActivate(Types inputs, const Attributes& attributes) {
    LS_TRY(needFloat({"activate", "x", inputs[0]}));
    LS_TRY(needKind("activate", attributes));
    return std::vector{inputs[0]};
}

Result<void> gradientOfActivate(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    const std::vector<Value> inputs = {*outputGradients[0], node.inputs[0]};
    LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::ActivateGrad, node, inputs, node.attributes));
    return gradients.accumulate(node.inputs[0], dx);
}

Inferred inferActivateGrad(Types inputs, const Attributes& attributes) {
    const Operand dy{"activate_grad", "dy", inputs[0]};
    LS_TRY(needFloat(dy));
    LS_TRY(needSame(dy, {"activate_grad", "x", inputs[1]}));
    LS_TRY(needKind("activate_grad", attributes));
    return std::vector{inputs[0]};
}

OpCost costOfActivate(Types inputs, Types outputs, const Attributes&) {
    // An exponential or a tangent stands for most of it.
    return {8.0 * elementsOf(inputs[0]), bytesOf(inputs, outputs)};
}

Inferred inferSoftmax(Types inputs, const Attributes&) {
    LS_TRY(needLastAxis({"softmax", "x", inputs[0]}));
    return std::vector{inputs[0]};
}

Result<void> gradientOfSoftmax(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    const Value self{*gradients.graph().find(node.name), 0};
    LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::SoftmaxGrad, node, {*outputGradients[0], self}));
    return gradients.accumulate(node.inputs[0], dx);
}

Inferred inferSoftmaxGrad(Types inputs, const Attributes&) {
    const Operand dy{"softmax_grad", "dy", inputs[0]};
    LS_TRY(needLastAxis(dy));
    LS_TRY(needSame(dy, {"softmax_grad", "y", inputs[1]}));
    return std::vector{inputs[0]};
}

OpCost costOfSoftmax(Types inputs, Types outputs, const Attributes&) {
    // Maximum, subtraction, exponential, sum, division; the gradient: two products, sum, subtraction.
    return {5.0 * elementsOf(inputs[0]), bytesOf(inputs, outputs)};
}

Inferred inferDropout(Types inputs, const Attributes&) {
    const Operand x{"dropout", "x", inputs[0]};
    LS_TRY(needLastAxis(x));
    LS_TRY(needScalar(x, {"dropout", "step", inputs[1]}));
    LS_TRY(needScalar(x, {"dropout", "first_row", inputs[2]}));
    return std::vector{inputs[0]};
}

Result<void> gradientOfDropout(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    const std::vector<Value> inputs = {*outputGradients[0], node.inputs[1], node.inputs[2]};
    LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::Dropout, node, inputs, node.attributes));
    return gradients.accumulate(node.inputs[0], dx);
}

OpCost costOfDropout(Types inputs, Types outputs, const Attributes&) {
    // Ten rounds of Philox make four numbers, some sixty operations.
    return {17.0 * elementsOf(inputs[0]), bytesOf(inputs, outputs)};
}

Inferred inferLayerNorm(Types inputs, const Attributes&) {
    const Operand x{"layer_norm", "x", inputs[0]};
    LS_TRY(needLastAxis(x));
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
        const Operand vector{"layer_norm", i == 1 ? "gamma" : "beta", inputs[i]};
        LS_TRY(needWideLike(x, vector));
        LS_TRY(needShape(vector, Shape{x.type.shape.back()}));
    }
    const TensorType perRow{wideOf(x.type.dtype), Shape({x.type.shape.dims().begin(), x.type.shape.dims().end() - 1})};
    return std::vector{x.type, perRow, perRow};
}

Result<void> gradientOfLayerNorm(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    if (!outputGradients[0] || outputGradients[1] || outputGradients[2]) {
        return makeError("S409", {{"op", "layer_norm"}, {"name", node.name}, {"why", " in its mean and deviation"}});
    }
    const Value self{*gradients.graph().find(node.name), 0};
    const std::vector<Value> inputs = {*outputGradients[0], node.inputs[0], {self.node, 1}, {self.node, 2}, node.inputs[1]};
    LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::LayerNormGrad, node, inputs));
    LS_TRY(gradients.accumulate(node.inputs[1], {dx.node, 1}));
    LS_TRY(gradients.accumulate(node.inputs[2], {dx.node, 2}));
    return gradients.accumulate(node.inputs[0], dx);
}

OpCost costOfLayerNorm(Types inputs, Types outputs, const Attributes&) { return {7.0 * elementsOf(inputs[0]), bytesOf(inputs, outputs)}; }

Inferred inferLayerNormGrad(Types inputs, const Attributes&) {
    constexpr std::string_view kOp = "layer_norm_grad";
    const Operand dy{kOp, "dy", inputs[0]};
    LS_TRY(needLastAxis(dy));
    LS_TRY(needSame(dy, {kOp, "x", inputs[1]}));
    const TensorType perRow{wideOf(dy.type.dtype), Shape({dy.type.shape.dims().begin(), dy.type.shape.dims().end() - 1})};
    const TensorType channels{wideOf(dy.type.dtype), Shape{dy.type.shape.back()}};
    LS_TRY(needSame({kOp, "mean", inputs[2]}, {kOp, "a value of each row", perRow}));
    LS_TRY(needSame({kOp, "rstd", inputs[3]}, {kOp, "a value of each row", perRow}));
    LS_TRY(needSame({kOp, "gamma", inputs[4]}, {kOp, "a value of each column", channels}));
    return std::vector{dy.type, channels, channels};
}

OpCost costOfLayerNormGrad(Types inputs, Types outputs, const Attributes&) {
    return {12.0 * elementsOf(inputs[0]), bytesOf(inputs, outputs)};
}

}  // namespace lockstep::graph::rules
