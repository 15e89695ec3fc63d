#include <graph/graph.h>

#include "op_rules.h"

#include <algorithm>
#include <array>

namespace lockstep::graph {
namespace {

using namespace rules;
using enum AttributeKind;
constexpr Presence kOptional = Presence::Optional;

constexpr std::array kInput = {AttributeSpec{"dtype", Type}, AttributeSpec{"shape", Dims}};
constexpr std::array kState = {AttributeSpec{"dtype", Type}, AttributeSpec{"shape", Dims}, AttributeSpec{"role", Text}};
constexpr std::array kMatMul = {AttributeSpec{"transpose_a", Flag, kOptional}, AttributeSpec{"transpose_b", Flag, kOptional},
                                AttributeSpec{"activation", Activation, kOptional}};
constexpr AttributeSpec kStrides{"strides", Pair}, kPadding{"padding", Padding}, kEpsilon{"epsilon", Positive};
constexpr AttributeSpec kDilations{"dilations", Pair, kOptional}, kGroups{"groups", Count, kOptional};
constexpr AttributeSpec kActivation{"activation", Activation, kOptional};
constexpr std::array kConv2D = {kStrides, kPadding, kDilations, kGroups, kActivation};
constexpr std::array kInputGrad = {kStrides, kPadding, kDilations, kGroups, AttributeSpec{"input_shape", Dims}};
constexpr std::array kFilterGrad = {kStrides, kPadding, kDilations, kGroups, AttributeSpec{"filter_shape", Dims}};
constexpr std::array kPool = {AttributeSpec{"window", Pair}, kStrides, kPadding};
constexpr std::array kPoolGrad = {AttributeSpec{"window", Pair}, kStrides, kPadding, AttributeSpec{"input_shape", Dims}};
constexpr AttributeSpec kLabelSmoothing{"label_smoothing", Portion, kOptional}, kKind{"kind", Text};
constexpr std::array kCrossEntropy = {kLabelSmoothing, AttributeSpec{"from_logits", Flag, kOptional}};
constexpr std::array kNormalize = {kEpsilon, kActivation};
constexpr std::array kMoving = {AttributeSpec{"momentum", Portion}, AttributeSpec{"bessel", Count, kOptional}};
constexpr std::array kFactor = {AttributeSpec{"factor", Real}};
constexpr std::array kLimit = {AttributeSpec{"limit", Positive}};
constexpr std::array kReshape = {AttributeSpec{"shape", Dims}};
constexpr std::array kAllReduce = {AttributeSpec{"bucket", Count}};
constexpr AttributeSpec kDecay{"weight_decay", Real, kOptional}, kMomentum{"momentum", Real};
constexpr AttributeSpec kBeta1{"beta_1", Real}, kBeta2{"beta_2", Real}, kOffset{"epsilon", Real};
constexpr std::array kSgd = {kMomentum, AttributeSpec{"nesterov", Flag}, kDecay};
constexpr std::array kAdam = {kBeta1, kBeta2, kOffset, kDecay};
constexpr std::array kRmsProp = {AttributeSpec{"rho", Real}, kOffset, kMomentum, AttributeSpec{"centered", Flag}, kDecay};
constexpr std::array kAdagrad = {kOffset, kDecay};
constexpr std::array kLion = {kBeta1, kBeta2, kDecay};
constexpr std::array kActivate = {kKind, AttributeSpec{"alpha", Real, kOptional}};
constexpr std::array kLayerNorm = {kEpsilon};
constexpr std::array kDropout = {AttributeSpec{"rate", Portion}, AttributeSpec{"seed", Whole}};
constexpr std::array kPad = {AttributeSpec{"before", Offsets}, AttributeSpec{"after", Offsets}};
constexpr std::array kSlice = {AttributeSpec{"begin", Offsets}, AttributeSpec{"shape", Dims}};
constexpr std::array kConcat = {AttributeSpec{"axis", Count}};
constexpr std::array kTranspose = {AttributeSpec{"permutation", Offsets}};
constexpr std::array kTransposes = {AttributeSpec{"transpose_a", Flag, kOptional}, AttributeSpec{"transpose_b", Flag, kOptional}};
constexpr std::array kRowsOfTable = {AttributeSpec{"rows", Count}};
constexpr std::array kRegression = {kKind, AttributeSpec{"delta", Positive, kOptional}};
constexpr std::array kTopK = {AttributeSpec{"k", Count}};
constexpr std::array kThreshold = {AttributeSpec{"threshold", Real}};
constexpr std::array kCounts = {kKind, AttributeSpec{"buckets", Count, kOptional}, AttributeSpec{"threshold", Real, kOptional},
                                AttributeSpec{"k", Count, kOptional}};
constexpr std::array kCast = {AttributeSpec{"dtype", Type}};
constexpr std::array kLossScale = {AttributeSpec{"growth_steps", Count}};
constexpr std::span<const AttributeSpec> kNone;

// In the order of OpKind: kind, name, inputs, attributes, types, gradient, work, updates states.
constexpr std::array<OpRow, kOpKinds> kRows{{
    {OpKind::Input, "input", 0, 0, kInput, inferSource, nullptr, costOfNothing, false},
    {OpKind::State, "state", 0, 0, kState, inferSource, nullptr, costOfNothing, false},
    {OpKind::MatMul, "matmul", 2, 3, kMatMul, inferMatMul, gradientOfMatMul, costOfMatMul, false},
    {OpKind::Conv2D, "conv2d", 2, 3, kConv2D, inferConv2D, gradientOfConv2D, costOfConv2D, false},
    {OpKind::BiasAdd, "bias_add", 2, 2, kNone, inferBiasAdd, gradientOfBiasAdd, costPerElement, false},
    {OpKind::Relu, "relu", 1, 1, kNone, inferRelu, gradientOfRelu, costPerElement, false},
    {OpKind::MaxPool2D, "max_pool2d", 1, 1, kPool, inferMaxPool2D, gradientOfMaxPool2D, costOfPool2D, false},
    {OpKind::Reshape, "reshape", 1, 1, kReshape, inferReshape, gradientOfReshape, costOfNothing, false},
    {OpKind::Add, "add", 2, 2, kNone, inferAdd, gradientOfAdd, costPerElement, false},
    {OpKind::SoftmaxCrossEntropy, "softmax_cross_entropy", 3, 3, kCrossEntropy, inferSoftmaxCrossEntropy, gradientOfSoftmaxCrossEntropy,
     costOfSoftmaxCrossEntropy, false},
    {OpKind::CorrectPredictions, "correct_predictions", 3, 3, kNone, inferCorrectPredictions, nullptr, costPerElement, false},
    {OpKind::ReluGrad, "relu_grad", 2, 2, kNone, inferReluGrad, nullptr, costPerElement, false},
    {OpKind::BiasGrad, "bias_grad", 1, 1, kNone, inferBiasGrad, nullptr, costPerElement, false},
    {OpKind::Conv2DInputGrad, "conv2d_input_grad", 2, 2, kInputGrad, inferConv2DInputGrad, nullptr, costOfConv2DInputGrad, false},
    {OpKind::Conv2DFilterGrad, "conv2d_filter_grad", 2, 2, kFilterGrad, inferConv2DFilterGrad, nullptr, costOfConv2DFilterGrad, false},
    {OpKind::MaxPool2DGrad, "max_pool2d_grad", 3, 3, kPool, inferMaxPool2DGrad, nullptr, costOfPool2DGrad, false},
    {OpKind::SoftmaxCrossEntropyGrad, "softmax_cross_entropy_grad", 3, 3, kCrossEntropy, inferSoftmaxCrossEntropyGrad, nullptr,
     costOfSoftmaxCrossEntropy, false},
    {OpKind::SquareSum, "square_sum", 1, -1, kNone, inferSquareSum, gradientOfSquareSum, costOfSquareSum, false},
    {OpKind::Sqrt, "sqrt", 1, 1, kNone, inferSqrt, nullptr, costPerElement, false},
    {OpKind::AllReduce, "all_reduce", 1, -1, kAllReduce, inferAllReduce, nullptr, costOfAllReduce, false},
    {OpKind::SgdUpdate, "sgd_update", 3, 4, kSgd, inferSgdUpdate, nullptr, costOfSgdUpdate, true},
    {OpKind::AdamUpdate, "adam_update", 6, 7, kAdam, inferAdamUpdate, nullptr, costOfAdamUpdate, true},
    {OpKind::BatchMoments, "batch_moments", 2, 2, kNone, inferBatchMoments, nullptr, costOfBatchMoments, false},
    {OpKind::BatchNormalize, "batch_normalize", 5, 6, kNormalize, inferBatchNormalize, gradientOfBatchNormalize, costOfBatchNormalize,
     false},
    {OpKind::BatchNormReduceGrad, "batch_norm_reduce_grad", 4, 6, kNormalize, inferBatchNormReduceGrad, nullptr, costOfBatchNormReduceGrad,
     false},
    {OpKind::BatchNormInputGrad, "batch_norm_input_grad", 8, 9, kNormalize, inferBatchNormInputGrad, nullptr, costOfBatchNormInputGrad,
     false},
    {OpKind::BatchNormFrozenGrad, "batch_norm_frozen_grad", 3, 4, kNormalize, inferBatchNormFrozenGrad, nullptr, costPerElement, false},
    {OpKind::MovingUpdate, "moving_update", 2, 3, kMoving, inferMovingUpdate, nullptr, costOfMovingUpdate, true},
    {OpKind::AvgPool2D, "avg_pool2d", 1, 1, kPool, inferAvgPool2D, gradientOfAvgPool2D, costOfPool2D, false},
    {OpKind::AvgPool2DGrad, "avg_pool2d_grad", 1, 1, kPoolGrad, inferAvgPool2DGrad, nullptr, costOfPool2DGrad, false},
    {OpKind::Scale, "scale", 1, 1, kFactor, inferScale, gradientOfScale, costPerElement, false},
    {OpKind::AddScaled, "add_scaled", 2, 2, kFactor, inferAddScaled, gradientOfAddScaled, costOfAddScaled, false},
    {OpKind::Mul, "mul", 2, 2, kNone, inferMul, gradientOfMul, costPerElement, false},
    {OpKind::MulScalar, "mul_scalar", 2, 2, kNone, inferMulScalar, gradientOfMulScalar, costPerElement, false},
    {OpKind::ClipByNorm, "clip_by_norm", 2, 2, kLimit, inferClipByNorm, nullptr, costPerElement, false},
    {OpKind::ClipValue, "clip_value", 1, 1, kLimit, inferClipValue, nullptr, costOfClipValue, false},
    {OpKind::RmsPropUpdate, "rmsprop_update", 4, 6, kRmsProp, inferRmsPropUpdate, nullptr, costOfRmsPropUpdate, true},
    {OpKind::AdagradUpdate, "adagrad_update", 4, 4, kAdagrad, inferAdagradUpdate, nullptr, costOfAdagradUpdate, true},
    {OpKind::LionUpdate, "lion_update", 4, 4, kLion, inferLionUpdate, nullptr, costOfLionUpdate, true},
    {OpKind::LambUpdate, "lamb_update", 6, 6, kAdam, inferLambUpdate, nullptr, costOfLambUpdate, true},
    {OpKind::Accumulate, "accumulate", 3, 3, kNone, inferAccumulate, nullptr, costOfAccumulate, true},
    {OpKind::Activate, "activate", 1, 1, kActivate, inferActivate, gradientOfActivate, costOfActivate, false},
    {OpKind::ActivateGrad, "activate_grad", 2, 2, kActivate, inferActivateGrad, nullptr, costOfActivate, false},
    {OpKind::Softmax, "softmax", 1, 1, kNone, inferSoftmax, gradientOfSoftmax, costOfSoftmax, false},
    {OpKind::SoftmaxGrad, "softmax_grad", 2, 2, kNone, inferSoftmaxGrad, nullptr, costOfSoftmax, false},
    {OpKind::LayerNorm, "layer_norm", 3, 3, kLayerNorm, inferLayerNorm, gradientOfLayerNorm, costOfLayerNorm, false},
    {OpKind::LayerNormGrad, "layer_norm_grad", 5, 5, kNone, inferLayerNormGrad, nullptr, costOfLayerNormGrad, false},
    {OpKind::Dropout, "dropout", 3, 3, kDropout, inferDropout, gradientOfDropout, costOfDropout, false},
    {OpKind::Pad, "pad", 1, 1, kPad, inferPad, gradientOfPad, costOfMoving, false},
    {OpKind::Slice, "slice", 1, 1, kSlice, inferSlice, gradientOfSlice, costOfSlice, false},
    {OpKind::Concat, "concat", 1, -1, kConcat, inferConcat, gradientOfConcat, costOfMoving, false},
    {OpKind::Transpose, "transpose", 1, 1, kTranspose, inferTranspose, gradientOfTranspose, costOfMoving, false},
    {OpKind::BatchMatMul, "batch_matmul", 2, 2, kTransposes, inferBatchMatMul, gradientOfBatchMatMul, costOfBatchMatMul, false},
    {OpKind::Gather, "gather", 2, 2, kNone, inferGather, gradientOfGather, costOfGather, false},
    {OpKind::GatherGrad, "gather_grad", 2, 2, kRowsOfTable, inferGatherGrad, nullptr, costOfGatherGrad, false},
    {OpKind::CategoricalCrossEntropy, "categorical_cross_entropy", 3, 3, kCrossEntropy, inferCategoricalCrossEntropy,
     gradientOfCategoricalCrossEntropy, costOfTargets, false},
    {OpKind::CategoricalCrossEntropyGrad, "categorical_cross_entropy_grad", 3, 3, kCrossEntropy, inferCategoricalCrossEntropyGrad, nullptr,
     costOfTargets, false},
    {OpKind::BinaryCrossEntropy, "binary_cross_entropy", 3, 3, kCrossEntropy, inferBinaryCrossEntropy, gradientOfBinaryCrossEntropy,
     costOfTargets, false},
    {OpKind::BinaryCrossEntropyGrad, "binary_cross_entropy_grad", 3, 3, kCrossEntropy, inferBinaryCrossEntropyGrad, nullptr, costOfTargets,
     false},
    {OpKind::RegressionLoss, "regression_loss", 3, 3, kRegression, inferRegressionLoss, gradientOfRegressionLoss, costOfTargets, false},
    {OpKind::RegressionLossGrad, "regression_loss_grad", 3, 3, kRegression, inferRegressionLossGrad, nullptr, costOfTargets, false},
    {OpKind::TopKCorrect, "top_k_correct", 3, 3, kTopK, inferTopKCorrect, nullptr, costPerElement, false},
    {OpKind::BinaryCorrect, "binary_correct", 3, 3, kThreshold, inferBinaryCorrect, nullptr, costPerElement, false},
    {OpKind::CategoricalCorrect, "categorical_correct", 3, 3, kNone, inferCategoricalCorrect, nullptr, costPerElement, false},
    {OpKind::AllFinite, "all_finite", 1, -1, kNone, inferAllFinite, nullptr, costOfSquareSum, false},
    {OpKind::Cast, "cast", 1, 1, kCast, inferCast, gradientOfCast, costOfMoving, false},
    {OpKind::DivScalar, "div_scalar", 2, 2, kNone, inferDivScalar, nullptr, costPerElement, false},
    {OpKind::UpdateIf, "update_if", 1, 1, kNone, inferUpdateIf, nullptr, costOfNothing, false},
    {OpKind::LossScaleUpdate, "loss_scale_update", 4, 4, kLossScale, inferLossScaleUpdate, nullptr, costOfNothing, true},
    {OpKind::AbsSum, "abs_sum", 1, -1, kNone, inferAbsSum, gradientOfAbsSum, costOfSquareSum, false},
    {OpKind::Sign, "sign", 1, 1, kNone, inferSign, nullptr, costPerElement, false},
    {OpKind::ConfusionCounts, "confusion_counts", 3, 3, kCounts, inferConfusionCounts, nullptr, costPerElement, false},
}};

constexpr bool inOrder() {
    for (std::size_t i = 0; i < kRows.size(); ++i) {
        if (static_cast<std::size_t>(kRows[i].kind) != i) return false;
    }
    return true;
}
static_assert(inOrder());

// The States of a loss scale; the first input, and the slots behind lr or behind lr and step.
constexpr std::array<std::size_t, 4> kBehindRate = {0, 3, 4, 5};
constexpr std::array<std::size_t, 4> kBehindStep = {0, 4, 5, 6};
constexpr std::array<std::size_t, 3> kFirstThree = {0, 1, 2};

}  // namespace

const OpRow& opRow(OpKind kind) { return kRows[static_cast<std::size_t>(kind)]; }

const OpRow* findOpRow(std::string_view name) {
    const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const OpRow& r) { return r.name == name; });
    return row == kRows.end() ? nullptr : &*row;
}

std::span<const OpRow> opTable() { return kRows; }

std::span<const std::size_t> stateInputs(const Node& node) {
    const std::size_t inputs = node.inputs.size();
    switch (node.op) {
        case OpKind::SgdUpdate:
        case OpKind::RmsPropUpdate:
        case OpKind::AdagradUpdate:
        case OpKind::LionUpdate: return std::span(kBehindRate).first(inputs - 2);
        case OpKind::AdamUpdate:
        case OpKind::LambUpdate: return std::span(kBehindStep).first(inputs - 3);
        case OpKind::MovingUpdate:
        case OpKind::Accumulate: return std::span(kBehindRate).first(1);
        case OpKind::LossScaleUpdate: return kFirstThree;
        default: return {};
    }
}

bool isOptional(OpKind kind) {
    return opRow(kind).updatesState && kind != OpKind::MovingUpdate && kind != OpKind::Accumulate && kind != OpKind::LossScaleUpdate;
}

OpCost costOf(const Graph& graph, const Node& node) {
    std::vector<TensorType> inputs;
    inputs.reserve(node.inputs.size());
    for (const Value& value : node.inputs) inputs.push_back(graph.type(value));
    return opRow(node.op).cost(inputs, node.outputs, node.attributes);
}

}  // namespace lockstep::graph
