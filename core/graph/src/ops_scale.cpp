#include "op_rules.h"

namespace lockstep::graph::rules {
Inferred inferScale(Types inputs, const Attributes&) {
    LS_TRY(needFloat({"scale", "x", inputs[0]}));
    return std::vector{inputs[0]};
}

Result<void> gradientOfScale(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::Scale, node, {*outputGradients[0]}, node.attributes));
    return gradients.accumulate(node.inputs[0], dx);
}

Inferred inferAddScaled(Types inputs, const Attributes&) {
    const Operand a{"add_scaled", "a", inputs[0]};
    LS_TRY(needFloat(a));
    LS_TRY(needSame(a, {"add_scaled", "b", inputs[1]}));
    return std::vector{inputs[0]};
}

Result<void> gradientOfAddScaled(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    LS_TRY(gradients.accumulate(node.inputs[0], *outputGradients[0]));
    if (!gradients.wants(node.inputs[1])) return {};
    LS_TRY_ASSIGN(const Value db, gradients.append(OpKind::Scale, node, {*outputGradients[0]}, node.attributes));
    return gradients.accumulate(node.inputs[1], db);
}

OpCost costOfAddScaled(Types inputs, Types outputs, const Attributes&) { return {2.0 * elementsOf(outputs[0]), bytesOf(inputs, outputs)}; }

Inferred inferMul(Types inputs, const Attributes&) {
    const Operand a{"mul", "a", inputs[0]};
    LS_TRY(needFloat(a));
    LS_TRY(needSame(a, {"mul", "b", inputs[1]}));
    return std::vector{inputs[0]};
}

Result<void> gradientOfMul(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        if (!gradients.wants(node.inputs[side])) continue;
        LS_TRY_ASSIGN(const Value d, gradients.append(OpKind::Mul, node, {*outputGradients[0], node.inputs[1 - side]}));
        LS_TRY(gradients.accumulate(node.inputs[side], d));
    }
    return {};
}

Inferred inferMulScalar(Types inputs, const Attributes&) {
    const Operand x{"mul_scalar", "x", inputs[0]};
    LS_TRY(needFloat(x));
    LS_TRY(needScalar(x, {"mul_scalar", "s", inputs[1]}));
    return std::vector{inputs[0]};
}

Inferred inferDivScalar(Types inputs, const Attributes&) {
    const Operand x{"div_scalar", "x", inputs[0]};
    LS_TRY(needFloat(x));
    LS_TRY(needScalar(x, {"div_scalar", "s", inputs[1]}));
    return std::vector{inputs[0]};
}

Inferred inferUpdateIf(Types inputs, const Attributes&) {
    const Operand condition{"update_if", "condition", inputs[0]};
    LS_TRY(needWide(condition));
    LS_TRY(needRank(condition, 0));
    return std::vector{inputs[0]};
}

Inferred inferLossScaleUpdate(Types inputs, const Attributes& attributes) {
    constexpr std::string_view kOp = "loss_scale_update";
    const Operand scale{kOp, "scale", inputs[0]};
    LS_TRY(needWide(scale));
    LS_TRY(needRank(scale, 0));
    LS_TRY(needSame(scale, {kOp, "counter", inputs[1]}));
    LS_TRY(needSame(scale, {kOp, "skipped", inputs[2]}));
    LS_TRY(needSame(scale, {kOp, "finite", inputs[3]}));
    if (intAttribute(attributes, "growth_steps") < 1) return mismatch(kOp, "growth_steps must be at least 1");
    return std::vector<TensorType>(3, inputs[0]);
}

Result<void> gradientOfMulScalar(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (gradients.wants(node.inputs[1])) {
        return makeError("S409", {{"op", "mul_scalar"}, {"name", node.name}, {"why", " in its scalar"}});
    }
    if (outputGradients.empty()) return gradients.accumulate(node.inputs[0], node.inputs[1]);
    LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::MulScalar, node, {*outputGradients[0], node.inputs[1]}));
    return gradients.accumulate(node.inputs[0], dx);
}

Inferred inferClipByNorm(Types inputs, const Attributes&) {
    const Operand g{"clip_by_norm", "g", inputs[0]};
    LS_TRY(needFloat(g));
    LS_TRY(needScalar(g, {"clip_by_norm", "norm", inputs[1]}));
    return std::vector{inputs[0]};
}

Inferred inferClipValue(Types inputs, const Attributes&) {
    LS_TRY(needFloat({"clip_value", "g", inputs[0]}));
    return std::vector{inputs[0]};
}

OpCost costOfClipValue(Types inputs, Types outputs, const Attributes&) { return {2.0 * elementsOf(inputs[0]), bytesOf(inputs, outputs)}; }

}  // namespace lockstep::graph::rules
