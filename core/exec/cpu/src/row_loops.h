// Loops over rows of float32: normalisation along a row, dropout.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::exec::cpu {

struct LayerNormCall {
    const float* x;
    const float* gamma;
    std::size_t rows, columns;
    // Forward
    const float* beta;
    float *y, *mean, *rstd;
    double epsilon;
    // Gradient; mean and rstd are read
    const float* dy;
    float* dx;
    double *products, *sums;  // Σ dy · x̂ and Σ dy per column
};

struct DropoutCall {
    const float* x;
    float* y;
    std::size_t columns;
    std::uint64_t seed;
    std::uint32_t step, row;
    std::uint32_t threshold;  // an element is kept when the upper 24 bits of its number are at least this
    float scale;
};

struct RowLoops {
    void (*layerNorm)(const LayerNormCall& call);
    void (*layerNormGrad)(const LayerNormCall& call);
    void (*dropout)(const DropoutCall& call);  // one row; numbers as graph/dropout.h
    // Whether no element is infinite or NaN.
    int (*allFinite)(const float* x, std::size_t n);
};

}  // namespace lockstep::exec::cpu
