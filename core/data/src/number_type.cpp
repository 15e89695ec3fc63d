#include <data/number_type.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace lockstep::data {
namespace {

template <class T>
T load(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

struct Half {
    std::uint16_t bits;
};
struct Brain {
    std::uint16_t bits;
};

float widen(Half half) {
    const int exponent = half.bits >> 10 & 31, fraction = half.bits & 1023;
    const float sign = (half.bits & 0x8000) != 0 ? -1.0f : 1.0f;
    if (exponent == 31) return sign * (fraction == 0 ? INFINITY : NAN);
    if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
    return sign * std::ldexp(static_cast<float>(fraction | 1024), exponent - 25);
}
float widen(Brain brain) { return std::bit_cast<float>(std::uint32_t{brain.bits} << 16); }
template <class T>
T widen(T value) {
    return value;
}

// Calls `use` with a value of the type that `type` names.
template <class Use>
auto withType(NumberType type, Use use) {
    switch (type) {
        case NumberType::Bool:
        case NumberType::U8: return use(std::uint8_t{});
        case NumberType::I8: return use(std::int8_t{});
        case NumberType::U16: return use(std::uint16_t{});
        case NumberType::I16: return use(std::int16_t{});
        case NumberType::U32: return use(std::uint32_t{});
        case NumberType::I32: return use(std::int32_t{});
        case NumberType::U64: return use(std::uint64_t{});
        case NumberType::I64: return use(std::int64_t{});
        case NumberType::F16: return use(Half{});
        case NumberType::BF16: return use(Brain{});
        case NumberType::F32: return use(float{});
        case NumberType::F64: break;
    }
    return use(double{});
}

}  // namespace

std::size_t sizeOf(NumberType type) {
    return withType(type, [](auto sample) { return sizeof sample; });
}

std::string_view nameOf(NumberType type) {
    constexpr std::string_view kNames[] = {"bool",   "uint8", "int8",    "uint16",   "int16",   "uint32", "int32",
                                           "uint64", "int64", "float16", "bfloat16", "float32", "float64"};
    return kNames[static_cast<std::size_t>(type)];
}

void swapBytes(std::span<std::byte> values, std::size_t size) {
    if (size < 2) return;
    for (std::size_t at = 0; at + size <= values.size(); at += size) std::reverse(values.begin() + at, values.begin() + at + size);
}

void toFloats(std::span<const std::byte> values, NumberType type, float* into) {
    withType(type, [&](auto sample) {
        using T = decltype(sample);
        for (std::size_t i = 0; i < values.size() / sizeof(T); ++i)
            into[i] = static_cast<float>(widen(load<T>(values.data() + i * sizeof(T))));
        return 0;
    });
}

double valueAt(std::span<const std::byte> values, NumberType type, std::size_t index) {
    return withType(type, [&](auto sample) {
        using T = decltype(sample);
        return static_cast<double>(widen(load<T>(values.data() + index * sizeof(T))));
    });
}

}  // namespace lockstep::data
