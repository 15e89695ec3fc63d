// What the readers of binary formats share.
#pragma once

#include "byte_source.h"

#include <base/file.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep::data {

inline constexpr std::uint64_t kMostValueBytes = std::uint64_t{16} << 30;  // of one array; more is refused from the header alone

std::string bytesText(std::uint64_t count);                     // "1 byte", "76 bytes"
std::string hexText(std::span<const std::byte> bytes);          // "0x1f8b"
std::string shapeText(const std::vector<std::int64_t>& shape);  // "28 × 28 × 1"; "one value" when empty

// Little-endian whole numbers at any alignment. Precondition: enough bytes.
std::uint64_t loadLittle(std::span<const std::byte> bytes, std::size_t count);

// size × the product of the shape, or nothing when that is more than `limit`; sizes ≥ 0.
std::optional<std::uint64_t> boundedProduct(const std::vector<std::int64_t>& shape, std::uint64_t size, std::uint64_t limit);

// Reads until `into` is full or the source ends, in pieces: memory grows only as bytes really come. Gives what came, at most `count`.
Result<std::vector<std::byte>> readUpTo(ByteSource& source, std::uint64_t count);

// Errors of the catalogue with a place.
Error checksumError(const std::filesystem::path& file, std::uint64_t first, std::uint64_t count, std::uint32_t written,
                    std::uint32_t computed);
Error unsupportedError(const std::filesystem::path& file, std::uint64_t offset, std::string what, std::string next);
Error tooLargeError(const std::filesystem::path& file, std::uint64_t offset, std::string what, std::string limit);

}  // namespace lockstep::data
