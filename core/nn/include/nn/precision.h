// Keras' dtype policies (keras/dtype_policies): layers compute in 16 bits, variables stay float32. Under a mixed policy a layer's inputs
// and its variables are cast to the compute type where it reads them; batch and layer normalisation keep their variables, sums and factors
// in float32; losses and metrics see float32. No layer is left out by itself: a model's last layer is given dtype: float32 by who writes
// it. Values, thread safe.
#pragma once

#include <graph/types.h>
#include <nn/model.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::nn {

inline constexpr std::string_view kFloat32 = "float32", kMixedFloat16 = "mixed_float16", kMixedBfloat16 = "mixed_bfloat16";

std::vector<std::string> policyNames();
// In which type layers of that policy compute; none: no such policy.
std::optional<graph::DType> computeTypeOf(std::string_view policy);

// The architecture of a preset as Keras' guide tells people to write it for mixed precision: the last layer gives float32.
void keepOutputFloat32(Architecture& architecture);

// What a mixed policy makes risky in this model, a sentence each: a result or a softmax in 16 bits. Empty for what buildModel() refuses.
std::vector<std::string> precisionWarnings(const ModelOptions& options);

}  // namespace lockstep::nn
