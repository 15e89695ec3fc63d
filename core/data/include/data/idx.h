// IDX files (the format of MNIST), plain or gzip: 00 00 TT DD, DD sizes as u32 big endian, then the values big endian in C order.
// TT: 08 u8, 09 i8, 0B i16, 0C i32, 0D f32, 0E f64. Everything read is checked before memory is taken for it.
//
// Errors of all functions: F601 with file, byte offset, what was expected and what was found (for a .gz the offset is one of the
// inflated bytes, unless the compression itself is damaged); F602, F603 from the system. Any thread.
#pragma once

#include <base/result.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

namespace lockstep::data {

enum class IdxType : std::uint8_t { U8 = 0x08, I8 = 0x09, I16 = 0x0B, I32 = 0x0C, F32 = 0x0D, F64 = 0x0E };
std::size_t sizeOf(IdxType type);

struct IdxHeader {
    IdxType type = IdxType::U8;
    std::vector<std::int64_t> shape;  // 1 to 8 sizes
    std::size_t headerBytes = 0;
    std::uint64_t dataBytes = 0;  // of the values
};

inline constexpr std::uint64_t kIdxLimit = std::uint64_t{16} << 30;  // bytes of values; more is refused from the header alone

// The header at the start of `bytes`, which may be shorter or longer than the header. `fileName` is for errors.
Result<IdxHeader> parseIdxHeader(std::span<const std::byte> bytes, const std::filesystem::path& fileName);

// The header of a file; of a compressed one only its beginning is inflated. What follows it is not looked at.
Result<IdxHeader> readIdxHeader(const std::filesystem::path& file);

// A whole file in memory: checks the header and that exactly the promised values follow it.
Result<IdxHeader> checkIdx(std::span<const std::byte> file, const std::filesystem::path& fileName);

// Reads a file piece by piece and gives every inflated byte, header included, to `sink` in order. Stops at the first fault.
using IdxSink = std::function<Result<void>(std::span<const std::byte>)>;
Result<IdxHeader> streamIdx(const std::filesystem::path& file, const IdxSink& sink);

struct IdxArray {
    IdxHeader header;
    std::vector<std::byte> values;  // in this machine's byte order
};
// The whole array. Meant for small files; data sets are mapped (dataset.h).
Result<IdxArray> readIdx(const std::filesystem::path& file);

// Whether the file starts with the two bytes of gzip.
Result<bool> isGzip(const std::filesystem::path& file);

}  // namespace lockstep::data
