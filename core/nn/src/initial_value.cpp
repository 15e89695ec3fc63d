// Keras' initializers on its TensorFlow backend, bit for bit: one stateless Philox stream per weight (keras/initializers/
// random_initializers.py; tensorflow/core/kernels/stateless_random_ops.cc, random_op_cpu.h, lib/random/random_distributions.h).
#include <nn/model.h>

#include "initializers.h"

#include <base/random.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include <fmt/format.h>

namespace lockstep::nn {
namespace {

enum class Fan : std::uint8_t { None, In, Average };
enum class Distribution : std::uint8_t { Constant, Uniform, Normal, TruncatedNormal };

struct InitializerRow {
    std::string_view name;
    Distribution distribution;
    // Variance scaling: variance = scale / fan.
    Fan fan = Fan::None;
    double scale = 0;
    // Otherwise the two numbers that can be set: their names and defaults.
    std::array<std::string_view, 2> arguments = {};
    std::array<double, 2> fallbacks = {};
};

constexpr std::array<InitializerRow, 14> kRows{{
    {"zeros", Distribution::Constant},
    {"ones", Distribution::Constant, Fan::None, 0, {}, {1, 0}},
    {"constant", Distribution::Constant, Fan::None, 0, {"value"}, {0, 0}},
    {"glorot_uniform", Distribution::Uniform, Fan::Average, 1},
    {"glorot_normal", Distribution::TruncatedNormal, Fan::Average, 1},
    {"he_uniform", Distribution::Uniform, Fan::In, 2},
    {"he_normal", Distribution::TruncatedNormal, Fan::In, 2},
    {"lecun_uniform", Distribution::Uniform, Fan::In, 1},
    {"lecun_normal", Distribution::TruncatedNormal, Fan::In, 1},
    // Keras' other words for the two below.
    {"uniform", Distribution::Uniform, Fan::None, 0, {"minval", "maxval"}, {-0.05, 0.05}},
    {"normal", Distribution::Normal, Fan::None, 0, {"mean", "stddev"}, {0, 0.05}},
    {"random_uniform", Distribution::Uniform, Fan::None, 0, {"minval", "maxval"}, {-0.05, 0.05}},
    {"random_normal", Distribution::Normal, Fan::None, 0, {"mean", "stddev"}, {0, 0.05}},
    {"truncated_normal", Distribution::TruncatedNormal, Fan::None, 0, {"mean", "stddev"}, {0, 0.05}},
}};

const InitializerRow* findInitializer(std::string_view name) {
    const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const auto& row) { return row.name == name; });
    return found == kRows.end() ? nullptr : &*found;
}

// Keras keeps seeds below this so that they fit a positive int32.
constexpr std::uint64_t kSeedModulus = (std::uint64_t{1} << 31) - 2;
constexpr PhiloxKey kMixKey = {0x3ec8f720, 0x02461e29};

// The random bits that TensorFlow draws for a pair of seeds, in blocks of four.
class StatelessBits {
public:
    StatelessBits(std::uint64_t seed, std::uint64_t counter) {
        const std::uint64_t first = seed % kSeedModulus, second = counter % kSeedModulus;
        const PhiloxBlock mix = philox4x32({static_cast<std::uint32_t>(first), 0, static_cast<std::uint32_t>(second), 0}, kMixKey);
        m_key = {mix[0], mix[1]};
        m_high = {mix[2], mix[3]};
    }
    PhiloxBlock block(std::uint64_t index) const {
        return philox4x32({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), m_high[0], m_high[1]}, m_key);
    }

private:
    PhiloxKey m_key{};
    PhiloxKey m_high{};
};

float unitFloat(std::uint32_t bits) {
    constexpr std::uint32_t kExponentOfOne = 127u << 23;
    return std::bit_cast<float>(kExponentOfOne | (bits & 0x7fffffu)) - 1.0f;
}

// Two standard normal numbers of two random words.
std::array<float, 2> boxMuller(std::uint32_t first, std::uint32_t second) {
    constexpr float kSmallest = 1.0e-7f;
    const float u1 = std::max(unitFloat(first), kSmallest);
    const auto angle = static_cast<float>(2.0f * std::numbers::pi * static_cast<double>(unitFloat(second)));
    const float radius = std::sqrt(-2.0f * std::log(u1));
    return {std::sin(angle) * radius, std::cos(angle) * radius};
}

std::array<float, 4> uniformGroup(const StatelessBits& bits, std::uint64_t group) {
    const PhiloxBlock block = bits.block(group);
    return {unitFloat(block[0]), unitFloat(block[1]), unitFloat(block[2]), unitFloat(block[3])};
}

std::array<float, 4> normalGroup(const StatelessBits& bits, std::uint64_t group) {
    const PhiloxBlock block = bits.block(group);
    const auto a = boxMuller(block[0], block[1]), b = boxMuller(block[2], block[3]);
    return {a[0], a[1], b[0], b[1]};
}

// Draws again what lies two deviations or more away. Every number has 256 words of the stream to itself, so that groups are independent.
std::array<float, 4> truncatedGroup(const StatelessBits& bits, std::uint64_t group) {
    constexpr std::uint64_t kBlocksPerGroup = 256;
    constexpr float kLimit = 2.0f;
    std::array<float, 4> values{};
    std::size_t filled = 0;
    for (std::uint64_t block = group * kBlocksPerGroup; filled < values.size(); ++block) {
        for (const float value : normalGroup(bits, block)) {
            if (std::abs(value) < kLimit && filled < values.size()) values[filled++] = value;
        }
    }
    return values;
}

struct Fans {
    double in = 1;
    double out = 1;
};

// The last two axes are in and out; those before them the receptive field.
Fans fansOf(const graph::Shape& shape) {
    if (shape.rank() == 0) return {};
    const auto out = static_cast<double>(shape.back());
    if (shape.rank() == 1) return {out, out};
    double field = 1;
    for (std::size_t axis = 0; axis + 2 < shape.rank(); ++axis) field *= static_cast<double>(shape[axis]);
    return {field * static_cast<double>(shape[shape.rank() - 2]), field * out};
}

// value = draw · factor + offset, in float32 as TensorFlow computes it.
struct Affine {
    float factor = 0;
    float offset = 0;
};

Affine affineOf(const InitializerRow& row, const Named& initializer, const graph::Shape& shape) {
    if (row.fan != Fan::None) {
        const Fans fans = fansOf(shape);
        const double scale = row.scale / std::max(1.0, row.fan == Fan::In ? fans.in : (fans.in + fans.out) / 2);
        if (row.distribution == Distribution::Uniform) {
            const auto limit = static_cast<float>(std::sqrt(3.0 * scale));
            return {limit - -limit, -limit};
        }
        constexpr double kDeviationOfTruncated = 0.87962566103423978;
        return {static_cast<float>(std::sqrt(scale) / kDeviationOfTruncated), 0};
    }
    const auto first = static_cast<float>(initializer.argumentOr(row.arguments[0], row.fallbacks[0]));
    const auto second = static_cast<float>(initializer.argumentOr(row.arguments[1], row.fallbacks[1]));
    if (row.distribution == Distribution::Uniform) return {second - first, first};
    return {second, first};
}

// In float32 for every dtype, so that a float64 run starts from the same weights.
template <class T>
void fill(std::vector<std::byte>& bytes, const InitializerRow& row, Affine affine, const StatelessBits& bits) {
    const std::size_t count = bytes.size() / sizeof(T);
    std::array<float, 4> group{};
    for (std::size_t i = 0; i < count; ++i) {
        if (i % 4 == 0 && row.distribution == Distribution::Uniform) group = uniformGroup(bits, i / 4);
        if (i % 4 == 0 && row.distribution == Distribution::Normal) group = normalGroup(bits, i / 4);
        if (i % 4 == 0 && row.distribution == Distribution::TruncatedNormal) group = truncatedGroup(bits, i / 4);
        const float scaled = group[i % 4] * affine.factor;
        const T value = scaled + affine.offset;
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
}

}  // namespace

std::optional<SettingProblem> problemOfInitializer(const Setting& value) {
    SettingProblem problem{"an initializer:", false, {}};
    for (const InitializerRow& row : kRows) {
        problem.expected += fmt::format("{} {}", row.name == kRows[0].name ? "" : ",", row.name);
        problem.nearWords += fmt::format("{} ", row.name);
    }
    Named named;
    if (const auto* word = std::get_if<std::string>(&value)) named.name = *word;
    if (const auto* given = std::get_if<Named>(&value)) named = *given;
    const InitializerRow* row = findInitializer(named.name);
    if (row == nullptr) return problem;
    for (const auto& [key, number] : named.arguments) {
        const bool seed = key == "seed" && row->distribution != Distribution::Constant && number >= 0 && number == std::floor(number);
        const bool argument = !key.empty() && std::find(row->arguments.begin(), row->arguments.end(), key) != row->arguments.end();
        const bool deviation = key == "stddev" && number < 0;
        if ((!seed && !argument) || !std::isfinite(number) || deviation)
            return SettingProblem{fmt::format("{} with Keras' arguments", named.name), false, {}};
    }
    return std::nullopt;
}

std::vector<std::byte> initialValue(const WeightInfo& weight, std::uint64_t seed, std::size_t index) {
    std::vector<std::byte> bytes(weight.type.bytes());
    const InitializerRow* row = findInitializer(weight.initializer.name);
    if (row == nullptr) return bytes;
    const double own = weight.initializer.argumentOr("seed", -1);
    const StatelessBits bits = own < 0 ? StatelessBits(seed, index) : StatelessBits(static_cast<std::uint64_t>(own), 0);
    const Affine affine = affineOf(*row, weight.initializer, weight.type.shape);
    if (weight.type.dtype == graph::DType::F64)
        fill<double>(bytes, *row, affine, bits);
    else
        fill<float>(bytes, *row, affine, bits);
    return bytes;
}

}  // namespace lockstep::nn
