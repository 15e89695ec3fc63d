// One layer while it is built into a graph: its settings, its inputs, and the nodes and weights it adds.
#pragma once

#include "layer_settings.h"
#include "model_builder.h"

namespace lockstep::nn {

class Layer {
public:
    Layer(ModelBuilder& model, const LayerInfo& info, const LayerSpec& spec)
        : m_model(model), m_spec(spec), m_settings(info, spec.settings) {}
    // Numbers are cast to the compute type. Before anything else.
    Result<void> take(const std::vector<graph::Value>& inputs);

    const std::string& name() const { return m_spec.name; }
    const LayerSettings& settings() const { return m_settings; }
    ModelBuilder& model() { return m_model; }
    const std::vector<graph::Value>& inputs() const { return m_inputs; }
    graph::Value input() const { return m_inputs.front(); }
    const graph::TensorType& type(graph::Value value) const { return m_model.graph().type(value); }
    const graph::Shape& shape(graph::Value value) const { return type(value).shape; }
    bool trains() const { return m_settings.flag("trainable"); }
    // What its policy computes in.
    graph::DType compute() const { return m_model.computeType(m_settings.word("dtype")); }

    // A node named "<layer>/<part>", or as the layer itself when `part` is empty. Its first output.
    Result<graph::Value> append(graph::OpKind op, std::string_view part, std::vector<graph::Value> inputs,
                                graph::Attributes attributes = {});
    Result<graph::Value> reshape(std::string_view part, graph::Value value, std::vector<std::int64_t> dims);

    // A weight "<layer>/<part>", initialised by the setting "<setting>_initializer", with the regularizer "<setting>_regularizer". In
    // the compute type, as Keras' autocast gives it; variable() is the State itself.
    Result<graph::Value> weight(std::string_view part, graph::Shape shape, std::string_view setting);
    // `part` is "kernel" or "bias", or ends in it ("query/kernel"): the settings are those of that word.
    Result<graph::Value> weight(std::string_view part, graph::Shape shape);
    Result<graph::Value> variable(std::string_view part, graph::Shape shape, std::string_view setting);
    Result<graph::Value> variable(std::string_view part, graph::Shape shape, Named initializer, WeightRole role);

    // + bias [last axis] if the layer uses one, then its activation.
    Result<graph::Value> finish(graph::Value value);
    // Keras' activation by name; null and linear leave the value as it is.
    Result<graph::Value> activate(graph::Value value, std::string_view activation);
    // While training; else the value as it is. Each dropout of a model has its own seed, unless the layer sets one.
    Result<graph::Value> dropout(std::string_view part, graph::Value value, double rate);

    // Error S403: "<layer>: its input is f32[32, 10], but it takes <wanted>".
    Error wrongInput(graph::Value value, std::string_view wanted) const;
    Error wrong(std::string what) const;
    // Error X009: Keras has it, this build has not.
    Error notBuilt(const std::string& what, std::string instead) const;
    // `features`: what one takes for an input of that rank, as "[rows, height, width, channels]".
    Result<void> needRank(graph::Value value, std::size_t rank, std::string_view features) const;
    Result<void> needNumbers(graph::Value value) const;

private:
    ModelBuilder& m_model;
    const LayerSpec& m_spec;
    LayerSettings m_settings;
    std::vector<graph::Value> m_inputs;
};

}  // namespace lockstep::nn
