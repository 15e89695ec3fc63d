// Keras' initializers on its TensorFlow backend, bit for bit: GlorotUniform draws limit · U(−1, 1) by one stateless Philox stream per
// weight (keras/initializers/random_initializers.py; tensorflow/core/kernels/stateless_random_ops.cc).
#include <nn/model.h>

#include <base/random.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace lockstep::nn {
namespace {

// Keras keeps seeds below this so that they fit a positive int32.
constexpr std::uint64_t kSeedModulus = (std::uint64_t{1} << 31) - 2;
constexpr PhiloxKey kMixKey = {0x3ec8f720, 0x02461e29};

// Uniform numbers in [0, 1) as TensorFlow draws them for a pair of seeds.
class StatelessUniform {
public:
    StatelessUniform(std::uint64_t seed, std::uint64_t counter) {
        const std::uint64_t first = seed % kSeedModulus, second = counter % kSeedModulus;
        const PhiloxBlock mix = philox4x32({static_cast<std::uint32_t>(first), 0, static_cast<std::uint32_t>(second), 0}, kMixKey);
        m_key = {mix[0], mix[1]};
        m_high = {mix[2], mix[3]};
    }

    float at(std::uint64_t index) {
        if (index % 4 == 0) {
            const std::uint64_t block = index / 4;
            m_block = philox4x32({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), m_high[0], m_high[1]}, m_key);
        }
        constexpr std::uint32_t kExponentOfOne = 127u << 23;
        return std::bit_cast<float>(kExponentOfOne | (m_block[index % 4] & 0x7fffffu)) - 1.0f;
    }

private:
    PhiloxKey m_key{};
    PhiloxKey m_high{};
    PhiloxBlock m_block{};
};

float glorotLimit(const graph::Shape& shape) {
    // The last two axes are in and out; those before them the receptive field.
    double field = 1;
    for (std::size_t axis = 0; axis + 2 < shape.rank(); ++axis) field *= static_cast<double>(shape[axis]);
    const auto in = static_cast<double>(shape[shape.rank() < 2 ? 0 : shape.rank() - 2]);
    const auto out = static_cast<double>(shape.back());
    return static_cast<float>(std::sqrt(6.0 / (field * (in + out))));
}

template <class T>
void fill(std::vector<std::byte>& bytes, StatelessUniform random, float limit) {
    for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
        // In float32 for every dtype, so that a float64 run starts from the same weights.
        const T value = random.at(i) * (limit - -limit) + -limit;
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
}

}  // namespace

std::vector<std::byte> initialValue(const WeightInfo& weight, std::uint64_t seed, std::size_t index) {
    std::vector<std::byte> bytes(weight.type.bytes());
    if (weight.initializer != "glorot_uniform") return bytes;
    const StatelessUniform random(seed, index);
    const float limit = glorotLimit(weight.type.shape);
    if (weight.type.dtype == graph::DType::F64)
        fill<double>(bytes, random, limit);
    else
        fill<float>(bytes, random, limit);
    return bytes;
}

}  // namespace lockstep::nn
