// The two formats of pictures.
#pragma once

#include <data/image.h>

namespace lockstep::data {

inline constexpr std::int64_t kMostSide = 32768;
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 26;

bool isPng(std::span<const std::byte> bytes);
Result<ImageShape> readPngShape(std::span<const std::byte> bytes, const std::filesystem::path& file);
Result<Image> decodePng(std::span<const std::byte> bytes, const std::filesystem::path& file);

bool isJpeg(std::span<const std::byte> bytes);
Result<ImageShape> readJpegShape(std::span<const std::byte> bytes, const std::filesystem::path& file);
Result<Image> decodeJpeg(std::span<const std::byte> bytes, const std::filesystem::path& file);

}  // namespace lockstep::data
