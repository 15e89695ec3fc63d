// Keras' initializers: which there are, and their values.
#pragma once

#include <nn/layer_table.h>

namespace lockstep::nn {

std::optional<SettingProblem> problemOfInitializer(const Setting& value);

}  // namespace lockstep::nn
