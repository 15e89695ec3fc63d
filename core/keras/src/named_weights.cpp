#include <keras/named_weights.h>

namespace lockstep::keras {
namespace {

// Variables that Keras keeps together: below the layer's group, if `inside` is not empty.
struct Part {
    std::string inside;  // "query_dense"
    std::string name;    // of the inner layer: "query"
    std::vector<std::string> variables;
};

// Keras' default for all of these is true.
bool isOn(const LayerConfig& layer, std::string_view flag) {
    const Value* value = layer.config.find(flag);
    return value == nullptr || value->boolean().value_or(true);
}

std::vector<Part> attentionParts(bool bias) {
    std::vector<Part> parts;
    for (const auto& [inside, name] :
         {std::pair{"query_dense", "query"}, {"key_dense", "key"}, {"value_dense", "value"}, {"output_dense", "attention_output"}})
        parts.push_back({inside, name, bias ? std::vector<std::string>{"kernel", "bias"} : std::vector<std::string>{"kernel"}});
    return parts;
}

std::vector<Part> partsOf(const LayerConfig& layer) {
    const std::string& name = layer.className;
    if (name == "MultiHeadAttention") return attentionParts(isOn(layer, "use_bias"));
    std::vector<std::string> variables;
    const auto addIf = [&](bool there, const char* variable) {
        if (there) variables.emplace_back(variable);
    };
    const bool separable = name == "SeparableConv2D", normal = name == "BatchNormalization" || name == "LayerNormalization";
    const bool linear = name == "Dense" || name == "Conv2D" || name == "DepthwiseConv2D";
    addIf(separable, "depthwise_kernel");
    addIf(separable, "pointwise_kernel");
    addIf(linear, "kernel");
    addIf((linear || separable) && isOn(layer, "use_bias"), "bias");
    addIf(normal && isOn(layer, "scale"), "gamma");
    addIf(normal && isOn(layer, "center"), "beta");
    addIf(name == "BatchNormalization", "moving_mean");
    addIf(name == "BatchNormalization", "moving_variance");
    addIf(name == "Embedding", "embeddings");
    return {{"", layer.name, std::move(variables)}};
}

std::string pathOf(const std::string& group, const Part& part) { return part.inside.empty() ? group : group + "/" + part.inside; }

std::string variableOf(const Part& part, const std::string& variable) {
    return part.inside.empty() ? variable : part.name + "/" + variable;
}

}  // namespace

std::vector<std::string> variablesOf(const LayerConfig& layer) {
    std::vector<std::string> names;
    for (const Part& part : partsOf(layer))
        for (const auto& variable : part.variables) names.push_back(variableOf(part, variable));
    return names;
}

Result<std::vector<NamedWeight>> namedWeights(const KerasFile& model, const Architecture& architecture, const std::string& file) {
    const auto groups = weightGroups(architecture);
    std::vector<NamedWeight> weights;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const LayerConfig& layer = architecture.layers[i];
        for (const Part& part : partsOf(layer)) {
            if (part.variables.empty()) continue;
            const std::string path = pathOf(groups[i], part);
            const WeightGroup* group = findGroup(model.groups, path);
            const std::size_t found = group != nullptr ? group->tensors.size() : 0;
            if (found != part.variables.size())
                return makeError("C710", {{"file", file},
                                          {"layer", layer.name},
                                          {"what", "group " + path + " has " + std::to_string(found) + " variables, not " +
                                                       std::to_string(part.variables.size())}});
            for (std::size_t k = 0; k < found; ++k)
                weights.push_back({layer.name, variableOf(part, part.variables[k]), &group->tensors[k]});
        }
    }
    return weights;
}

Result<std::vector<WeightGroup>> makeGroups(const Architecture& architecture, const WeightSource& source) {
    const auto names = weightGroups(architecture);
    std::vector<WeightGroup> groups;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const LayerConfig& layer = architecture.layers[i];
        if (names[i].empty()) continue;
        groups.push_back({names[i], layer.name, {}});
        for (const Part& part : partsOf(layer)) {
            if (!part.inside.empty()) groups.push_back({pathOf(names[i], part), part.name, {}});
            for (const auto& variable : part.variables) {
                const Tensor* tensor = source(layer, variableOf(part, variable));
                if (tensor == nullptr) return makeError("F659", {{"what", layer.name + " has no " + variableOf(part, variable)}});
                groups.back().tensors.push_back(*tensor);
            }
        }
    }
    return groups;
}

}  // namespace lockstep::keras
