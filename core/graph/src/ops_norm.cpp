#include "op_rules.h"

#include <array>

#include <fmt/format.h>

namespace lockstep::graph::rules {
namespace {

bool isRectified(const Attributes& attributes) { return !textAttributeOr(attributes, "activation", "").empty(); }

Result<void> needChannels(const Operand& x) {
    LS_TRY(needFloat(x));
    if (x.type.shape.rank() >= 2) return {};
    return mismatch(x.op, fmt::format("{} is {}, but must have rows and channels", x.name, x.type.toText()));
}

// A vector over the last axis of x.
Result<void> needPerChannel(const Operand& x, const Operand& vector) {
    LS_TRY(needWideLike(x, vector));
    return needShape(vector, Shape{x.type.shape.back()});
}

// The result y of a rectified node is the last input of its gradients.
Result<void> needResult(std::string_view op, Types inputs) { return needSame({op, "dy", inputs[0]}, {op, "y", inputs.back()}); }

Attributes normAttributes(const Node& node, bool withActivation) {
    Attributes attributes{{"epsilon", node.attributes.find("epsilon")->second}};
    if (withActivation) attributes.emplace("activation", node.attributes.find("activation")->second);
    return attributes;
}

// The BatchMoments that both statistics come from and that sees the x which is normalised.
std::optional<Node> ownMoments(const Graph& graph, const Node& node) {
    const Value mean = node.inputs[1], variance = node.inputs[2];
    const Node& source = graph.node(mean.node);
    if (source.op != OpKind::BatchMoments || source.inputs[0] != node.inputs[0]) return std::nullopt;
    if (mean.output != 0 || variance != Value{mean.node, 1}) return std::nullopt;
    return source;
}

// The gradient of a BatchNormalize in the making.
struct NormGradient {
    Gradients& gradients;
    const Node& node;
    Value dy;
    std::optional<Value> y;      // when the gradients still have to be masked
    std::optional<Value> count;  // none: the statistics are frozen

    std::vector<Value> with(std::vector<Value> inputs, bool counted) const {
        if (counted && count) inputs.push_back(*count);
        if (y) inputs.push_back(*y);
        return inputs;
    }

    Result<Value> reduce() const {
        const Value x = node.inputs[0], mean = node.inputs[1], variance = node.inputs[2];
        auto inputs = with({dy, x, mean, variance}, true);
        LS_TRY_ASSIGN(const Value dgamma,
                      gradients.append(OpKind::BatchNormReduceGrad, node, std::move(inputs), normAttributes(node, y.has_value())));
        LS_TRY(gradients.accumulate(node.inputs[3], dgamma));
        LS_TRY(gradients.accumulate(node.inputs[4], {dgamma.node, 1}));
        return dgamma;
    }

    Result<void> toInput(Value dgamma) const {
        const Value x = node.inputs[0], mean = node.inputs[1], variance = node.inputs[2], gamma = node.inputs[3];
        const OpKind op = count ? OpKind::BatchNormInputGrad : OpKind::BatchNormFrozenGrad;
        auto inputs = count ? with({dy, x, mean, variance, gamma, dgamma, {dgamma.node, 1}}, true) : with({dy, variance, gamma}, false);
        LS_TRY_ASSIGN(const Value dx, gradients.append(op, node, std::move(inputs), normAttributes(node, y.has_value())));
        return gradients.accumulate(x, dx);
    }
};

}  // namespace

Inferred inferBatchMoments(Types inputs, const Attributes&) {
    const Operand x{"batch_moments", "x", inputs[0]};
    LS_TRY(needChannels(x));
    LS_TRY(needScalar(x, {"batch_moments", "count", inputs[1]}));
    const TensorType channels{wideOf(x.type.dtype), Shape{x.type.shape.back()}};
    return std::vector{channels, channels};
}

OpCost costOfBatchMoments(Types inputs, Types outputs, const Attributes&) {
    // One addition for the mean; subtract, multiply, add for the variance.
    return {4.0 * elementsOf(inputs[0]), bytesOf(inputs, outputs)};
}

Inferred inferBatchNormalize(Types inputs, const Attributes&) {
    constexpr std::string_view kOp = "batch_normalize";
    constexpr std::array<std::string_view, 4> kVectors = {"mean", "variance", "gamma", "beta"};
    const Operand x{kOp, "x", inputs[0]};
    LS_TRY(needChannels(x));
    for (std::size_t i = 0; i < kVectors.size(); ++i) LS_TRY(needPerChannel(x, {kOp, kVectors[i], inputs[i + 1]}));
    if (inputs.size() == 6) LS_TRY(needSame(x, {kOp, "addend", inputs[5]}));
    return std::vector{x.type};
}

Result<void> gradientOfBatchNormalize(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    const auto moments = ownMoments(gradients.graph(), node);
    if (!moments && (gradients.wants(node.inputs[1]) || gradients.wants(node.inputs[2]))) {
        return makeError("S409", {{"op", "batch_normalize"},
                                  {"name", node.name},
                                  {"why", " unless its mean and variance are those of one batch_moments of the same x"}});
    }
    NormGradient gradient{gradients, node, *outputGradients[0], std::nullopt, std::nullopt};
    if (moments) gradient.count = moments->inputs[1];
    const Value self{*gradients.graph().find(node.name), 0};
    if (isRectified(node.attributes)) gradient.y = self;
    // The addend needs the masked gradient as a value of its own; the others then read that one.
    if (node.inputs.size() == 6 && gradients.wants(node.inputs[5])) {
        LS_TRY_ASSIGN(gradient.dy, gradientBeforeActivation(gradients, node, self, gradient.dy));
        gradient.y.reset();
        LS_TRY(gradients.accumulate(node.inputs[5], gradient.dy));
    }
    const bool wantsInput = gradients.wants(node.inputs[0]);
    Value dgamma;
    if (gradients.wants(node.inputs[3]) || gradients.wants(node.inputs[4]) || (wantsInput && moments)) {
        LS_TRY_ASSIGN(dgamma, gradient.reduce());
    }
    return wantsInput ? gradient.toInput(dgamma) : Result<void>{};
}

OpCost costOfBatchNormalize(Types inputs, Types outputs, const Attributes& attributes) {
    // One multiplication and one addition with factors made once per channel.
    const double perElement = 2.0 + (inputs.size() == 6 ? 1 : 0) + (isRectified(attributes) ? 1 : 0);
    return {perElement * elementsOf(outputs[0]), bytesOf(inputs, outputs)};
}

Inferred inferBatchNormReduceGrad(Types inputs, const Attributes& attributes) {
    constexpr std::string_view kOp = "batch_norm_reduce_grad";
    const Operand dy{kOp, "dy", inputs[0]};
    LS_TRY(needChannels(dy));
    LS_TRY(needSame(dy, {kOp, "x", inputs[1]}));
    LS_TRY(needPerChannel(dy, {kOp, "mean", inputs[2]}));
    LS_TRY(needPerChannel(dy, {kOp, "variance", inputs[3]}));
    const std::size_t masks = isRectified(attributes) ? 1 : 0;
    if (inputs.size() != 4 + masks) {
        LS_TRY(needInputs(kOp, inputs, 5 + masks));
        LS_TRY(needScalar(dy, {kOp, "count", inputs[4]}));
    }
    if (masks > 0) LS_TRY(needResult(kOp, inputs));
    const TensorType channels{wideOf(dy.type.dtype), Shape{dy.type.shape.back()}};
    return std::vector{channels, channels};
}

OpCost costOfBatchNormReduceGrad(Types inputs, Types outputs, const Attributes&) {
    // Subtract, multiply, add; add.
    return {4.0 * elementsOf(inputs[0]), bytesOf(inputs, outputs)};
}

Inferred inferBatchNormInputGrad(Types inputs, const Attributes& attributes) {
    constexpr std::string_view kOp = "batch_norm_input_grad";
    constexpr std::array<std::string_view, 5> kVectors = {"mean", "variance", "gamma", "dgamma", "dbeta"};
    const Operand dy{kOp, "dy", inputs[0]};
    LS_TRY(needChannels(dy));
    LS_TRY(needInputs(kOp, inputs, isRectified(attributes) ? 9 : 8));
    LS_TRY(needSame(dy, {kOp, "x", inputs[1]}));
    for (std::size_t i = 0; i < kVectors.size(); ++i) LS_TRY(needPerChannel(dy, {kOp, kVectors[i], inputs[i + 2]}));
    LS_TRY(needScalar(dy, {kOp, "count", inputs[7]}));
    if (isRectified(attributes)) LS_TRY(needResult(kOp, inputs));
    return std::vector{dy.type};
}

OpCost costOfBatchNormInputGrad(Types inputs, Types outputs, const Attributes&) {
    // dy·a + x·b + c with factors made once per channel.
    return {4.0 * elementsOf(inputs[0]), bytesOf(inputs, outputs)};
}

Inferred inferBatchNormFrozenGrad(Types inputs, const Attributes& attributes) {
    constexpr std::string_view kOp = "batch_norm_frozen_grad";
    const Operand dy{kOp, "dy", inputs[0]};
    LS_TRY(needChannels(dy));
    LS_TRY(needInputs(kOp, inputs, isRectified(attributes) ? 4 : 3));
    LS_TRY(needPerChannel(dy, {kOp, "variance", inputs[1]}));
    LS_TRY(needPerChannel(dy, {kOp, "gamma", inputs[2]}));
    if (isRectified(attributes)) LS_TRY(needResult(kOp, inputs));
    return std::vector{dy.type};
}

Inferred inferMovingUpdate(Types inputs, const Attributes& attributes) {
    constexpr std::string_view kOp = "moving_update";
    const Operand state{kOp, "state", inputs[0]};
    LS_TRY(needWide(state));
    LS_TRY(needSame(state, {kOp, "value", inputs[1]}));
    if (inputs.size() == 3) LS_TRY(needScalar(state, {kOp, "count", inputs[2]}));
    if (inputs.size() == 2 && intAttributeOr(attributes, "bessel", 0) != 0) {
        return mismatch(kOp, "bessel is not 0, but there is no count for it");
    }
    return std::vector{state.type};
}

OpCost costOfMovingUpdate(Types inputs, Types outputs, const Attributes&) {
    return {3.0 * elementsOf(outputs[0]), bytesOf(inputs, outputs)};
}

}  // namespace lockstep::graph::rules
