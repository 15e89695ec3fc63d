#include "op_rules.h"

namespace lockstep::graph::rules {

Result<void> checkPredictions(std::string_view op, Types inputs) {
    const Operand logits{op, "logits", inputs[0]}, labels{op, "labels", inputs[1]}, weights{op, "weights", inputs[2]};
    LS_TRY(needWide(logits));
    LS_TRY(needRank(logits, 2));
    const Shape rows{logits.type.shape[0]};
    if (labels.type.dtype != DType::I32) return mismatch(op, "labels is " + labels.type.toText() + ", but must be i32");
    LS_TRY(needShape(labels, rows));
    LS_TRY(needSameDType(logits, weights));
    return needShape(weights, rows);
}

Inferred inferSoftmaxCrossEntropy(Types inputs, const Attributes&) {
    LS_TRY(checkPredictions("softmax_cross_entropy", inputs));
    return std::vector{TensorType{inputs[0].dtype, Shape{}}};
}

Result<void> gradientOfSoftmaxCrossEntropy(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    return gradientOfLoss(OpKind::SoftmaxCrossEntropyGrad, gradients, node, outputGradients);
}

OpCost costOfSoftmaxCrossEntropy(Types inputs, Types outputs, const Attributes&) {
    // Maximum, subtraction, exponential, sum.
    return {4.0 * elementsOf(inputs[0]), bytesOf(inputs, outputs)};
}

Inferred inferCorrectPredictions(Types inputs, const Attributes&) {
    LS_TRY(checkPredictions("correct_predictions", inputs));
    return std::vector{TensorType{inputs[0].dtype, Shape{}}};
}

Inferred inferSoftmaxCrossEntropyGrad(Types inputs, const Attributes&) {
    LS_TRY(checkPredictions("softmax_cross_entropy_grad", inputs));
    return std::vector{inputs[0]};
}

}  // namespace lockstep::graph::rules
