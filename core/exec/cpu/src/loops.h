// Single-pass loops over float32, compiled once per instruction set. Pointers need no alignment; `n` counts elements. An output may be
// the same array as an input, otherwise arrays do not overlap.
#pragma once

#include <cstddef>
#include <cstdint>

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

struct SoftmaxLoss {
    const float* logits;
    const std::int32_t* labels;
    const float* weights;
    std::size_t rows;
    std::size_t classes;
    float* loss;      // null: not wanted
    float* gradient;  // null: not wanted
};

struct Loops {
    const char* name;
    void (*relu)(const float* x, float* y, std::size_t n);
    void (*reluGrad)(const float* dy, const float* y, float* dx, std::size_t n);
    void (*add)(const float* a, const float* b, float* y, std::size_t n);
    // y = x + bias of each row, then max(·, 0) when rectify is set.
    void (*biasAdd)(const float* x, const float* bias, float* y, std::size_t rows, std::size_t columns, int rectify);
    void (*columnSums)(const float* x, float* sums, std::size_t rows, std::size_t columns);
    double (*squareSum)(const float* x, std::size_t n);
    void (*softmax)(const SoftmaxLoss& call);
    float (*correct)(const SoftmaxLoss& call);
    void (*sgd)(float* w, const float* g, std::size_t n, const SgdFactors& factors);
    void (*momentum)(float* w, const float* g, float* velocity, std::size_t n, const SgdFactors& factors);
    void (*adam)(float* w, const float* g, float* m, float* v, std::size_t n, const AdamFactors& factors);
};

extern const Loops kBaselineLoops;
extern const Loops kAvx2Loops;
extern const Loops kAvx512Loops;

// The set that matches the instruction set oneDNN uses here.
const Loops& chooseLoops();

}  // namespace lockstep::exec::cpu
