#include "layer_stack.h"

namespace lockstep::nn {

using graph::OpKind;
using graph::Shape;
using graph::TensorType;
using graph::Value;

namespace {

// A dense or convolution layer on features of another rank than it takes.
Error wrongFeatures(const std::string& layer, const TensorType& given, std::string_view wanted) {
    return makeError("S403", {{"op", layer}, {"what", "its input is " + given.toText() + ", but it takes " + std::string(wanted)}});
}

}  // namespace

Result<LayerStack> LayerStack::create(const ModelOptions& options, std::int64_t rows, graph::DType dtype) {
    LayerStack stack;
    stack.m_dtype = dtype;
    std::vector<std::int64_t> dims = {rows};
    dims.insert(dims.end(), options.inputShape.begin(), options.inputShape.end());
    LS_TRY_ASSIGN(stack.m_top, stack.m_model.forward.input("x", {dtype, Shape(dims)}));
    LS_TRY_ASSIGN(stack.m_labels, stack.m_model.forward.input("labels", {graph::DType::I32, Shape{rows}}));
    LS_TRY_ASSIGN(stack.m_rowWeights, stack.m_model.forward.input("weights", {dtype, Shape{rows}}));
    return stack;
}

Result<void> LayerStack::flatten() {
    const Shape& shape = m_model.forward.type(m_top).shape;
    if (shape.rank() == 2) return {};
    const std::int64_t features = shape.elements() / shape[0];
    return append(OpKind::Reshape, nextName("flatten"), {m_top}, {{"shape", std::vector<std::int64_t>{shape[0], features}}});
}

Result<void> LayerStack::dense(std::int64_t units, Activation activation) {
    const std::string name = nextName("dense");
    const TensorType& type = m_model.forward.type(m_top);
    if (type.shape.rank() != 2) return wrongFeatures(name, type, "[rows, features]");
    LS_TRY_ASSIGN(const Value kernel, weight(name + "/kernel", {type.shape[1], units}, "glorot_uniform"));
    LS_TRY(append(OpKind::MatMul, name + "/matmul", {m_top, kernel}));
    return finishLayer(name, units, activation);
}

Result<void> LayerStack::conv2d(std::int64_t filters, std::int64_t size, Activation activation) {
    const std::string name = nextName("conv2d");
    const TensorType& type = m_model.forward.type(m_top);
    if (type.shape.rank() != 4) return wrongFeatures(name, type, "[rows, height, width, channels]");
    LS_TRY_ASSIGN(const Value kernel, weight(name + "/kernel", {size, size, type.shape[3], filters}, "glorot_uniform"));
    LS_TRY(append(OpKind::Conv2D, name + "/conv2d", {m_top, kernel},
                  {{"strides", std::vector<std::int64_t>{1, 1}}, {"padding", std::string("valid")}}));
    return finishLayer(name, filters, activation);
}

Result<void> LayerStack::maxPool2d(std::int64_t size) {
    const std::vector<std::int64_t> window = {size, size};
    return append(OpKind::MaxPool2D, nextName("max_pooling2d"), {m_top},
                  {{"window", window}, {"strides", window}, {"padding", std::string("valid")}});
}

Result<Model> LayerStack::finish(std::int64_t classes) {
    graph::Graph& forward = m_model.forward;
    const Value logits = m_top;
    if (forward.type(logits).shape.rank() != 2 || forward.type(logits).shape[1] != classes) {
        return wrongFeatures("logits", forward.type(logits), "[rows, " + std::to_string(classes) + "]");
    }
    LS_TRY_ASSIGN(const auto loss, forward.append(OpKind::SoftmaxCrossEntropy, "loss", {logits, m_labels, m_rowWeights}));
    LS_TRY_ASSIGN(const auto correct, forward.append(OpKind::CorrectPredictions, "correct", {logits, m_labels, m_rowWeights}));
    forward.setOutput("logits", logits);
    forward.setOutput("loss", {loss, 0});
    forward.setOutput("correct", {correct, 0});
    return std::move(m_model);
}

std::string LayerStack::nextName(std::string_view layer) {
    const int before = m_counts.emplace(layer, 0).first->second++;
    return before == 0 ? std::string(layer) : std::string(layer) + "_" + std::to_string(before);
}

Result<Value> LayerStack::weight(const std::string& name, Shape shape, std::string initializer) {
    TensorType type{m_dtype, std::move(shape)};
    LS_TRY_ASSIGN(const Value value, m_model.forward.state(name, type, "weight"));
    m_model.weights.push_back({name, std::move(type), std::move(initializer)});
    return value;
}

Result<void> LayerStack::append(OpKind op, std::string name, std::vector<Value> inputs, graph::Attributes attributes) {
    LS_TRY_ASSIGN(const auto id, m_model.forward.append(op, std::move(name), std::move(inputs), std::move(attributes)));
    m_top = {id, 0};
    return {};
}

Result<void> LayerStack::finishLayer(const std::string& name, std::int64_t units, Activation activation) {
    LS_TRY_ASSIGN(const Value bias, weight(name + "/bias", {units}, "zeros"));
    LS_TRY(append(OpKind::BiasAdd, name + "/bias_add", {m_top, bias}));
    if (activation == Activation::Linear) return {};
    return append(OpKind::Relu, name + "/relu", {m_top});
}

}  // namespace lockstep::nn
