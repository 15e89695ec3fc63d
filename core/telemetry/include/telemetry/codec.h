// Points as compact bytes: what chunk and tail blobs of run.db hold and what can travel between processes. Lossless: every bit of time
// and value comes back, NaN payloads included.
//
// Version 1: u8 version, varint number of points, then three columns, then CRC-32C (u32, little endian) of everything before it.
//   step   zigzag varint of the second difference (modulo 2^64)
//   time   zigzag varint of the second difference of the double's bits as an integer (modulo 2^64): evenly spaced times cost a byte or two
//   value  XOR with the value before: one byte (high nibble: leading zero bytes, low nibble: trailing zero bytes), then the bytes between
// A varint holds 7 bits per byte, low ones first, at most 10 bytes.
#pragma once

#include <base/result.h>
#include <telemetry/sample.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::telemetry {

std::string encodePoints(std::span<const Point> points);

// Error F614 (offset and what is wrong) when the bytes are damaged, of another version, or hold more than `most` points; never reads
// past the end and never allocates more than `most` points. `nameForErrors`: the file or place the bytes are from.
Result<std::vector<Point>> decodePoints(std::span<const std::byte> bytes, std::string_view nameForErrors, std::size_t most = 1u << 20);

}  // namespace lockstep::telemetry
