// The list of layers of a specification: each a map of class_name, name, inputs and Keras' settings of that class.
#pragma once

#include "key_table.h"
#include "yaml_tree.h"

namespace lockstep::spec {

// Errors S302 to S305, X009 at the position of the key or value; S416 (names and inputs of layers) at that of the list.
Result<std::vector<nn::LayerSpec>> readLayers(const KeyRow& row, const YamlNode& node);

// In flow style, so that readLayers gives it back; null when empty.
std::string writeLayers(const std::vector<nn::LayerSpec>& layers);

// One setting of a layer or callback. Error S303. Written back in flow style.
Result<nn::Setting> readSettingValue(const YamlNode& node, const std::string& key);
std::string writeSettingValue(const nn::Setting& value);

}  // namespace lockstep::spec
