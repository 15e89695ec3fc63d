// Counter-based random numbers (Philox 4x32-10, Salmon et al. 2011): the value at a place follows from (key, counter) alone, so any
// rank can compute any row's number without drawing the ones before it.
#pragma once

#include <array>
#include <cstdint>

namespace lockstep {

using PhiloxBlock = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key);

// A stream of numbers of one (seed, stream) pair, started at an arbitrary position.
class Philox {
public:
    Philox(std::uint64_t seed, std::uint64_t stream, std::uint64_t position = 0);
    std::uint32_t nextU32();
    // Uniform in [0, bound), without modulo bias. Precondition: bound > 0.
    std::uint32_t nextBelow(std::uint32_t bound);
    // Uniform in [0, 1) with 53 bits.
    double nextDouble();
    // Standard normal (Box-Muller).
    double nextNormal();

private:
    PhiloxKey m_key;
    std::uint64_t m_stream;
    std::uint64_t m_block;
    PhiloxBlock m_values{};
    unsigned m_used = 4;
};

}  // namespace lockstep
