// Pictures: PNG (libpng) and JPEG (libjpeg-turbo), told apart by their content. Pixels are [height, width, channels].
//
// Bounds: at most 32768 pixels a side and 2^26 in all, and no more than the compressed bytes can possibly hold; anything else is refused
// from the header. Errors: F601 (no picture, cut off, damaged; with the offset reached), F618 (a checksum of PNG), F619 (CMYK, arithmetic
// coding), F620 (too large). Any thread.
#pragma once

#include <base/result.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace lockstep::data {

struct ImageShape {
    std::int64_t height = 0, width = 0;
    int channels = 0;  // as stored: 1 grey, 2 grey and alpha, 3 colours, 4 with alpha; a palette counts as 3
    int bits = 8;      // of a value: 8 or 16
    bool operator==(const ImageShape&) const = default;
};

struct Image {
    ImageShape shape;
    std::vector<std::byte> values;  // 16 bits in this machine's byte order
};

// `file` is for errors.
Result<ImageShape> readImageShape(std::span<const std::byte> bytes, const std::filesystem::path& file);
// JPEG by the accurate integer DCT, as Pillow and Keras' image loader do.
Result<Image> decodeImage(std::span<const std::byte> bytes, const std::filesystem::path& file);

// The same picture with 8 bits and 1 or 3 channels: alpha is dropped, grey copied to the three colours, colours weighted as ITU-R BT.601.
Image toChannels(Image image, int channels);

// Bilinear, pixel centres at half, without smoothing: tf.image.resize. Values as float32, [height, width, channels].
// Precondition: 8 bits.
std::vector<float> resizeBilinear(const Image& image, std::int64_t height, std::int64_t width);
// Rounded to bytes; the picture itself when it has that size.
Image resizeToBytes(Image image, std::int64_t height, std::int64_t width);

}  // namespace lockstep::data
