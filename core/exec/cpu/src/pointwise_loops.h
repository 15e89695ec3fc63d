// Loops over float32 arrays, element by element. Pointers need no alignment; `n` counts elements. An output may be the same array as an
// input, otherwise arrays do not overlap. `factor` is what the op's attribute or scalar says; loops without one ignore it.
#pragma once

#include <cstddef>

namespace lockstep::exec::cpu {

using UnaryLoop = void (*)(const float* x, float* y, std::size_t n, float factor);
using BinaryLoop = void (*)(const float* a, const float* b, float* y, std::size_t n, float factor);

struct PointwiseLoops {
    UnaryLoop relu;
    UnaryLoop relu6;
    UnaryLoop leakyRelu;       // factor below zero
    UnaryLoop scale;           // factor · x
    UnaryLoop clipValue;       // into [−factor, factor]; NaN stays
    UnaryLoop sign;            // −1, 0 or 1; NaN stays
    BinaryLoop reluGrad;       // (dy, y)
    BinaryLoop relu6Grad;      // (dy, x)
    BinaryLoop leakyReluGrad;  // (dy, x)
    BinaryLoop add;
    BinaryLoop addScaled;  // a + factor · b
    BinaryLoop multiply;
    // y = x + bias of each row, then max(·, 0) when rectify is set.
    void (*biasAdd)(const float* x, const float* bias, float* y, std::size_t rows, std::size_t columns, int rectify);
    void (*columnSums)(const float* x, float* sums, std::size_t rows, std::size_t columns);
    double (*squareSum)(const float* x, std::size_t n);
    double (*absSum)(const float* x, std::size_t n);
};

}  // namespace lockstep::exec::cpu
