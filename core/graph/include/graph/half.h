// bfloat16 and float16 on the host: their bits from a float and back. Rounding to nearest, ties to even; beyond 65504 (after rounding)
// float16 is infinite; NaN stays NaN. Pure functions, thread safe.
#pragma once

#include <graph/types.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::graph {

inline float fromBfloat16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

inline std::uint16_t toBfloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

float fromFloat16(std::uint16_t bits);
std::uint16_t toFloat16(float value);

// The float nearest to `value` that the type holds. Precondition: is16Bit(dtype) or F32, which holds every float.
float rounded(float value, DType dtype);

// `from` in a 16-bit type and back; `narrow` and `bits` are as long as `from` and `to`.
void narrowTo(DType dtype, std::span<const float> from, std::span<std::uint16_t> narrow);
void widenFrom(DType dtype, std::span<const std::uint16_t> bits, std::span<float> to);

}  // namespace lockstep::graph
