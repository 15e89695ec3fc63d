#include <nn/layer_table.h>

#include "initializers.h"
#include "layer_row.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace lockstep::nn {
namespace {

constexpr SettingRow kTrainable{"trainable", SettingKind::Flag, "true"};
// The words of precision.h.
constexpr SettingRow kDType{"dtype", SettingKind::Word, "null", 0, 0, "float32 mixed_float16 mixed_bfloat16 float16@ bfloat16@ float64@"};

constexpr std::string_view kActivations =
    "linear relu relu6 leaky_relu elu gelu gelu_tanh silu swish tanh sigmoid softmax softplus selu@ softsign@ exponential@ hard_sigmoid@ "
    "mish@ log_softmax@";

constexpr std::array kFamilies = {denseLayers,         convolutionLayers, poolingLayers,  shapeLayers,    mergeLayers,
                                  normalizationLayers, activationLayers,  sequenceLayers, attentionLayers};

// People write these as the activations are called.
std::string_view kindOf(std::string_view word) {
    if (word == "relu") return "re_lu";
    if (word == "leaky_relu") return "leaky_re_lu";
    return word;
}

bool isWithin(const SettingRow& row, double value) { return std::isfinite(value) && value >= row.minimum && value <= row.maximum; }

std::string rangeOf(const SettingRow& row) {
    if (row.maximum >= 1e9) return fmt::format("from {} on", row.minimum);
    return fmt::format("from {} to {}", row.minimum, row.maximum);
}

std::optional<SettingProblem> problemOfWord(const Setting& value, std::string_view choices) {
    SettingProblem problem{"one of", false, {}};
    const auto* word = std::get_if<std::string>(&value);
    while (!choices.empty()) {
        const std::size_t end = std::min(choices.find(' '), choices.size());
        std::string_view choice = choices.substr(0, end);
        choices.remove_prefix(std::min(end + 1, choices.size()));
        const bool built = !choice.ends_with('@');
        if (!built) choice.remove_suffix(1);
        if (word != nullptr && *word == choice) {
            if (built) return std::nullopt;
            problem.notBuilt = true;
        }
        if (built) problem.expected += (problem.expected == "one of" ? " " : ", ") + std::string(choice);
        problem.nearWords += (problem.nearWords.empty() ? "" : " ") + std::string(choice);
    }
    return problem;
}

std::optional<SettingProblem> problemOfList(const SettingRow& row, const Setting& value) {
    const bool any = row.kind == SettingKind::Integers, pair = row.kind == SettingKind::Pair;
    std::vector<std::int64_t> list;
    if (const auto* one = std::get_if<std::int64_t>(&value)) list = {*one};
    if (const auto* many = std::get_if<std::vector<std::int64_t>>(&value)) list = *many;
    const bool length =
        any ? !list.empty() && list.size() < graph::kMaxRank : list.size() == 1 || list.size() == 2 || (!pair && list.size() == 4);
    const bool inRange = std::all_of(list.begin(), list.end(), [&](std::int64_t v) { return isWithin(row, static_cast<double>(v)); });
    if (length && inRange) return std::nullopt;
    const std::string what = any ? "a list of whole numbers " : pair ? "a whole number or two, " : "a whole number, two or four, ";
    return SettingProblem{what + rangeOf(row), false, {}};
}

std::optional<SettingProblem> problemOfRegularizer(const Setting& value) {
    Named named;
    if (const auto* word = std::get_if<std::string>(&value)) named.name = *word;
    if (const auto* given = std::get_if<Named>(&value)) named = *given;
    const bool l1 = named.name == "l1" || named.name == "l1_l2", l2 = named.name == "l2" || named.name == "l1_l2";
    const bool legal = std::all_of(named.arguments.begin(), named.arguments.end(), [&](const auto& argument) {
        return std::isfinite(argument.second) && argument.second >= 0 && ((l1 && argument.first == "l1") || (l2 && argument.first == "l2"));
    });
    if ((l1 || l2) && legal) return std::nullopt;
    return SettingProblem{"null, {name: l1, l1: 0.01}, {name: l2, l2: 0.01} or {name: l1_l2, l1: 0.01, l2: 0.01}", false, "l1 l2 l1_l2"};
}

std::vector<LayerInfo> collectInfos() {
    std::vector<LayerInfo> infos;
    for (const auto family : kFamilies)
        for (const LayerRow& row : family()) infos.push_back(row.info);
    return infos;
}

}  // namespace

std::span<const LayerInfo> layerTable() {
    static const std::vector<LayerInfo> infos = collectInfos();
    return infos;
}

const LayerRow* findRow(std::string_view word) {
    const std::string_view kind = kindOf(word);
    for (const auto family : kFamilies)
        for (const LayerRow& row : family())
            if (row.info.kind == kind || row.info.className == kind) return &row;
    return nullptr;
}

const LayerInfo* findLayer(std::string_view word) {
    const LayerRow* row = findRow(word);
    return row == nullptr ? nullptr : &row->info;
}

const SettingRow* findSetting(const LayerInfo& layer, std::string_view name) {
    if (name == kTrainable.name) return &kTrainable;
    if (name == kDType.name) return &kDType;
    const auto found = std::find_if(layer.settings.begin(), layer.settings.end(), [&](const SettingRow& row) { return row.name == name; });
    return found == layer.settings.end() ? nullptr : &*found;
}

std::vector<std::string> settingNames(const LayerInfo& layer) {
    std::vector<std::string> names;
    for (const SettingRow& row : layer.settings) names.emplace_back(row.name);
    names.emplace_back(kTrainable.name);
    names.emplace_back(kDType.name);
    return names;
}

std::optional<SettingProblem> problemOf(const SettingRow& row, const Setting& value) {
    if (std::holds_alternative<std::monostate>(value) && row.fallback == "null") return std::nullopt;
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    switch (row.kind) {
        case SettingKind::Flag:
            if (std::holds_alternative<bool>(value)) return std::nullopt;
            return SettingProblem{"true or false", false, {}};
        case SettingKind::Integer:
            if (whole != nullptr && isWithin(row, static_cast<double>(*whole))) return std::nullopt;
            return SettingProblem{"a whole number " + rangeOf(row), false, {}};
        case SettingKind::Number:
            if ((whole != nullptr && isWithin(row, static_cast<double>(*whole))) || (real != nullptr && isWithin(row, *real)))
                return std::nullopt;
            return SettingProblem{"a number " + rangeOf(row), false, {}};
        case SettingKind::Word: return problemOfWord(value, row.choices);
        case SettingKind::Activation: return problemOfWord(value, kActivations);
        case SettingKind::Pair:
        case SettingKind::Integers:
        case SettingKind::Margins: return problemOfList(row, value);
        case SettingKind::Initializer: return problemOfInitializer(value);
        case SettingKind::Regularizer: return problemOfRegularizer(value);
    }
    return std::nullopt;
}

}  // namespace lockstep::nn
