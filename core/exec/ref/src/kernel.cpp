#include "kernel.h"

#include <algorithm>
#include <ranges>

namespace lockstep::exec::ref {

using graph::OpKind;

namespace {

struct Row {
    OpKind op;
    Kernel kernel;
};

template <class T>
constexpr Row kRows[] = {
    {OpKind::MatMul, matMul<T>},
    {OpKind::Conv2D, conv2D<T>},
    {OpKind::BiasAdd, biasAdd<T>},
    {OpKind::Relu, relu<T>},
    {OpKind::MaxPool2D, maxPool2D<T>},
    {OpKind::Reshape, reshape<T>},
    {OpKind::Add, add<T>},
    {OpKind::SoftmaxCrossEntropy, softmaxCrossEntropy<T>},
    {OpKind::CorrectPredictions, correctPredictions<T>},
    {OpKind::ReluGrad, reluGrad<T>},
    {OpKind::BiasGrad, biasGrad<T>},
    {OpKind::Conv2DInputGrad, conv2DInputGrad<T>},
    {OpKind::Conv2DFilterGrad, conv2DFilterGrad<T>},
    {OpKind::MaxPool2DGrad, maxPool2DGrad<T>},
    {OpKind::SoftmaxCrossEntropyGrad, softmaxCrossEntropyGrad<T>},
    {OpKind::SquareSum, squareSum<T>},
    {OpKind::Sqrt, squareRoot<T>},
    {OpKind::SgdUpdate, sgdUpdate<T>},
    {OpKind::AdamUpdate, adamUpdate<T>},
    {OpKind::BatchMoments, batchMoments<T>},
    {OpKind::BatchNormalize, batchNormalize<T>},
    {OpKind::BatchNormReduceGrad, batchNormReduceGrad<T>},
    {OpKind::BatchNormInputGrad, batchNormInputGrad<T>},
    {OpKind::BatchNormFrozenGrad, batchNormFrozenGrad<T>},
    {OpKind::MovingUpdate, movingUpdate<T>},
    {OpKind::AvgPool2D, avgPool2D<T>},
    {OpKind::AvgPool2DGrad, avgPool2DGrad<T>},
    {OpKind::Scale, scale<T>},
    {OpKind::AddScaled, addScaled<T>},
    {OpKind::Mul, multiply<T>},
    {OpKind::MulScalar, multiplyByScalar<T>},
    {OpKind::ClipByNorm, clipByNorm<T>},
    {OpKind::ClipValue, clipValue<T>},
    {OpKind::RmsPropUpdate, rmsPropUpdate<T>},
    {OpKind::AdagradUpdate, adagradUpdate<T>},
    {OpKind::LionUpdate, lionUpdate<T>},
    {OpKind::LambUpdate, lambUpdate<T>},
    {OpKind::Accumulate, accumulate<T>},
    {OpKind::Activate, activate<T>},
    {OpKind::ActivateGrad, activateGrad<T>},
    {OpKind::Softmax, softmax<T>},
    {OpKind::SoftmaxGrad, softmaxGrad<T>},
    {OpKind::LayerNorm, layerNorm<T>},
    {OpKind::LayerNormGrad, layerNormGrad<T>},
    {OpKind::Dropout, dropout<T>},
    {OpKind::Pad, pad<T>},
    {OpKind::Slice, slice<T>},
    {OpKind::Concat, concat<T>},
    {OpKind::Transpose, transpose<T>},
    {OpKind::BatchMatMul, batchMatMul<T>},
    {OpKind::Gather, gather<T>},
    {OpKind::GatherGrad, gatherGrad<T>},
    {OpKind::CategoricalCrossEntropy, categoricalCrossEntropy<T>},
    {OpKind::CategoricalCrossEntropyGrad, categoricalCrossEntropyGrad<T>},
    {OpKind::BinaryCrossEntropy, binaryCrossEntropy<T>},
    {OpKind::BinaryCrossEntropyGrad, binaryCrossEntropyGrad<T>},
    {OpKind::RegressionLoss, regressionLoss<T>},
    {OpKind::RegressionLossGrad, regressionLossGrad<T>},
    {OpKind::TopKCorrect, topKCorrect<T>},
    {OpKind::BinaryCorrect, binaryCorrect<T>},
    {OpKind::ConfusionCounts, confusionCounts<T>},
    {OpKind::CategoricalCorrect, categoricalCorrect<T>},
    {OpKind::AllFinite, allFinite<T>},
    {OpKind::Cast, cast<T>},
    {OpKind::DivScalar, divideByScalar<T>},
    {OpKind::UpdateIf, updateIf<T>},
    {OpKind::LossScaleUpdate, lossScaleUpdate<T>},
    {OpKind::AbsSum, absSum<T>},
    {OpKind::Sign, sign<T>},
};

}  // namespace

template <class T>
Kernel kernelFor(OpKind op) {
    const auto row = std::ranges::find(kRows<T>, op, &Row::op);
    return row == std::ranges::end(kRows<T>) ? nullptr : row->kernel;
}

template Kernel kernelFor<float>(OpKind);
template Kernel kernelFor<double>(OpKind);

std::size_t scratchDoubles(const Call& call) {
    const auto elements = [](const graph::Shape& shape) { return static_cast<std::size_t>(shape.elements()); };
    switch (call.node->op) {
        case OpKind::MatMul:
        case OpKind::BatchMatMul:
        case OpKind::Conv2D: return static_cast<std::size_t>(call.outShape(0).back());
        case OpKind::BiasGrad:
        case OpKind::Conv2DFilterGrad:
        case OpKind::LambUpdate:
        case OpKind::GatherGrad:
        case OpKind::MaxPool2DGrad:
        case OpKind::AvgPool2DGrad: return elements(call.outShape(0));
        case OpKind::Conv2DInputGrad: return elements(call.shape(1)) + static_cast<std::size_t>(call.outShape(0).back());
        case OpKind::LayerNormGrad: return 2 * elements(call.outShape(1));
        case OpKind::BatchMoments: return 2 * elements(call.outShape(0));
        case OpKind::BatchNormReduceGrad: return 3 * elements(call.outShape(0));
        case OpKind::BatchNormalize:
        case OpKind::BatchNormInputGrad:
        case OpKind::BatchNormFrozenGrad: return static_cast<std::size_t>(call.outShape(0).back());
        default: return 0;
    }
}

}  // namespace lockstep::exec::ref
