#include "op_rules.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::graph {

WindowAxis windowAxis(std::int64_t in, std::int64_t window, std::int64_t stride, std::string_view padding) {
    if (padding == "valid") return {in < window ? 0 : (in - window) / stride + 1, 0, 0};
    const std::int64_t out = (in + stride - 1) / stride;
    const std::int64_t total = std::max<std::int64_t>((out - 1) * stride + window - in, 0);
    return {out, total / 2, total - total / 2};
}

namespace rules {
namespace {

Result<void> checkChannels(std::string_view op, const TensorType& x, const TensorType& w, std::int64_t groups) {
    if (groups < 1) return mismatch(op, "groups must be at least 1");
    if (x.shape[3] % groups != 0 || w.shape[3] % groups != 0) {
        return mismatch(op,
                        fmt::format("axis 3 of x {} and axis 3 of w {} must be multiples of groups {}", x.toText(), w.toText(), groups));
    }
    if (x.shape[3] / groups == w.shape[2]) return {};
    const std::string wanted = groups == 1 ? std::to_string(x.shape[3]) : fmt::format("{} / {} groups", x.shape[3], groups);
    return mismatch(op, fmt::format("axis 3 of x {} is {}, axis 2 of w {} is {}", x.toText(), wanted, w.toText(), w.shape[2]));
}

// The result of a convolution, from the shapes of picture and filter.
Inferred convolved(std::string_view op, const TensorType& x, const TensorType& w, const Attributes& attributes) {
    LS_TRY(checkChannels(op, x, w, intAttributeOr(attributes, "groups", 1)));
    const auto& strides = listAttribute(attributes, "strides");
    const auto dilations = listAttributeOr(attributes, "dilations", {1, 1});
    const std::string_view padding = textAttribute(attributes, "padding");
    const auto height = windowAxis(x.shape[1], dilatedWindow(w.shape[0], dilations[0]), strides[0], padding);
    const auto width = windowAxis(x.shape[2], dilatedWindow(w.shape[1], dilations[1]), strides[1], padding);
    if (height.out < 1 || width.out < 1) {
        return mismatch(op, fmt::format("x {} is smaller than the window of w {}", x.toText(), w.toText()));
    }
    return std::vector{TensorType{x.dtype, Shape{x.shape[0], height.out, width.out, w.shape[3]}}};
}

Attributes windowAttributes(const Node& node) {
    Attributes attributes;
    for (const char* name : {"strides", "padding", "dilations", "groups"}) {
        const auto found = node.attributes.find(name);
        if (found != node.attributes.end()) attributes.emplace(name, found->second);
    }
    return attributes;
}

// Multiply-adds of a convolution whose result has `out` elements and whose filter is `w`: the same for its two gradients.
double convolutionFlops(const Shape& out, const Shape& w) {
    return 2.0 * static_cast<double>(out.elements()) * static_cast<double>(w[0] * w[1] * w[2]);
}

}  // namespace

Inferred inferConv2D(Types inputs, const Attributes& attributes) {
    const Operand x{"conv2d", "x", inputs[0]}, w{"conv2d", "w", inputs[1]};
    LS_TRY(needFloat(x));
    LS_TRY(needSameDType(x, w));
    LS_TRY(needRank(x, 4));
    LS_TRY(needRank(w, 4));
    if (inputs.size() == 3) {
        const Operand bias{"conv2d", "bias", inputs[2]};
        LS_TRY(needSameDType(x, bias));
        LS_TRY(needShape(bias, Shape{w.type.shape[3]}));
    }
    return convolved("conv2d", x.type, w.type, attributes);
}

Result<void> gradientOfConv2D(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    const Value self{*gradients.graph().find(node.name), 0};
    LS_TRY_ASSIGN(const Value dy, gradientBeforeActivation(gradients, node, self, *outputGradients[0]));
    LS_TRY(gradientOfFusedBias(gradients, node, dy));
    const Value x = node.inputs[0], w = node.inputs[1];
    if (gradients.wants(w)) {
        Attributes attributes = windowAttributes(node);
        attributes.emplace("filter_shape", gradients.graph().type(w).shape.dims());
        LS_TRY_ASSIGN(const Value dw, gradients.append(OpKind::Conv2DFilterGrad, node, {x, dy}, std::move(attributes)));
        LS_TRY(gradients.accumulate(w, dw));
    }
    if (gradients.wants(x)) {
        Attributes attributes = windowAttributes(node);
        attributes.emplace("input_shape", gradients.graph().type(x).shape.dims());
        LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::Conv2DInputGrad, node, {dy, w}, std::move(attributes)));
        LS_TRY(gradients.accumulate(x, dx));
    }
    return {};
}

OpCost costOfConv2D(Types inputs, Types outputs, const Attributes& attributes) {
    double flops = convolutionFlops(outputs[0].shape, inputs[1].shape);
    if (inputs.size() == 3) flops += elementsOf(outputs[0]);
    if (!textAttributeOr(attributes, "activation", "").empty()) flops += elementsOf(outputs[0]);
    return {flops, bytesOf(inputs, outputs)};
}

Inferred inferConv2DInputGrad(Types inputs, const Attributes& attributes) {
    constexpr std::string_view kOp = "conv2d_input_grad";
    const Operand dy{kOp, "dy", inputs[0]}, w{kOp, "w", inputs[1]};
    LS_TRY(needFloat(dy));
    LS_TRY(needSameDType(dy, w));
    LS_TRY(needRank(dy, 4));
    LS_TRY(needRank(w, 4));
    const TensorType x{dy.type.dtype, Shape(listAttribute(attributes, "input_shape"))};
    LS_TRY(needRank({kOp, "input_shape", x}, 4));
    LS_TRY_ASSIGN(const auto forward, convolved(kOp, x, w.type, attributes));
    LS_TRY(needShape(dy, forward[0].shape));
    return std::vector{x};
}

OpCost costOfConv2DInputGrad(Types inputs, Types outputs, const Attributes&) {
    return {convolutionFlops(inputs[0].shape, inputs[1].shape), bytesOf(inputs, outputs)};
}

Inferred inferConv2DFilterGrad(Types inputs, const Attributes& attributes) {
    constexpr std::string_view kOp = "conv2d_filter_grad";
    const Operand x{kOp, "x", inputs[0]}, dy{kOp, "dy", inputs[1]};
    LS_TRY(needFloat(x));
    LS_TRY(needSameDType(x, dy));
    LS_TRY(needRank(x, 4));
    LS_TRY(needRank(dy, 4));
    const TensorType w{x.type.dtype, Shape(listAttribute(attributes, "filter_shape"))};
    LS_TRY(needRank({kOp, "filter_shape", w}, 4));
    LS_TRY_ASSIGN(const auto forward, convolved(kOp, x.type, w, attributes));
    LS_TRY(needShape(dy, forward[0].shape));
    return std::vector{w};
}

OpCost costOfConv2DFilterGrad(Types inputs, Types outputs, const Attributes&) {
    return {convolutionFlops(inputs[1].shape, outputs[0].shape), bytesOf(inputs, outputs)};
}

}  // namespace rules
}  // namespace lockstep::graph
