#include <nn/architecture.h>

#include "layer_row.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::nn {
namespace {

std::string labelOf(const LayerSpec& layer, std::size_t place) {
    return layer.name.empty() ? fmt::format("{} (number {})", layer.kind, place + 1) : layer.name;
}

Error wrongSetting(const std::string& layer, std::string what) { return makeError("S415", {{"layer", layer}, {"what", std::move(what)}}); }

Error wrongList(std::string what) { return makeError("S416", {{"what", std::move(what)}}); }

Result<void> checkSettings(const LayerSpec& layer, const LayerInfo& info, const std::string& label) {
    for (const auto& [name, value] : layer.settings) {
        const SettingRow* row = findSetting(info, name);
        if (row == nullptr)
            return wrongSetting(label, fmt::format("there is no setting \"{}\"; it has {}", name, fmt::join(settingNames(info), ", ")));
        const auto problem = problemOf(*row, value);
        if (!problem) continue;
        if (problem->notBuilt) {
            return makeError("X009", {{"what", fmt::format("Layer {}: {}: {}", label, name, toText(value))},
                                      {"why", "Keras has it, but this build has not."},
                                      {"next", fmt::format("Use {}.", problem->expected)}});
        }
        return wrongSetting(label, fmt::format("{} must be {}, not {}", name, problem->expected, toText(value)));
    }
    for (const SettingRow& row : info.settings) {
        if (row.fallback.empty() && !layer.settings.contains(row.name)) return wrongSetting(label, fmt::format("{} is missing", row.name));
    }
    return {};
}

Result<void> checkInputs(const LayerSpec& layer, const LayerInfo& info, const std::set<std::string, std::less<>>& known) {
    const int count = static_cast<int>(layer.inputs.size());
    if (count < info.minInputs || (info.maxInputs >= 0 && count > info.maxInputs)) {
        const std::string wanted = info.maxInputs < 0                 ? fmt::format("at least {}", info.minInputs)
                                   : info.minInputs == info.maxInputs ? std::to_string(info.minInputs)
                                                                      : fmt::format("{} to {}", info.minInputs, info.maxInputs);
        return wrongList(fmt::format("layer {} takes {} inputs, not {}", layer.name, wanted, count));
    }
    for (const std::string& input : layer.inputs) {
        if (!known.contains(input)) return wrongList(fmt::format("layer {} reads \"{}\", which is no layer before it", layer.name, input));
    }
    return {};
}

// Keras' automatic names: "conv2d", "conv2d_1", … among the layers that have none of their own.
class Names {
public:
    explicit Names(const std::vector<LayerSpec>& layers) {
        for (const LayerSpec& layer : layers) m_given.insert(layer.name);
    }
    std::string next(std::string_view kind) {
        for (;;) {
            const int number = m_counts.emplace(kind, 0).first->second++;
            std::string name = number == 0 ? std::string(kind) : fmt::format("{}_{}", kind, number);
            if (!m_given.contains(name)) return name;
        }
    }

private:
    std::set<std::string, std::less<>> m_given;
    std::map<std::string, int, std::less<>> m_counts;
};

bool isName(std::string_view name) {
    return std::none_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; });
}

}  // namespace

double Named::argumentOr(std::string_view key, double fallback) const {
    const auto found = arguments.find(key);
    return found == arguments.end() ? fallback : found->second;
}

Result<Architecture> completed(const Architecture& architecture) {
    Architecture result = architecture;
    if (result.layers.empty()) return wrongList("there is no layer");
    Names names(result.layers);
    std::set<std::string, std::less<>> known = {std::string(kInputName)};
    std::string before(kInputName);
    for (std::size_t i = 0; i < result.layers.size(); ++i) {
        LayerSpec& layer = result.layers[i];
        const std::string label = labelOf(layer, i);
        const LayerInfo* info = findLayer(layer.kind);
        if (info == nullptr) return wrongSetting(label, fmt::format("there is no layer of kind \"{}\"", layer.kind));
        layer.kind = info->kind;
        LS_TRY(checkSettings(layer, *info, label));
        if (layer.name.empty()) layer.name = names.next(info->kind);
        if (!isName(layer.name)) return wrongList(fmt::format("layer number {} has a name with unusual letters", i + 1));
        if (layer.inputs.empty()) layer.inputs = {before};
        LS_TRY(checkInputs(layer, *info, known));
        if (!known.insert(layer.name).second) return wrongList(fmt::format("two layers are named \"{}\"", layer.name));
        before = layer.name;
    }
    if (result.output.empty()) result.output = before;
    if (!known.contains(result.output)) return wrongList(fmt::format("the output \"{}\" is no layer", result.output));
    return result;
}

Architecture architectureOf(std::vector<LayerSpec> layers, std::vector<std::int64_t> inputShape) {
    Architecture model{std::move(inputShape), InputKind::Numbers, std::move(layers), {}};
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
        const LayerSpec& layer = model.layers[i];
        const bool reads = layer.inputs.empty() ? i == 0 : layer.inputs.front() == kInputName;
        const LayerInfo* info = findLayer(layer.kind);
        if (reads && info != nullptr && info->kind == "embedding") model.input = InputKind::Tokens;
    }
    return model;
}

}  // namespace lockstep::nn
