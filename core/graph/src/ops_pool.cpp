#include "op_rules.h"

#include <fmt/format.h>

namespace lockstep::graph::rules {
namespace {

Inferred pooled(std::string_view op, const TensorType& x, const Attributes& attributes) {
    const auto& window = listAttribute(attributes, "window");
    const auto& strides = listAttribute(attributes, "strides");
    const std::string_view padding = textAttribute(attributes, "padding");
    const auto height = windowAxis(x.shape[1], window[0], strides[0], padding);
    const auto width = windowAxis(x.shape[2], window[1], strides[1], padding);
    if (height.out < 1 || width.out < 1) {
        return mismatch(op, fmt::format("x {} is smaller than the window {}", x.toText(), Shape(window).toText()));
    }
    return std::vector{TensorType{x.dtype, Shape{x.shape[0], height.out, width.out, x.shape[3]}}};
}

Result<void> needPicture(const Operand& x) {
    LS_TRY(needFloat(x));
    return needRank(x, 4);
}

double windowElements(const Attributes& attributes) { return static_cast<double>(Shape(listAttribute(attributes, "window")).elements()); }

}  // namespace

Inferred inferMaxPool2D(Types inputs, const Attributes& attributes) {
    const Operand x{"max_pool2d", "x", inputs[0]};
    LS_TRY(needPicture(x));
    return pooled("max_pool2d", x.type, attributes);
}

Result<void> gradientOfMaxPool2D(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    const Value self{*gradients.graph().find(node.name), 0};
    std::vector<Value> inputs = {*outputGradients[0], node.inputs[0], self};
    LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::MaxPool2DGrad, node, std::move(inputs), node.attributes));
    return gradients.accumulate(node.inputs[0], dx);
}

OpCost costOfPool2D(Types inputs, Types outputs, const Attributes& attributes) {
    return {elementsOf(outputs[0]) * windowElements(attributes), bytesOf(inputs, outputs)};
}

Inferred inferMaxPool2DGrad(Types inputs, const Attributes& attributes) {
    constexpr std::string_view kOp = "max_pool2d_grad";
    const Operand dy{kOp, "dy", inputs[0]}, x{kOp, "x", inputs[1]}, y{kOp, "y", inputs[2]};
    LS_TRY(needFloat(dy));
    LS_TRY(needSameDType(dy, x));
    LS_TRY(needRank(x, 4));
    LS_TRY(needSame(dy, y));
    LS_TRY_ASSIGN(const auto forward, pooled(kOp, x.type, attributes));
    LS_TRY(needShape(dy, forward[0].shape));
    return std::vector{x.type};
}

OpCost costOfPool2DGrad(Types inputs, Types outputs, const Attributes& attributes) {
    return {elementsOf(inputs[0]) * (windowElements(attributes) + 1), bytesOf(inputs, outputs)};
}

Inferred inferAvgPool2D(Types inputs, const Attributes& attributes) {
    LS_TRY(needPicture({"avg_pool2d", "x", inputs[0]}));
    return pooled("avg_pool2d", inputs[0], attributes);
}

Result<void> gradientOfAvgPool2D(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    Attributes attributes = node.attributes;
    attributes.emplace("input_shape", gradients.graph().type(node.inputs[0]).shape.dims());
    LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::AvgPool2DGrad, node, {*outputGradients[0]}, std::move(attributes)));
    return gradients.accumulate(node.inputs[0], dx);
}

Inferred inferAvgPool2DGrad(Types inputs, const Attributes& attributes) {
    constexpr std::string_view kOp = "avg_pool2d_grad";
    const TensorType x{inputs[0].dtype, Shape(listAttribute(attributes, "input_shape"))};
    LS_TRY(needPicture({kOp, "dy", inputs[0]}));
    LS_TRY(needRank({kOp, "input_shape", x}, 4));
    LS_TRY_ASSIGN(const auto forward, pooled(kOp, x, attributes));
    LS_TRY(needShape({kOp, "dy", inputs[0]}, forward[0].shape));
    return std::vector{x};
}

}  // namespace lockstep::graph::rules
