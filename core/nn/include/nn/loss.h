// Losses and metrics in Keras' words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::nn {

struct LossOptions {
    std::string name = "sparse_categorical_crossentropy";
    bool fromLogits = true;  // of the cross-entropies
    double labelSmoothing = 0;
    bool operator==(const LossOptions&) const = default;
};

}  // namespace lockstep::nn
