// Layers one after the other, as keras.Sequential: each takes the result of the one before. Names and defaults are Keras'.
#pragma once

#include <nn/model.h>

#include <map>
#include <string_view>

namespace lockstep::nn {

enum class Activation { Linear, Relu };

class LayerStack {
public:
    // Adds the Inputs x, labels and weights.
    static Result<LayerStack> create(const ModelOptions& options, std::int64_t rows, graph::DType dtype);

    Result<void> flatten();                                         // [rows, everything]; nothing to do on one feature axis
    Result<void> dense(std::int64_t units, Activation activation);  // kernel [in, units], bias
    Result<void> conv2d(std::int64_t filters, std::int64_t size, Activation activation);  // size × size, stride 1, valid, with bias
    Result<void> maxPool2d(std::int64_t size);                                            // size × size, stride size, valid

    // The result is the logits: adds loss and hits. Leaves the stack empty.
    Result<Model> finish(std::int64_t classes);

private:
    LayerStack() = default;
    // "dense", "dense_1", …
    std::string nextName(std::string_view layer);
    Result<graph::Value> weight(const std::string& name, graph::Shape shape, std::string initializer);
    Result<void> append(graph::OpKind op, std::string name, std::vector<graph::Value> inputs, graph::Attributes attributes = {});
    // + bias, then the activation.
    Result<void> finishLayer(const std::string& name, std::int64_t units, Activation activation);

    Model m_model;
    graph::DType m_dtype{};
    graph::Value m_top;
    graph::Value m_labels;
    graph::Value m_rowWeights;
    std::map<std::string, int, std::less<>> m_counts;
};

}  // namespace lockstep::nn
