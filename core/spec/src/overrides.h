// "training.steps=60" on the command line.
#pragma once

#include "yaml_tree.h"

namespace lockstep::spec {

// Sets the value at the dotted path in the tree; missing maps on the way are made, list items must be there ("hosts.0"; the index one
// past the end appends). The value is YAML in flow style; an empty one is null. Error S306.
Result<void> applyOverride(YamlNode& root, const std::string& text);

}  // namespace lockstep::spec
