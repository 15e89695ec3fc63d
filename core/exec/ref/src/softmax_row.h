// Sums over one row of logits or probabilities.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace lockstep::exec::ref {

// log Σ exp(z), with the largest logit taken out so that exp never overflows.
template <class T>
double logSumExp(const T* logits, std::int64_t classes) {
    const double largest = *std::max_element(logits, logits + classes);
    double sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(double{logits[c]} - largest);
    return largest + std::log(sum);
}

// Keras' clipping of probabilities (keras.backend.epsilon()); NaN stays NaN. No gradient flows where it acts.
inline constexpr double kClip = 1e-7;
inline double clippedProbability(double p) { return p < kClip ? kClip : p > 1 - kClip ? 1 - kClip : p; }
inline bool isProbability(double p) { return p >= kClip && p <= 1 - kClip; }

template <class T>
double sumOf(const T* values, std::int64_t count) {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += double{values[i]};
    return sum;
}

}  // namespace lockstep::exec::ref
