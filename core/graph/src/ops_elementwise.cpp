#include "op_rules.h"

#include <fmt/format.h>

namespace lockstep::graph::rules {

Inferred inferRelu(Types inputs, const Attributes&) {
    LS_TRY(needFloat({"relu", "x", inputs[0]}));
    return std::vector{inputs[0]};
}

Result<void> gradientOfRelu(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    const Value self{*gradients.graph().find(node.name), 0};
    LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::ReluGrad, node, {*outputGradients[0], self}));
    return gradients.accumulate(node.inputs[0], dx);
}

Inferred inferReluGrad(Types inputs, const Attributes&) {
    const Operand dy{"relu_grad", "dy", inputs[0]};
    LS_TRY(needFloat(dy));
    LS_TRY(needSame(dy, {"relu_grad", "y", inputs[1]}));
    return std::vector{inputs[0]};
}

Inferred inferReshape(Types inputs, const Attributes& attributes) {
    TensorType result{inputs[0].dtype, Shape(listAttribute(attributes, "shape"))};
    if (result.shape.elements() != inputs[0].shape.elements()) {
        return mismatch("reshape", fmt::format("x {} has {} elements, shape {} has {}", inputs[0].toText(), inputs[0].shape.elements(),
                                               result.shape.toText(), result.shape.elements()));
    }
    return std::vector{std::move(result)};
}

Result<void> gradientOfReshape(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    Attributes attributes{{"shape", gradients.graph().type(node.inputs[0]).shape.dims()}};
    LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::Reshape, node, {*outputGradients[0]}, std::move(attributes)));
    return gradients.accumulate(node.inputs[0], dx);
}

Inferred inferAdd(Types inputs, const Attributes&) {
    const Operand a{"add", "a", inputs[0]};
    LS_TRY(needFloat(a));
    LS_TRY(needSame(a, {"add", "b", inputs[1]}));
    return std::vector{inputs[0]};
}

Result<void> gradientOfAdd(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    LS_TRY(gradients.accumulate(node.inputs[0], *outputGradients[0]));
    return gradients.accumulate(node.inputs[1], *outputGradients[0]);
}

OpCost costOfNothing(Types, Types, const Attributes&) { return {}; }

OpCost costPerElement(Types inputs, Types outputs, const Attributes&) { return {elementsOf(inputs[0]), bytesOf(inputs, outputs)}; }

}  // namespace lockstep::graph::rules
