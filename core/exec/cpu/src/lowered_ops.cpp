#include "lowered_ops.h"

namespace lockstep::exec::cpu {
namespace {

using graph::OpKind;

bool isPlainConvolution(const graph::Node& node) {
    return graph::intAttributeOr(node.attributes, "groups", 1) == 1 &&
           graph::listAttributeOr(node.attributes, "dilations", {1, 1}) == std::vector<std::int64_t>{1, 1};
}

bool isZero(const graph::Node& node, std::string_view attribute) { return graph::doubleAttributeOr(node.attributes, attribute, 0) == 0; }

}  // namespace

std::string notLowered(const graph::Node& node) {
    switch (node.op) {
        case OpKind::Input:
        case OpKind::State:
        case OpKind::MatMul:
        case OpKind::BiasAdd:
        case OpKind::Relu:
        case OpKind::MaxPool2D:
        case OpKind::Reshape:
        case OpKind::Add:
        case OpKind::CorrectPredictions:
        case OpKind::ReluGrad:
        case OpKind::BiasGrad:
        case OpKind::MaxPool2DGrad:
        case OpKind::SquareSum:
        case OpKind::Sqrt:
        case OpKind::AllReduce:
        case OpKind::SgdUpdate:
        case OpKind::AdamUpdate: return {};
        case OpKind::Conv2D:
        case OpKind::Conv2DInputGrad:
        case OpKind::Conv2DFilterGrad: return isPlainConvolution(node) ? "" : "convolutions with groups or dilations run on ref only";
        case OpKind::SoftmaxCrossEntropy:
        case OpKind::SoftmaxCrossEntropyGrad: return isZero(node, "label_smoothing") ? "" : "label smoothing runs on ref only";
        default: return "it runs on ref only";
    }
}

}  // namespace lockstep::exec::cpu
