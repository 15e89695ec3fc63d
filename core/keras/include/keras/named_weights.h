// The weights of a model by layer and variable, in Keras' words, instead of by group and index. A variable's name is that of Keras:
// "kernel", "bias", "gamma", "moving_mean", "embeddings"; inside of MultiHeadAttention "query/kernel", "attention_output/bias".
#pragma once

#include <base/result.h>
#include <keras/architecture.h>
#include <keras/keras_file.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::keras {

struct NamedWeight {
    std::string layer;     // LayerConfig::name
    std::string variable;  // "kernel"
    const Tensor* tensor;  // in the file that was given; never null
};

// The variables a layer of this configuration has, in Keras' order.
std::vector<std::string> variablesOf(const LayerConfig& layer);

// All weights, layer by layer. Error C710: a group is missing or has another number of variables than its layer. `file` is for it.
Result<std::vector<NamedWeight>> namedWeights(const KerasFile& model, const Architecture& architecture, const std::string& file);

// The other way, for writing: asks for every variable; nullptr makes the error F659.
using WeightSource = std::function<const Tensor*(const LayerConfig& layer, std::string_view variable)>;
Result<std::vector<WeightGroup>> makeGroups(const Architecture& architecture, const WeightSource& source);

}  // namespace lockstep::keras
