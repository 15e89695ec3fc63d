#include "layer_row.h"

namespace lockstep::nn {

using graph::OpKind;
using graph::Value;

Result<Value> Layer::activate(Value value, std::string_view activation) {
    if (activation.empty() || activation == "linear") return value;
    LS_TRY(needNumbers(value));
    return append(OpKind::Relu, "relu", {value});
}

namespace {

Result<Value> buildActivation(Layer& layer) { return layer.activate(layer.input(), layer.settings().word("activation")); }

Result<Value> buildRelu(Layer& layer) {
    LS_TRY(layer.needNumbers(layer.input()));
    return layer.append(OpKind::Relu, "", {layer.input()});
}

constexpr SettingRow kActivationLayer[] = {{"activation", SettingKind::Activation, ""}};

constexpr LayerRow kRows[] = {
    {{"activation", "Activation", 1, 1, kActivationLayer}, buildActivation},
    {{"re_lu", "ReLU", 1, 1, {}}, buildRelu},
};

}  // namespace

std::span<const LayerRow> activationLayers() { return kRows; }

}  // namespace lockstep::nn
