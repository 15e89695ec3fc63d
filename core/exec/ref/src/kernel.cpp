#include "kernel.h"

namespace lockstep::exec::ref {

using graph::OpKind;

template <class T>
Kernel kernelFor(OpKind op) {
    switch (op) {
        case OpKind::Input:
        case OpKind::State:
        case OpKind::AllReduce: return nullptr;
        case OpKind::MatMul: return matMul<T>;
        case OpKind::Conv2D: return conv2D<T>;
        case OpKind::BiasAdd: return biasAdd<T>;
        case OpKind::Relu: return relu<T>;
        case OpKind::MaxPool2D: return maxPool2D<T>;
        case OpKind::Reshape: return reshape<T>;
        case OpKind::Add: return add<T>;
        case OpKind::SoftmaxCrossEntropy: return softmaxCrossEntropy<T>;
        case OpKind::CorrectPredictions: return correctPredictions<T>;
        case OpKind::ReluGrad: return reluGrad<T>;
        case OpKind::BiasGrad: return biasGrad<T>;
        case OpKind::Conv2DInputGrad: return conv2DInputGrad<T>;
        case OpKind::Conv2DFilterGrad: return conv2DFilterGrad<T>;
        case OpKind::MaxPool2DGrad: return maxPool2DGrad<T>;
        case OpKind::SoftmaxCrossEntropyGrad: return softmaxCrossEntropyGrad<T>;
        case OpKind::SquareSum: return squareSum<T>;
        case OpKind::Sqrt: return squareRoot<T>;
        case OpKind::SgdUpdate: return sgdUpdate<T>;
        case OpKind::AdamUpdate: return adamUpdate<T>;
        case OpKind::BatchMoments: return batchMoments<T>;
        case OpKind::BatchNormalize: return batchNormalize<T>;
        case OpKind::BatchNormReduceGrad: return batchNormReduceGrad<T>;
        case OpKind::BatchNormInputGrad: return batchNormInputGrad<T>;
        case OpKind::BatchNormFrozenGrad: return batchNormFrozenGrad<T>;
        case OpKind::MovingUpdate: return movingUpdate<T>;
        case OpKind::AvgPool2D: return avgPool2D<T>;
        case OpKind::AvgPool2DGrad: return avgPool2DGrad<T>;
        case OpKind::Scale: return scale<T>;
        case OpKind::AddScaled: return addScaled<T>;
        case OpKind::Mul: return multiply<T>;
        case OpKind::MulScalar: return multiplyByScalar<T>;
        case OpKind::ClipByNorm: return clipByNorm<T>;
        case OpKind::ClipValue: return clipValue<T>;
        case OpKind::RmsPropUpdate: return rmsPropUpdate<T>;
        case OpKind::AdagradUpdate: return adagradUpdate<T>;
        case OpKind::LionUpdate: return lionUpdate<T>;
        case OpKind::LambUpdate: return lambUpdate<T>;
        case OpKind::Accumulate: return accumulate<T>;
    }
    return nullptr;
}

template Kernel kernelFor<float>(OpKind);
template Kernel kernelFor<double>(OpKind);

std::size_t scratchDoubles(const Call& call) {
    const auto elements = [](const graph::Shape& shape) { return static_cast<std::size_t>(shape.elements()); };
    switch (call.node->op) {
        case OpKind::MatMul:
        case OpKind::Conv2D: return static_cast<std::size_t>(call.outShape(0).back());
        case OpKind::BiasGrad:
        case OpKind::Conv2DFilterGrad:
        case OpKind::LambUpdate:
        case OpKind::MaxPool2DGrad:
        case OpKind::AvgPool2DGrad: return elements(call.outShape(0));
        case OpKind::Conv2DInputGrad: return elements(call.shape(1)) + static_cast<std::size_t>(call.outShape(0).back());
        case OpKind::BatchMoments: return 2 * elements(call.outShape(0));
        case OpKind::BatchNormReduceGrad: return 3 * elements(call.outShape(0));
        case OpKind::BatchNormalize:
        case OpKind::BatchNormInputGrad:
        case OpKind::BatchNormFrozenGrad: return static_cast<std::size_t>(call.outShape(0).back());
        default: return 0;
    }
}

}  // namespace lockstep::exec::ref
