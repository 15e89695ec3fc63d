#include <graph/half.h>

namespace lockstep::graph {

float fromFloat16(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000U) << 16, exponent = (bits >> 10) & 31U, fraction = bits & 1023U;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | (fraction << 13));
    if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112U) << 23) | (fraction << 13));
    const float small = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -small : small;
}

std::uint16_t toFloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
    const std::uint32_t size = bits & 0x7fffffffU;
    if (size > 0x7f800000U) return sign | 0x7e00U;   // NaN
    if (size >= 0x477ff000U) return sign | 0x7c00U;  // from 65520 on
    if (size >= 0x38800000U) {                       // normal: from 2^-14 on
        const std::uint32_t even = size + 0xfffU + ((size >> 13) & 1U);
        return static_cast<std::uint16_t>(sign | ((even - 0x38000000U) >> 13));
    }
    if (size <= 0x33000000U) return sign;  // up to 2^-25, which is a tie with 0
    const std::uint32_t exponent = size >> 23, shift = 126U - exponent, fraction = (size & 0x7fffffU) | 0x800000U;
    const std::uint32_t half = 1U << (shift - 1), rest = fraction & ((1U << shift) - 1), whole = fraction >> shift;
    const bool up = rest > half || (rest == half && (whole & 1U) != 0);
    return static_cast<std::uint16_t>(sign | (whole + (up ? 1U : 0U)));
}

float rounded(float value, DType dtype) {
    if (dtype == DType::BF16) return fromBfloat16(toBfloat16(value));
    return dtype == DType::F16 ? fromFloat16(toFloat16(value)) : value;
}

void narrowTo(DType dtype, std::span<const float> from, std::span<std::uint16_t> narrow) {
    const bool brain = dtype == DType::BF16;
    for (std::size_t i = 0; i < from.size(); ++i) narrow[i] = brain ? toBfloat16(from[i]) : toFloat16(from[i]);
}

void widenFrom(DType dtype, std::span<const std::uint16_t> bits, std::span<float> to) {
    const bool brain = dtype == DType::BF16;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = brain ? fromBfloat16(bits[i]) : fromFloat16(bits[i]);
}

}  // namespace lockstep::graph
