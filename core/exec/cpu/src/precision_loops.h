// Rounding of float32 arrays to what a 16-bit type holds (graph/half.h says how), and conversions. `n` counts elements.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::exec::cpu {

// An element of a tensor that lies in memory as bfloat16.
struct Bfloat16 {
    std::uint16_t bits;
};

// One 16-bit type.
struct NarrowLoops {
    void (*round)(float* x, std::size_t n);  // in place
    void (*narrow)(const float* x, std::uint16_t* bits, std::size_t n);
    void (*widen)(const std::uint16_t* bits, float* x, std::size_t n);
};

struct PrecisionLoops {
    NarrowLoops bfloat16, float16;
    // Element by element over bfloat16, as the float32 ones of PointwiseLoops.
    void (*reluBfloat16)(const Bfloat16* x, Bfloat16* y, std::size_t n);
    void (*reluGradBfloat16)(const Bfloat16* dy, const Bfloat16* y, Bfloat16* dx, std::size_t n);
    void (*addBfloat16)(const Bfloat16* a, const Bfloat16* b, Bfloat16* y, std::size_t n);
};

}  // namespace lockstep::exec::cpu
