#include <nn/precision.h>

#include "layer_settings.h"

#include <nn/layer_table.h>
#include <nn/presets.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace lockstep::nn {

using graph::DType;

namespace {

struct PolicyRow {
    std::string_view name;
    DType compute;
};
constexpr std::array<PolicyRow, 3> kPolicies = {{{kFloat32, DType::F32}, {kMixedFloat16, DType::F16}, {kMixedBfloat16, DType::BF16}}};

std::string activationOf(const LayerSpec& layer, const LayerSettings& settings) {
    if (layer.kind == "softmax") return "softmax";
    return findSetting(*findLayer(layer.kind), "activation") == nullptr ? std::string() : settings.word("activation");
}

}  // namespace

std::vector<std::string> policyNames() {
    std::vector<std::string> names;
    for (const PolicyRow& row : kPolicies) names.emplace_back(row.name);
    return names;
}

std::optional<DType> computeTypeOf(std::string_view policy) {
    const auto row = std::find_if(kPolicies.begin(), kPolicies.end(), [&](const PolicyRow& one) { return one.name == policy; });
    return row == kPolicies.end() ? std::nullopt : std::optional(row->compute);
}

void keepOutputFloat32(Architecture& architecture) {
    for (LayerSpec& layer : architecture.layers) {
        const bool isOutput = architecture.output.empty() ? &layer == &architecture.layers.back() : layer.name == architecture.output;
        if (isOutput) layer.settings.emplace("dtype", std::string(kFloat32));
    }
}

std::vector<std::string> precisionWarnings(const ModelOptions& options) {
    std::vector<std::string> warnings;
    if (!options.architecture) return warnings;
    const auto architecture = completed(*options.architecture);
    if (!architecture.ok()) return warnings;
    for (const LayerSpec& layer : architecture->layers) {
        const LayerSettings settings(*findLayer(layer.kind), layer.settings);
        const std::string own = settings.word("dtype");
        const auto compute = computeTypeOf(own.empty() ? options.policy : own);
        if (!compute || !graph::is16Bit(*compute)) continue;
        const std::string type = *compute == DType::F16 ? "float16" : "bfloat16";
        const bool softmax = activationOf(layer, settings) == "softmax";
        if (layer.name == architecture->output)
            warnings.push_back(
                fmt::format("The model's result, {} layer {}, is {}: {}. Give that layer dtype: float32, as Keras' guide says.",
                            softmax ? "the softmax of" : "of", layer.name, type,
                            softmax ? "small probabilities round to 0, and the loss can't see them" : "the loss sees rounded logits"));
        else if (softmax && *compute == DType::F16)
            warnings.push_back(
                fmt::format("The softmax of layer {} runs in float16: what is below 6e-8 becomes 0. Give it dtype: float32.", layer.name));
    }
    return warnings;
}

}  // namespace lockstep::nn
