#include <data/image.h>

#include "picture_formats.h"
#include "reading.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lockstep::data {
namespace {

Error noPicture(std::span<const std::byte> bytes, const std::filesystem::path& file) {
    if (bytes.empty()) return formatError(file, 0, "a picture", "an empty file");
    return formatError(file, 0, "PNG (0x89504e47) or JPEG (0xffd8ff)", hexText(bytes.first(std::min<std::size_t>(4, bytes.size()))),
                       "This is no picture in these formats.");
}

std::uint8_t byteAt(const Image& image, std::size_t index) {
    if (image.shape.bits == 8) return std::to_integer<std::uint8_t>(image.values[index]);
    std::uint16_t value;
    std::memcpy(&value, image.values.data() + 2 * index, 2);
    return static_cast<std::uint8_t>((value * 255u + 32767u) / 65535u);
}

// Where a pixel of the result lies between two of the source.
struct Between {
    std::int64_t lower = 0, upper = 0;
    float share = 0;  // of the upper one
};
std::vector<Between> placesOf(std::int64_t from, std::int64_t to) {
    std::vector<Between> places(static_cast<std::size_t>(to));
    const float scale = static_cast<float>(from) / static_cast<float>(to);
    for (std::int64_t i = 0; i < to; ++i) {
        const float at = (static_cast<float>(i) + 0.5f) * scale - 0.5f, low = std::floor(at);
        places[static_cast<std::size_t>(i)] = {std::clamp(static_cast<std::int64_t>(low), std::int64_t{0}, from - 1),
                                               std::clamp(static_cast<std::int64_t>(std::ceil(at)), std::int64_t{0}, from - 1), at - low};
    }
    return places;
}

}  // namespace

Result<ImageShape> readImageShape(std::span<const std::byte> bytes, const std::filesystem::path& file) {
    if (isPng(bytes)) return readPngShape(bytes, file);
    if (isJpeg(bytes)) return readJpegShape(bytes, file);
    return noPicture(bytes, file);
}

Result<Image> decodeImage(std::span<const std::byte> bytes, const std::filesystem::path& file) {
    if (isPng(bytes)) return decodePng(bytes, file);
    if (isJpeg(bytes)) return decodeJpeg(bytes, file);
    return noPicture(bytes, file);
}

Image toChannels(Image image, int channels) {
    const ImageShape from = image.shape;
    if (from.bits == 8 && from.channels == channels) return image;
    Image made{{from.height, from.width, channels, 8}, {}};
    const auto pixels = static_cast<std::size_t>(from.height * from.width), step = static_cast<std::size_t>(from.channels);
    made.values.resize(pixels * static_cast<std::size_t>(channels));
    std::byte* into = made.values.data();
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        const std::size_t at = pixel * step;
        const bool grey = from.channels < 3;
        const unsigned red = byteAt(image, at), green = grey ? red : byteAt(image, at + 1), blue = grey ? red : byteAt(image, at + 2);
        if (channels == 1) {
            // Weights of 16 bits, which add up to one.
            *into++ = static_cast<std::byte>(grey ? red : (red * 19595u + green * 38470u + blue * 7471u + 32768u) >> 16);
        } else {
            for (const unsigned value : {red, green, blue}) *into++ = static_cast<std::byte>(value);
        }
    }
    return made;
}

std::vector<float> resizeBilinear(const Image& image, std::int64_t height, std::int64_t width) {
    const auto rows = placesOf(image.shape.height, height), columns = placesOf(image.shape.width, width);
    const auto channels = static_cast<std::int64_t>(image.shape.channels);
    const auto valueAt = [&](std::int64_t row, std::int64_t column, std::int64_t channel) {
        const auto index = static_cast<std::size_t>((row * image.shape.width + column) * channels + channel);
        return static_cast<float>(std::to_integer<int>(image.values[index]));
    };
    std::vector<float> made;
    made.reserve(static_cast<std::size_t>(height * width * channels));
    for (const Between& row : rows)
        for (const Between& column : columns)
            for (std::int64_t c = 0; c < channels; ++c) {
                const float topLeft = valueAt(row.lower, column.lower, c), lowLeft = valueAt(row.upper, column.lower, c);
                const float top = topLeft + (valueAt(row.lower, column.upper, c) - topLeft) * column.share;
                const float low = lowLeft + (valueAt(row.upper, column.upper, c) - lowLeft) * column.share;
                made.push_back(top + (low - top) * row.share);
            }
    return made;
}

Image resizeToBytes(Image image, std::int64_t height, std::int64_t width) {
    if (image.shape.height == height && image.shape.width == width) return image;
    const auto values = resizeBilinear(image, height, width);
    Image made{{height, width, image.shape.channels, 8}, {}};
    made.values.resize(values.size());
    std::transform(values.begin(), values.end(), made.values.begin(),
                   [](float value) { return static_cast<std::byte>(std::lround(value)); });
    return made;
}

}  // namespace lockstep::data
