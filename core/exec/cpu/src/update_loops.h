// The optimizers' rules over float32 arrays, in place.
#pragma once

#include <cstddef>

namespace lockstep::exec::cpu {

struct AdamFactors {
    float alpha;  // rate · √(1 − β₂ᵗ) / (1 − β₁ᵗ)
    float oneMinusBeta1;
    float oneMinusBeta2;
    float epsilon;
};

struct SgdFactors {
    float rate;
    float momentum;
    int nesterov;
};

struct UpdateLoops {
    void (*sgd)(float* w, const float* g, std::size_t n, const SgdFactors& factors);
    void (*momentum)(float* w, const float* g, float* velocity, std::size_t n, const SgdFactors& factors);
    void (*adam)(float* w, const float* g, float* m, float* v, std::size_t n, const AdamFactors& factors);
};

}  // namespace lockstep::exec::cpu
