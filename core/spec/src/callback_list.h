// The callbacks of a specification: each a word or a map of name and Keras' settings of that callback.
#pragma once

#include "key_table.h"
#include "yaml_tree.h"

namespace lockstep::spec {

// Errors S302 to S305 at the position of the key or value; S307: one callback twice.
Result<std::vector<CallbackSpec>> readCallbacks(const KeyRow& row, const YamlNode& node);

// In flow style, so that readCallbacks gives it back.
std::string writeCallbacks(const std::vector<CallbackSpec>& callbacks);

}  // namespace lockstep::spec
