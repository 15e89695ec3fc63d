#include "layer_row.h"

#include <algorithm>
#include <array>

namespace lockstep::nn {

using graph::OpKind;
using graph::Value;

namespace {

// Keras' words and the kinds of Activate; alpha where Keras' function has one by default.
struct ActivationRow {
    std::string_view name;
    std::string_view kind;
    double alpha = 0;
};
constexpr std::array<ActivationRow, 10> kKinds{{{"relu6", "relu6"},
                                                {"leaky_relu", "leaky_relu", 0.2},
                                                {"elu", "elu", 1},
                                                {"gelu", "gelu"},
                                                {"silu", "silu"},
                                                {"swish", "silu"},
                                                {"tanh", "tanh"},
                                                {"sigmoid", "sigmoid"},
                                                {"softplus", "softplus"},
                                                {"gelu_tanh", "gelu_tanh"}}};

bool hasAlpha(std::string_view kind) { return kind == "leaky_relu" || kind == "elu"; }

Result<Value> appendKind(Layer& layer, std::string_view part, Value value, std::string_view kind, double alpha) {
    graph::Attributes attributes = {{"kind", std::string(kind)}};
    // TensorFlow keeps the slope as a float32.
    if (kind == "leaky_relu") alpha = static_cast<double>(static_cast<float>(alpha));
    if (hasAlpha(kind)) attributes.emplace("alpha", alpha);
    return layer.append(OpKind::Activate, part, {value}, std::move(attributes));
}

}  // namespace

Result<Value> Layer::activate(Value value, std::string_view activation) {
    if (activation.empty() || activation == "linear") return value;
    LS_TRY(needNumbers(value));
    if (activation == "relu") return append(OpKind::Relu, "relu", {value});
    if (activation == "softmax") return append(OpKind::Softmax, "softmax", {value});
    const auto row = std::find_if(kKinds.begin(), kKinds.end(), [&](const ActivationRow& one) { return one.name == activation; });
    return appendKind(*this, row->name, value, row->kind, row->alpha);
}

namespace {

Result<Value> buildActivation(Layer& layer) { return layer.activate(layer.input(), layer.settings().word("activation")); }

// Keras' ReLU has three settings; the forms that are built: max(x, 0), with a top of 6, and with a slope below 0.
Result<Value> buildRelu(Layer& layer) {
    const LayerSettings& settings = layer.settings();
    LS_TRY(layer.needNumbers(layer.input()));
    const double slope = settings.number("negative_slope");
    const bool capped = settings.has("max_value");
    if (settings.number("threshold") != 0) return layer.notBuilt("threshold above 0", "Leave it at 0.");
    if (capped && (settings.number("max_value") != 6 || slope != 0))
        return layer.notBuilt("a max_value other than 6, or together with negative_slope", "Use max_value: 6 or none.");
    if (capped) return appendKind(layer, "", layer.input(), "relu6", 0);
    if (slope != 0) return appendKind(layer, "", layer.input(), "leaky_relu", slope);
    return layer.append(OpKind::Relu, "", {layer.input()});
}

Result<Value> buildLeakyRelu(Layer& layer) {
    LS_TRY(layer.needNumbers(layer.input()));
    return appendKind(layer, "", layer.input(), "leaky_relu", layer.settings().number("negative_slope"));
}

Result<Value> buildElu(Layer& layer) {
    LS_TRY(layer.needNumbers(layer.input()));
    return appendKind(layer, "", layer.input(), "elu", layer.settings().number("alpha"));
}

Result<Value> buildSoftmax(Layer& layer) {
    LS_TRY(layer.needNumbers(layer.input()));
    const auto rank = static_cast<std::int64_t>(layer.shape(layer.input()).rank());
    const std::vector<std::int64_t> axis = layer.settings().integers("axis");
    if (axis.size() != 1 || (axis[0] != -1 && axis[0] != rank - 1))
        return layer.notBuilt("axis: " + toText(Setting(axis)), "Use axis: -1, the last one.");
    return layer.append(OpKind::Softmax, "", {layer.input()});
}

constexpr SettingRow kActivationLayer[] = {{"activation", SettingKind::Activation, ""}};
constexpr SettingRow kRelu[] = {{"max_value", SettingKind::Number, "null"},
                                {"negative_slope", SettingKind::Number, "0", 0, 1},
                                {"threshold", SettingKind::Number, "0"}};
constexpr SettingRow kLeaky[] = {{"negative_slope", SettingKind::Number, "0.3", 0, 1}};
constexpr SettingRow kElu[] = {{"alpha", SettingKind::Number, "1"}};
constexpr SettingRow kSoftmax[] = {{"axis", SettingKind::Integers, "-1", -8, 8}};

constexpr LayerRow kRows[] = {
    {{"activation", "Activation", 1, 1, kActivationLayer}, buildActivation},
    {{"elu", "ELU", 1, 1, kElu}, buildElu},
    {{"leaky_re_lu", "LeakyReLU", 1, 1, kLeaky}, buildLeakyRelu},
    {{"re_lu", "ReLU", 1, 1, kRelu}, buildRelu},
    {{"softmax", "Softmax", 1, 1, kSoftmax}, buildSoftmax},
};

}  // namespace

std::span<const LayerRow> activationLayers() { return kRows; }

}  // namespace lockstep::nn
