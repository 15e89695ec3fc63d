#include "pixel_loop.h"

namespace lockstep::data {
namespace {

using Loop = void (*)(const std::uint8_t* from, std::size_t count, float* into);

// A division, because compilers make vectors of it and none of a table.
[[gnu::always_inline]] inline void divide(const std::uint8_t* from, std::size_t count, float* into) {
    for (std::size_t i = 0; i < count; ++i) into[i] = static_cast<float>(from[i]) / 255.0f;
}

void divideBaseline(const std::uint8_t* from, std::size_t count, float* into) { divide(from, count, into); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] void divideAvx2(const std::uint8_t* from, std::size_t count, float* into) { divide(from, count, into); }

[[gnu::target("avx512f,avx512bw,avx512vl,prefer-vector-width=512")]] void divideAvx512(const std::uint8_t* from, std::size_t count,
                                                                                       float* into) {
    divide(from, count, into);
}

Loop chooseLoop() {
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) return divideAvx512;
    return __builtin_cpu_supports("avx2") ? divideAvx2 : divideBaseline;
}
#else
Loop chooseLoop() { return divideBaseline; }
#endif

}  // namespace

void pixelsToFloats(const std::uint8_t* from, std::size_t count, float* into) {
    static const Loop loop = chooseLoop();
    loop(from, count, into);
}

}  // namespace lockstep::data
