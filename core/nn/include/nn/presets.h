// The models that come with the program, as architectures.
#pragma once

#include <nn/architecture.h>

namespace lockstep::nn {

std::vector<std::string> presetNames();

// Error S410: unknown preset. `inputShape` and `classes` are those of the data.
Result<Architecture> presetArchitecture(const std::string& preset, const std::vector<std::int64_t>& inputShape, int classes);

}  // namespace lockstep::nn
