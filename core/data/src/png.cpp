#include "picture_formats.h"
#include "reading.h"

#include <png.h>
#include <zlib.h>
#include <array>
#include <csetjmp>
#include <cstring>
#include <string_view>

namespace lockstep::data {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::array<unsigned char, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::size_t kChunkBytes = 12;     // of a chunk without its data
constexpr std::uint64_t kMostRatio = 1032;  // of deflate
constexpr std::size_t kMostChunk = 64u << 20;

std::uint32_t loadBig(Bytes bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
    return value;
}

// Walks over all chunks to the end: their lengths and checksums. Gives the bytes of compressed pixels.
Result<std::uint64_t> checkChunks(Bytes bytes, const std::filesystem::path& file) {
    std::uint64_t pixels = 0;
    for (std::size_t at = kSignature.size();;) {
        if (bytes.size() - at < kChunkBytes)
            return formatError(file, bytes.size(), "another chunk of PNG", "the end of the file", "The file was cut off.");
        const std::uint32_t length = loadBig(bytes, at);
        if (length > bytes.size() - at - kChunkBytes)
            return formatError(file, bytes.size(), "a chunk of " + bytesText(length) + " from byte " + std::to_string(at),
                               "the end of the file", "The file was cut off, or the chunk's length is wrong.");
        const Bytes checked = bytes.subspan(at + 4, 4 + std::size_t{length});
        const auto computed = static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(checked.data()), checked.size()));
        const std::uint32_t written = loadBig(bytes, at + 8 + length);
        if (computed != written) return checksumError(file, at, kChunkBytes + length, written, computed);
        const std::string_view kind(reinterpret_cast<const char*>(checked.data()), 4);
        if (kind == "IDAT") pixels += length;
        if (kind == "IEND") return pixels;
        at += kChunkBytes + length;
    }
}

// What libpng calls back with. Nothing in the functions that it may leave by a jump has a destructor.
struct Reading {
    png_structp png = nullptr;
    png_infop info = nullptr;
    Bytes bytes;
    std::size_t at = 0;
    char problem[100] = "damaged data";

    ~Reading() {
        if (png != nullptr) png_destroy_read_struct(&png, info != nullptr ? &info : nullptr, nullptr);
    }
};

[[noreturn]] void onError(png_structp png, png_const_charp text) {
    auto* const reading = static_cast<Reading*>(png_get_error_ptr(png));
    std::strncpy(reading->problem, text, sizeof reading->problem - 1);
    png_longjmp(png, 1);
}
void onWarning(png_structp, png_const_charp) {}

void onRead(png_structp png, png_bytep into, png_size_t count) {
    auto* const reading = static_cast<Reading*>(png_get_io_ptr(png));
    if (count > reading->bytes.size() - reading->at) png_error(png, "the end of the file");
    std::memcpy(into, reading->bytes.data() + reading->at, count);
    reading->at += count;
}

bool begin(Reading& reading) {
    reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, onError, onWarning);
    if (reading.png == nullptr) return false;
    reading.info = png_create_info_struct(reading.png);
    return reading.info != nullptr;
}

bool readInfo(Reading& reading) {
    if (setjmp(png_jmpbuf(reading.png)) != 0) return false;
    png_set_read_fn(reading.png, &reading, onRead);
    png_set_user_limits(reading.png, kMostSide, kMostSide);
    png_set_chunk_malloc_max(reading.png, kMostChunk);
    png_set_chunk_cache_max(reading.png, 64);
    png_set_crc_action(reading.png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);  // they were checked
    png_read_info(reading.png, reading.info);
    if (png_get_color_type(reading.png, reading.info) == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(reading.png);
    if (png_get_bit_depth(reading.png, reading.info) < 8) png_set_expand_gray_1_2_4_to_8(reading.png);
    if (png_get_bit_depth(reading.png, reading.info) == 16) png_set_swap(reading.png);
    png_set_interlace_handling(reading.png);
    png_read_update_info(reading.png, reading.info);
    return true;
}

bool readRows(Reading& reading, png_bytepp rows) {
    if (setjmp(png_jmpbuf(reading.png)) != 0) return false;
    png_read_image(reading.png, rows);
    png_read_end(reading.png, nullptr);
    return true;
}

Error damaged(const Reading& reading, const std::filesystem::path& file) {
    return formatError(file, reading.at, "whole PNG data", reading.problem, "The picture is damaged.");
}

}  // namespace

bool isPng(Bytes bytes) {
    return bytes.size() >= kSignature.size() && std::memcmp(bytes.data(), kSignature.data(), kSignature.size()) == 0;
}

Result<ImageShape> readPngShape(Bytes bytes, const std::filesystem::path& file) {
    constexpr std::size_t kHeader = 8 + 8 + 13;  // signature, length and name, IHDR
    if (bytes.size() < kHeader) return formatError(file, bytes.size(), "a header of PNG", "the end of the file", "The file was cut off.");
    if (std::memcmp(bytes.data() + 12, "IHDR", 4) != 0) return formatError(file, 12, "IHDR", hexText(bytes.subspan(12, 4)));
    ImageShape shape{loadBig(bytes, 20), loadBig(bytes, 16), 0, std::to_integer<int>(bytes[24]) == 16 ? 16 : 8};
    switch (std::to_integer<int>(bytes[25])) {
        case PNG_COLOR_TYPE_GRAY: shape.channels = 1; break;
        case PNG_COLOR_TYPE_GRAY_ALPHA: shape.channels = 2; break;
        case PNG_COLOR_TYPE_RGB:
        case PNG_COLOR_TYPE_PALETTE: shape.channels = 3; break;
        case PNG_COLOR_TYPE_RGB_ALPHA: shape.channels = 4; break;
        default: return formatError(file, 25, "a colour type of PNG", hexText(bytes.subspan(25, 1)));
    }
    if (shape.height < 1 || shape.width < 1)
        return formatError(file, 16, "a size of at least 1 × 1", shapeText({shape.height, shape.width}));
    if (shape.height > kMostSide || shape.width > kMostSide || shape.height * shape.width > kMostPixels)
        return tooLargeError(file, 16, "a picture of " + shapeText({shape.height, shape.width}) + " pixels", std::to_string(kMostPixels));
    return shape;
}

Result<Image> decodePng(Bytes bytes, const std::filesystem::path& file) {
    LS_TRY_ASSIGN(const ImageShape promised, readPngShape(bytes, file));
    LS_TRY_ASSIGN(const std::uint64_t packed, checkChunks(bytes, file));
    // A row takes a byte for its filter and at least one bit for a pixel.
    const auto least = static_cast<std::uint64_t>(promised.height * (1 + (promised.width + 7) / 8));
    if (least > packed * kMostRatio)
        return formatError(file, 16, "at most " + bytesText(packed * kMostRatio) + " of pixels", bytesText(least) + " or more",
                           "The header promises more than the file holds.");
    Reading reading;
    reading.bytes = bytes;
    if (!begin(reading)) return makeError("X001", {{"what", "libpng can't start"}});
    if (!readInfo(reading)) return damaged(reading, file);
    Image image{promised, {}};
    image.shape.channels = png_get_channels(reading.png, reading.info);
    image.shape.bits = png_get_bit_depth(reading.png, reading.info);
    const std::size_t rowBytes = png_get_rowbytes(reading.png, reading.info);
    image.values.resize(rowBytes * static_cast<std::size_t>(promised.height));
    std::vector<png_bytep> rows;
    for (std::int64_t row = 0; row < promised.height; ++row)
        rows.push_back(reinterpret_cast<png_bytep>(image.values.data() + static_cast<std::size_t>(row) * rowBytes));
    if (!readRows(reading, rows.data())) return damaged(reading, file);
    return image;
}

}  // namespace lockstep::data
