#include "lowered_ops.h"

namespace lockstep::exec::cpu {

using graph::OpKind;

std::string notLowered(const graph::Node& node) {
    switch (node.op) {
        case OpKind::Input:
        case OpKind::State:
        case OpKind::MatMul:
        case OpKind::Conv2D:
        case OpKind::BiasAdd:
        case OpKind::Relu:
        case OpKind::MaxPool2D:
        case OpKind::Reshape:
        case OpKind::Add:
        case OpKind::CorrectPredictions:
        case OpKind::ReluGrad:
        case OpKind::BiasGrad:
        case OpKind::Conv2DInputGrad:
        case OpKind::Conv2DFilterGrad:
        case OpKind::MaxPool2DGrad:
        case OpKind::SquareSum:
        case OpKind::Sqrt:
        case OpKind::AllReduce:
        case OpKind::BatchMoments:
        case OpKind::BatchNormalize:
        case OpKind::BatchNormReduceGrad:
        case OpKind::BatchNormInputGrad:
        case OpKind::BatchNormFrozenGrad:
        case OpKind::MovingUpdate:
        case OpKind::AvgPool2D:
        case OpKind::AvgPool2DGrad:
        case OpKind::Scale:
        case OpKind::AddScaled:
        case OpKind::Mul:
        case OpKind::MulScalar:
        case OpKind::ClipByNorm:
        case OpKind::ClipValue:
        case OpKind::RmsPropUpdate:
        case OpKind::AdagradUpdate:
        case OpKind::LionUpdate:
        case OpKind::LambUpdate:
        case OpKind::Accumulate:
        case OpKind::SgdUpdate:
        case OpKind::AdamUpdate: return {};
        case OpKind::SoftmaxCrossEntropy:
        case OpKind::SoftmaxCrossEntropyGrad:
            return graph::intAttributeOr(node.attributes, "from_logits", 1) != 0 ? "" : "losses of probabilities run on ref only";
        default: return "it runs on ref only";
    }
}

}  // namespace lockstep::exec::cpu
