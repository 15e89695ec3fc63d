#include <base/random.h>

#include <cmath>
#include <numbers>

namespace lockstep {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

}  // namespace

PhiloxBlock philox4x32(PhiloxBlock c, PhiloxKey key) {
    for (int round = 0; round < kRounds; ++round) {
        const std::uint64_t p0 = std::uint64_t{kMultiplier0} * c[0];
        const std::uint64_t p1 = std::uint64_t{kMultiplier1} * c[2];
        c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(p1),
             static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(p0)};
        key = {key[0] + kWeyl0, key[1] + kWeyl1};
    }
    return c;
}

Philox::Philox(std::uint64_t seed, std::uint64_t stream, std::uint64_t position)
    : m_key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}, m_stream(stream), m_block(position / 4) {
    for (std::uint64_t skip = position % 4; skip > 0; --skip) nextU32();
}

std::uint32_t Philox::nextU32() {
    if (m_used == 4) {
        m_values = philox4x32({static_cast<std::uint32_t>(m_block), static_cast<std::uint32_t>(m_block >> 32),
                               static_cast<std::uint32_t>(m_stream), static_cast<std::uint32_t>(m_stream >> 32)},
                              m_key);
        ++m_block;
        m_used = 0;
    }
    return m_values[m_used++];
}

std::uint32_t Philox::nextBelow(std::uint32_t bound) {
    // Lemire's multiply-shift with rejection.
    std::uint64_t product = std::uint64_t{nextU32()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
        const std::uint32_t threshold = (0u - bound) % bound;
        while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{nextU32()} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
}

double Philox::nextDouble() {
    const std::uint64_t high = nextU32(), low = nextU32();
    return static_cast<double>((high << 32 | low) >> 11) * 0x1.0p-53;
}

double Philox::nextNormal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - nextDouble()));
    return radius * std::cos(2.0 * std::numbers::pi * nextDouble());
}

}  // namespace lockstep
