// One argument of a Keras layer as a setting of core/nn.
#pragma once

#include <keras/value.h>
#include <nn/layer_table.h>

#include <optional>

namespace lockstep::imports {

// Nothing when the value has no form that the setting could take; whether it is legal is for nn::completed().
std::optional<nn::Setting> settingOf(nn::SettingKind kind, const keras::Value& value);

// Whether an argument that core/nn does not know changes nothing: Keras' default of all such.
bool meansNothing(const keras::Value& value);

// For errors: `{"name": [1, 2]}` shortened.
std::string toText(const keras::Value& value);

}  // namespace lockstep::imports
