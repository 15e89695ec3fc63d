// The rules that the rows of op_table.cpp point to, one file per family: types (infer…), gradients (gradientOf…), work (costOf…).
#pragma once

#include <graph/gradients.h>
#include <graph/op.h>

#include "type_checks.h"

namespace lockstep::graph::rules {

using OutputGradients = std::span<const std::optional<Value>>;

// ops_source.cpp
Inferred inferSource(Types inputs, const Attributes& attributes);

// ops_dense.cpp
// The attributes of a product of which these operands are given turned; also of BatchMatMul.
Attributes transposes(bool a, bool b);
Inferred inferMatMul(Types inputs, const Attributes& attributes);
Result<void> gradientOfMatMul(Gradients& gradients, const Node& node, OutputGradients outputGradients);
OpCost costOfMatMul(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferBiasAdd(Types inputs, const Attributes& attributes);
Result<void> gradientOfBiasAdd(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferBiasGrad(Types inputs, const Attributes& attributes);

// ops_window.cpp
Inferred inferConv2D(Types inputs, const Attributes& attributes);
Result<void> gradientOfConv2D(Gradients& gradients, const Node& node, OutputGradients outputGradients);
OpCost costOfConv2D(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferConv2DInputGrad(Types inputs, const Attributes& attributes);
OpCost costOfConv2DInputGrad(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferConv2DFilterGrad(Types inputs, const Attributes& attributes);
OpCost costOfConv2DFilterGrad(Types inputs, Types outputs, const Attributes& attributes);

// ops_pool.cpp
Inferred inferMaxPool2D(Types inputs, const Attributes& attributes);
Result<void> gradientOfMaxPool2D(Gradients& gradients, const Node& node, OutputGradients outputGradients);
OpCost costOfPool2D(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferMaxPool2DGrad(Types inputs, const Attributes& attributes);
OpCost costOfPool2DGrad(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferAvgPool2D(Types inputs, const Attributes& attributes);
Result<void> gradientOfAvgPool2D(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferAvgPool2DGrad(Types inputs, const Attributes& attributes);

// ops_elementwise.cpp
Inferred inferRelu(Types inputs, const Attributes& attributes);
Result<void> gradientOfRelu(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferReluGrad(Types inputs, const Attributes& attributes);
Inferred inferReshape(Types inputs, const Attributes& attributes);
Result<void> gradientOfReshape(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferAdd(Types inputs, const Attributes& attributes);
Result<void> gradientOfAdd(Gradients& gradients, const Node& node, OutputGradients outputGradients);
OpCost costOfNothing(Types inputs, Types outputs, const Attributes& attributes);
// One operation per element of the first input.
OpCost costPerElement(Types inputs, Types outputs, const Attributes& attributes);

// ops_norm.cpp
Inferred inferBatchMoments(Types inputs, const Attributes& attributes);
OpCost costOfBatchMoments(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferBatchNormalize(Types inputs, const Attributes& attributes);
Result<void> gradientOfBatchNormalize(Gradients& gradients, const Node& node, OutputGradients outputGradients);
OpCost costOfBatchNormalize(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferBatchNormReduceGrad(Types inputs, const Attributes& attributes);
OpCost costOfBatchNormReduceGrad(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferBatchNormInputGrad(Types inputs, const Attributes& attributes);
OpCost costOfBatchNormInputGrad(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferBatchNormFrozenGrad(Types inputs, const Attributes& attributes);
Inferred inferMovingUpdate(Types inputs, const Attributes& attributes);
OpCost costOfMovingUpdate(Types inputs, Types outputs, const Attributes& attributes);

// ops_scale.cpp
Inferred inferScale(Types inputs, const Attributes& attributes);
Result<void> gradientOfScale(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferAddScaled(Types inputs, const Attributes& attributes);
Result<void> gradientOfAddScaled(Gradients& gradients, const Node& node, OutputGradients outputGradients);
OpCost costOfAddScaled(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferMul(Types inputs, const Attributes& attributes);
Result<void> gradientOfMul(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferMulScalar(Types inputs, const Attributes& attributes);
Inferred inferDivScalar(Types inputs, const Attributes& attributes);
Inferred inferUpdateIf(Types inputs, const Attributes& attributes);
Inferred inferLossScaleUpdate(Types inputs, const Attributes& attributes);
Result<void> gradientOfMulScalar(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferClipByNorm(Types inputs, const Attributes& attributes);
Inferred inferClipValue(Types inputs, const Attributes& attributes);
OpCost costOfClipValue(Types inputs, Types outputs, const Attributes& attributes);

// ops_activation.cpp
Inferred inferActivate(Types inputs, const Attributes& attributes);
Result<void> gradientOfActivate(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferActivateGrad(Types inputs, const Attributes& attributes);
OpCost costOfActivate(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferSoftmax(Types inputs, const Attributes& attributes);
Result<void> gradientOfSoftmax(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferSoftmaxGrad(Types inputs, const Attributes& attributes);
OpCost costOfSoftmax(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferDropout(Types inputs, const Attributes& attributes);
Result<void> gradientOfDropout(Gradients& gradients, const Node& node, OutputGradients outputGradients);
OpCost costOfDropout(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferLayerNorm(Types inputs, const Attributes& attributes);
Result<void> gradientOfLayerNorm(Gradients& gradients, const Node& node, OutputGradients outputGradients);
OpCost costOfLayerNorm(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferLayerNormGrad(Types inputs, const Attributes& attributes);
OpCost costOfLayerNormGrad(Types inputs, Types outputs, const Attributes& attributes);

// ops_shape.cpp
Inferred inferPad(Types inputs, const Attributes& attributes);
Result<void> gradientOfPad(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferSlice(Types inputs, const Attributes& attributes);
Result<void> gradientOfSlice(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferConcat(Types inputs, const Attributes& attributes);
Result<void> gradientOfConcat(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferTranspose(Types inputs, const Attributes& attributes);
Result<void> gradientOfTranspose(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferCast(Types inputs, const Attributes& attributes);
Result<void> gradientOfCast(Gradients& gradients, const Node& node, OutputGradients outputGradients);
// Bytes only.
OpCost costOfMoving(Types inputs, Types outputs, const Attributes& attributes);
OpCost costOfSlice(Types inputs, Types outputs, const Attributes& attributes);

// ops_attention.cpp
Inferred inferBatchMatMul(Types inputs, const Attributes& attributes);
Result<void> gradientOfBatchMatMul(Gradients& gradients, const Node& node, OutputGradients outputGradients);
OpCost costOfBatchMatMul(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferGather(Types inputs, const Attributes& attributes);
Result<void> gradientOfGather(Gradients& gradients, const Node& node, OutputGradients outputGradients);
OpCost costOfGather(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferGatherGrad(Types inputs, const Attributes& attributes);
OpCost costOfGatherGrad(Types inputs, Types outputs, const Attributes& attributes);

// ops_targets.cpp
Inferred inferCategoricalCrossEntropy(Types inputs, const Attributes& attributes);
Result<void> gradientOfCategoricalCrossEntropy(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferCategoricalCrossEntropyGrad(Types inputs, const Attributes& attributes);
Inferred inferBinaryCrossEntropy(Types inputs, const Attributes& attributes);
Result<void> gradientOfBinaryCrossEntropy(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferBinaryCrossEntropyGrad(Types inputs, const Attributes& attributes);
Inferred inferRegressionLoss(Types inputs, const Attributes& attributes);
Result<void> gradientOfRegressionLoss(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferRegressionLossGrad(Types inputs, const Attributes& attributes);
OpCost costOfTargets(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferTopKCorrect(Types inputs, const Attributes& attributes);
Inferred inferBinaryCorrect(Types inputs, const Attributes& attributes);
Inferred inferCategoricalCorrect(Types inputs, const Attributes& attributes);
Inferred inferConfusionCounts(Types inputs, const Attributes& attributes);

// ops_loss.cpp
Inferred inferSoftmaxCrossEntropy(Types inputs, const Attributes& attributes);
Result<void> gradientOfSoftmaxCrossEntropy(Gradients& gradients, const Node& node, OutputGradients outputGradients);
OpCost costOfSoftmaxCrossEntropy(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferCorrectPredictions(Types inputs, const Attributes& attributes);
Inferred inferSoftmaxCrossEntropyGrad(Types inputs, const Attributes& attributes);

// ops_reduce.cpp
Inferred inferSquareSum(Types inputs, const Attributes& attributes);
Result<void> gradientOfSquareSum(Gradients& gradients, const Node& node, OutputGradients outputGradients);
OpCost costOfSquareSum(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferAbsSum(Types inputs, const Attributes& attributes);
Result<void> gradientOfAbsSum(Gradients& gradients, const Node& node, OutputGradients outputGradients);
Inferred inferSign(Types inputs, const Attributes& attributes);
Inferred inferAllFinite(Types inputs, const Attributes& attributes);
Inferred inferSqrt(Types inputs, const Attributes& attributes);
Inferred inferAllReduce(Types inputs, const Attributes& attributes);
OpCost costOfAllReduce(Types inputs, Types outputs, const Attributes& attributes);

// ops_update.cpp
Inferred inferSgdUpdate(Types inputs, const Attributes& attributes);
OpCost costOfSgdUpdate(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferAdamUpdate(Types inputs, const Attributes& attributes);
OpCost costOfAdamUpdate(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferRmsPropUpdate(Types inputs, const Attributes& attributes);
OpCost costOfRmsPropUpdate(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferAdagradUpdate(Types inputs, const Attributes& attributes);
OpCost costOfAdagradUpdate(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferLionUpdate(Types inputs, const Attributes& attributes);
OpCost costOfLionUpdate(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferLambUpdate(Types inputs, const Attributes& attributes);
OpCost costOfLambUpdate(Types inputs, Types outputs, const Attributes& attributes);
Inferred inferAccumulate(Types inputs, const Attributes& attributes);
OpCost costOfAccumulate(Types inputs, Types outputs, const Attributes& attributes);

// The gradient of a fused node's result before its activation; passes `dy` through when there is none. Serves MatMul and Conv2D.
Result<Value> gradientBeforeActivation(Gradients& gradients, const Node& node, const Value& self, Value dy);
// The gradient of a fused bias (third input), when there is one.
Result<void> gradientOfFusedBias(Gradients& gradients, const Node& node, Value dy);
// The gradient of a loss in its first input, by a node of kind `op` with the inputs and attributes of `node`.
Result<void> gradientOfLoss(OpKind op, Gradients& gradients, const Node& node, OutputGradients outputGradients);
// (logits [n,c], labels i32 [n], weights [n])
Result<void> checkPredictions(std::string_view op, Types inputs);
// S409 for an op that needs the gradient of its output but is the loss itself.
Error lossItself(const Node& node);

}  // namespace lockstep::graph::rules
