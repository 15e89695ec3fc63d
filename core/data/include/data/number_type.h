// Types of numbers that files hold, and their values as the engine wants them. Values, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace lockstep::data {

enum class NumberType : std::uint8_t { Bool, U8, I8, U16, I16, U32, I32, U64, I64, F16, BF16, F32, F64 };

std::size_t sizeOf(NumberType type);
std::string_view nameOf(NumberType type);  // NumPy's: "uint8", "float32"; "bfloat16"
inline bool isWhole(NumberType type) { return type < NumberType::F16; }

// Reverses the bytes of every value.
void swapBytes(std::span<std::byte> values, std::size_t size);

// values.size() / sizeOf(type) values in this machine's byte order, at any alignment, as float32 (whole numbers and doubles rounded).
void toFloats(std::span<const std::byte> values, NumberType type, float* into);

// One value as double; exact but for whole numbers beyond 2^53.
double valueAt(std::span<const std::byte> values, NumberType type, std::size_t index);

}  // namespace lockstep::data
