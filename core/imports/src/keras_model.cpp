#include <imports/keras_model.h>

#include "keras_settings.h"

#include <keras/named_weights.h>

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace lockstep::imports {
namespace {

Error notBuilt(const std::string& file, const std::string& what) {
    return makeError("X009",
                     {{"what", what + " of " + file}, {"why", "Keras has it, but this build has not."}, {"next", "Use another model."}});
}

// What is written in every layer and says nothing about what it computes; the policy of a run is its own setting.
bool isAboutTheObject(std::string_view name) { return name == "name" || name == "dtype" || name == "build_config"; }

// An argument that core/nn does not know, but that has no effect: it is off, or belongs to something that is.
bool hasNoEffect(const keras::LayerConfig& layer, std::string_view name, const keras::Value& value) {
    if (name == "renorm_momentum") {
        const keras::Value* renorm = layer.config.find("renorm");
        return renorm == nullptr || meansNothing(*renorm);
    }
    // Keras writes out which axes attention goes over: all but the first and the last.
    return meansNothing(value) || (name == "attention_axes" && toText(value) == "[1]");
}

Result<nn::Settings> settingsOf(const keras::LayerConfig& layer, const nn::LayerInfo& info, const std::string& file) {
    nn::Settings settings;
    for (const auto& [name, value] : *layer.config.object()) {
        if (isAboutTheObject(name)) continue;
        const nn::SettingRow* row = nn::findSetting(info, name);
        if (row != nullptr && row->kind == nn::SettingKind::Initializer) continue;
        if (row == nullptr && hasNoEffect(layer, name, value)) continue;
        auto setting = row == nullptr ? std::nullopt : settingOf(row->kind, value);
        if (!setting) return notBuilt(file, fmt::format("{}: {} of layer {}", name, toText(value), layer.name));
        settings[name] = std::move(*setting);
    }
    return settings;
}

// The layers it reads, in core/nn's order: as they were given, those given by name behind.
Result<std::vector<std::string>> inputsOf(const keras::LayerConfig& layer, const std::string& input, const std::string& file) {
    constexpr std::array<std::string_view, 3> kAttention = {"query", "value", "key"};
    std::vector<std::string> inputs;
    for (std::size_t i = 0; i < layer.inbound.size(); ++i) {
        const keras::Inbound& inbound = layer.inbound[i];
        const bool inPlace = i < kAttention.size() && inbound.argument == kAttention[i];
        if (!inbound.argument.empty() && inbound.argument != "inputs" && !inPlace)
            return notBuilt(file, fmt::format("the argument {} of the call of layer {}", inbound.argument, layer.name));
        inputs.push_back(inbound.layer == input ? std::string(nn::kInputName) : inbound.layer);
    }
    for (const auto& [name, value] : layer.callArguments)
        if (!meansNothing(value)) return notBuilt(file, fmt::format("{}: {} in the call of layer {}", name, toText(value), layer.name));
    return inputs;
}

// [null, 28, 28, 1] → [28, 28, 1]
Result<void> readInput(const keras::LayerConfig& layer, nn::Architecture& into, const std::string& file) {
    const keras::Value* shape = layer.config.find("batch_shape");
    const keras::Value::List* dims = shape == nullptr ? nullptr : shape->list();
    for (std::size_t i = 1; dims != nullptr && i < dims->size(); ++i) into.inputShape.push_back((*dims)[i].integer().value_or(0));
    if (into.inputShape.empty() || std::ranges::any_of(into.inputShape, [](std::int64_t n) { return n < 1; }))
        return notBuilt(file, fmt::format("the input shape {}", shape == nullptr ? "(none)" : toText(*shape)));
    into.input = layer.config.textOf("dtype").starts_with("int") ? nn::InputKind::Tokens : nn::InputKind::Numbers;
    return {};
}

}  // namespace

Result<nn::Architecture> architectureOf(const keras::KerasFile& model, const std::string& file) {
    LS_TRY_ASSIGN(const keras::Architecture given, keras::parseArchitecture(model.config, file));
    if (given.inputs.size() != 1 || given.outputs.size() != 1)
        return notBuilt(file, fmt::format("a model of {} inputs and {} outputs", given.inputs.size(), given.outputs.size()));
    nn::Architecture architecture;
    const std::string& input = given.inputs.front();
    for (const keras::LayerConfig& layer : given.layers) {
        if (layer.className == "InputLayer") {
            LS_TRY(readInput(layer, architecture, file));
            continue;
        }
        const nn::LayerInfo* info = nn::findLayer(layer.className);
        if (info == nullptr) return notBuilt(file, fmt::format("layer {} ({})", layer.name, layer.className));
        nn::LayerSpec spec{std::string(info->kind), layer.name, {}, {}};
        LS_TRY_ASSIGN(spec.settings, settingsOf(layer, *info, file));
        LS_TRY_ASSIGN(spec.inputs, inputsOf(layer, input, file));
        architecture.layers.push_back(std::move(spec));
    }
    if (given.kind == keras::ModelKind::Functional) architecture.output = given.outputs.front();
    return architecture;
}

Result<std::vector<std::vector<std::byte>>> weightsOf(const keras::KerasFile& model, const nn::Model& built, graph::DType dtype,
                                                      const std::string& file) {
    LS_TRY_ASSIGN(const auto layers, keras::parseArchitecture(model.config, file));
    LS_TRY_ASSIGN(const auto given, keras::namedWeights(model, layers, file));
    std::map<std::string, const keras::Tensor*, std::less<>> byName;
    for (const keras::NamedWeight& weight : given) byName[weight.layer + "/" + weight.variable] = weight.tensor;
    const auto refused = [](std::string what) { return makeError("S413", {{"what", std::move(what)}}); };
    std::vector<std::vector<std::byte>> weights;
    for (const nn::WeightInfo& info : built.weights) {
        if (info.role == nn::WeightRole::Constant) {
            weights.push_back(nn::initialValue(info, 0, 0));
            continue;
        }
        const auto found = byName.find(info.name);
        if (found == byName.end()) return refused(file + " has no " + info.name);
        const keras::Tensor& tensor = *found->second;
        if (tensor.shape != info.type.shape)
            return refused(info.name + " of " + file + " is " + tensor.shape.toText() + ", of the model " + info.type.shape.toText());
        LS_TRY_ASSIGN(auto bytes, keras::convertTo(dtype, tensor));
        weights.push_back(std::move(bytes));
        byName.erase(found);
    }
    if (!byName.empty()) return refused("the model has no " + byName.begin()->first + " of " + file);
    return weights;
}

}  // namespace lockstep::imports
