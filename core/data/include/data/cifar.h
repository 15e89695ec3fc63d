// CIFAR-10 and CIFAR-100 in their binary form: records of one label (100: a coarse and a fine one) and a picture of 32 × 32 in three
// planes (red, green, blue). Any thread.
#pragma once

#include <base/result.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

namespace lockstep::data {

enum class CifarKind : std::uint8_t { Ten, Hundred };

inline constexpr std::int64_t kCifarSide = 32;
inline constexpr std::size_t kCifarPixels = 32 * 32;
inline int classesOf(CifarKind kind) { return kind == CifarKind::Ten ? 10 : 100; }

// Records of a plain file, from its size. Errors: F601 (not a multiple of the record: the offset is the file's end), F602.
Result<std::int64_t> countCifarRows(const std::filesystem::path& file, CifarKind kind);

struct CifarRow {
    std::int32_t label = 0;   // of CIFAR-100: the fine one
    std::int32_t coarse = 0;  // CIFAR-100 only
    std::span<const std::byte> planes;
};
// Gives every record in order. Errors: as countCifarRows; F613 (label out of range, with its offset); those of `sink`.
Result<void> readCifar(const std::filesystem::path& file, CifarKind kind, const std::function<Result<void>(const CifarRow&)>& sink);

// Three planes of 1024 bytes to 32 × 32 × 3.
void cifarToRows(std::span<const std::byte> planes, std::byte* into);

}  // namespace lockstep::data
