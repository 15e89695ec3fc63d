// A layer of the table together with what builds it. One file per family defines its rows; layer_table.cpp puts them together.
#pragma once

#include "layer.h"

#include <nn/layer_table.h>

namespace lockstep::nn {

struct LayerRow {
    LayerInfo info;
    // The layer's nodes; gives its result. Precondition: settings and number of inputs are checked.
    Result<graph::Value> (*build)(Layer& layer);
};

std::span<const LayerRow> denseLayers();
std::span<const LayerRow> convolutionLayers();
std::span<const LayerRow> poolingLayers();
std::span<const LayerRow> shapeLayers();
std::span<const LayerRow> mergeLayers();
std::span<const LayerRow> normalizationLayers();
std::span<const LayerRow> activationLayers();
std::span<const LayerRow> sequenceLayers();
std::span<const LayerRow> attentionLayers();

const LayerRow* findRow(std::string_view word);

// Settings that several families share.
inline constexpr SettingRow kUseBias{"use_bias", SettingKind::Flag, "true"};
inline constexpr SettingRow kActivation{"activation", SettingKind::Activation, "null"};
inline constexpr SettingRow kKernelInitializer{"kernel_initializer", SettingKind::Initializer, "glorot_uniform"};
inline constexpr SettingRow kBiasInitializer{"bias_initializer", SettingKind::Initializer, "zeros"};
inline constexpr SettingRow kKernelRegularizer{"kernel_regularizer", SettingKind::Regularizer, "null"};
inline constexpr SettingRow kBiasRegularizer{"bias_regularizer", SettingKind::Regularizer, "null"};
inline constexpr SettingRow kPadding{"padding", SettingKind::Word, "valid", 0, 0, "valid same"};
inline constexpr SettingRow kDataFormat{"data_format", SettingKind::Word, "channels_last", 0, 0, "channels_last channels_first@"};

}  // namespace lockstep::nn
