// One value of the table between YAML and the specification.
#pragma once

#include "key_table.h"
#include "yaml_tree.h"

namespace lockstep::spec {

// Reads `node` into `field` by the rules of the row. Errors S303, S304, X009 with the position of the value.
Result<void> readValue(const KeyRow& row, const YamlNode& node, const Field& field);

// The value as YAML (flow style, one line), so that readValue gives it back.
std::string writeValue(const KeyRow& row, const Field& field);

// A text as a YAML scalar, quoted whenever plain style could be read as something else.
std::string quoteText(std::string_view text);

// The tree as JSON text.
std::string toJson(const YamlNode& node);

}  // namespace lockstep::spec
