// The loops that limits.h times. Each does a fixed amount of work; results are returned so that nothing is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::bench {

// Multiply-adds in registers: enough chains to hide their latency. Operations done.
double multiplyAdds(std::uint64_t turns, float& result);

float readAll(std::span<const float> values);
// a = b + s·c; the lengths are equal and multiples of 16, a is aligned to 64 bytes.
void triad(std::span<float> a, std::span<const float> b, std::span<const float> c, float s);

}  // namespace lockstep::bench
