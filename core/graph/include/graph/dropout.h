// The random numbers of Dropout, so that every executor drops the same elements: a function of seed, step, row of the global batch and
// element of the row alone.
#pragma once

#include <base/random.h>

#include <cstdint>

namespace lockstep::graph {

// Numbers of the elements 4·block … 4·block + 3 of a row.
inline PhiloxBlock dropoutBlock(std::uint64_t seed, std::uint32_t step, std::uint32_t row, std::int64_t block) {
    // The last word keeps these apart from other streams of the same seed.
    constexpr std::uint32_t kDropout = 0x44524f50;
    return philox4x32({static_cast<std::uint32_t>(block), row, step, kDropout},
                      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

// Uniform in [0, 1) with 24 bits, so exactly the same in float and double. An element is kept when this is ≥ rate.
inline float dropoutNumber(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24F; }

}  // namespace lockstep::graph
