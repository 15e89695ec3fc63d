#include "op_rules.h"

#include <fmt/format.h>

namespace lockstep::graph::rules {
namespace {

// (prediction [n,c], target [n,c], weights [n])
Result<void> checkTargets(std::string_view op, Types inputs) {
    const Operand prediction{op, "prediction", inputs[0]}, weights{op, "weights", inputs[2]};
    LS_TRY(needWide(prediction));
    LS_TRY(needRank(prediction, 2));
    LS_TRY(needSame(prediction, {op, "target", inputs[1]}));
    LS_TRY(needSameDType(prediction, weights));
    return needShape(weights, Shape{prediction.type.shape[0]});
}

Result<void> checkKind(std::string_view op, const Attributes& attributes) {
    const std::string_view kind = textAttribute(attributes, "kind");
    if (kind == "mse" || kind == "mae" || kind == "huber") return {};
    return mismatch(op, fmt::format("kind is \"{}\", but must be mse, mae or huber", kind));
}

Inferred scalarOf(std::string_view op, Types inputs) {
    LS_TRY(checkTargets(op, inputs));
    return std::vector{TensorType{inputs[0].dtype, Shape{}}};
}

Inferred gradientTypes(std::string_view op, Types inputs) {
    LS_TRY(checkTargets(op, inputs));
    return std::vector{inputs[0]};
}

}  // namespace

Result<void> gradientOfLoss(OpKind op, Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (!gradients.wants(node.inputs[0])) return {};
    LS_TRY_ASSIGN(Value dz, gradients.append(op, node, node.inputs, node.attributes));
    // The gradient op has the factor 1 built in.
    if (!outputGradients.empty()) {
        LS_TRY_ASSIGN(dz, gradients.append(OpKind::MulScalar, node, {dz, *outputGradients[0]}));
    }
    return gradients.accumulate(node.inputs[0], dz);
}

Inferred inferCategoricalCrossEntropy(Types inputs, const Attributes&) { return scalarOf("categorical_cross_entropy", inputs); }

Result<void> gradientOfCategoricalCrossEntropy(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    return gradientOfLoss(OpKind::CategoricalCrossEntropyGrad, gradients, node, outputGradients);
}

Inferred inferCategoricalCrossEntropyGrad(Types inputs, const Attributes&) {
    return gradientTypes("categorical_cross_entropy_grad", inputs);
}

Inferred inferBinaryCrossEntropy(Types inputs, const Attributes&) { return scalarOf("binary_cross_entropy", inputs); }

Result<void> gradientOfBinaryCrossEntropy(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    return gradientOfLoss(OpKind::BinaryCrossEntropyGrad, gradients, node, outputGradients);
}

Inferred inferBinaryCrossEntropyGrad(Types inputs, const Attributes&) { return gradientTypes("binary_cross_entropy_grad", inputs); }

Inferred inferRegressionLoss(Types inputs, const Attributes& attributes) {
    LS_TRY(checkKind("regression_loss", attributes));
    return scalarOf("regression_loss", inputs);
}

Result<void> gradientOfRegressionLoss(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    return gradientOfLoss(OpKind::RegressionLossGrad, gradients, node, outputGradients);
}

Inferred inferRegressionLossGrad(Types inputs, const Attributes& attributes) {
    LS_TRY(checkKind("regression_loss_grad", attributes));
    return gradientTypes("regression_loss_grad", inputs);
}

OpCost costOfTargets(Types inputs, Types outputs, const Attributes&) { return {6.0 * elementsOf(inputs[0]), bytesOf(inputs, outputs)}; }

Inferred inferTopKCorrect(Types inputs, const Attributes& attributes) {
    if (intAttribute(attributes, "k") < 1) return mismatch("top_k_correct", "k must be at least 1");
    LS_TRY(checkPredictions("top_k_correct", inputs));
    return std::vector{TensorType{inputs[0].dtype, Shape{}}};
}

Inferred inferBinaryCorrect(Types inputs, const Attributes&) { return scalarOf("binary_correct", inputs); }

Inferred inferCategoricalCorrect(Types inputs, const Attributes&) { return scalarOf("categorical_correct", inputs); }

Inferred inferConfusionCounts(Types inputs, const Attributes& attributes) {
    constexpr std::string_view kOp = "confusion_counts";
    LS_TRY(checkTargets(kOp, inputs));
    const std::string_view kind = textAttribute(attributes, "kind");
    if (kind != "even" && kind != "above" && kind != "top_k")
        return mismatch(kOp, fmt::format("kind is \"{}\", but must be even, above or top_k", kind));
    const std::int64_t buckets = kind == "even" ? intAttributeOr(attributes, "buckets", 0) : 2;
    if (buckets < 2) return mismatch(kOp, "buckets must be at least 2");
    if (kind == "top_k" && intAttributeOr(attributes, "k", 1) < 1) return mismatch(kOp, "k must be at least 1");
    return std::vector{TensorType{inputs[0].dtype, Shape{2, buckets}}};
}

}  // namespace lockstep::graph::rules
