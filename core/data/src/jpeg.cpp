#include "picture_formats.h"
#include "reading.h"

#include <cstdio>
// libjpeg's header needs size_t and FILE before it.
#include <jpeglib.h>

#include <jerror.h>
#include <csetjmp>

namespace lockstep::data {
namespace {

using Bytes = std::span<const std::byte>;

constexpr int kMostScans = 256;  // of a progressive picture; encoders write about ten
constexpr long kMostMemory = 1L << 30;

// What libjpeg calls back with. Nothing in the functions that it may leave by a jump has a destructor.
struct Reading {
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg_progress_mgr progress{};
    std::jmp_buf away{};
    Bytes bytes;
    char problem[JMSG_LENGTH_MAX] = "damaged data";
    int code = 0;

    explicit Reading(Bytes all) : bytes(all) {}
    ~Reading() { jpeg_destroy_decompress(&jpeg); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    std::uint64_t at() const { return jpeg.src != nullptr ? bytes.size() - std::min(bytes.size(), jpeg.src->bytes_in_buffer) : 0; }
};

[[noreturn]] void onError(j_common_ptr common) {
    auto* const reading = static_cast<Reading*>(common->client_data);
    reading->code = common->err->msg_code;
    common->err->format_message(common, reading->problem);
    std::longjmp(reading->away, 1);
}

// libjpeg goes on after damage and paints grey; here the picture is refused. Harmless oddities pass.
void onMessage(j_common_ptr common, int level) {
    if (level >= 0) return;
    switch (common->err->msg_code) {
        case JWRN_HIT_MARKER:
        case JWRN_JPEG_EOF:
        case JWRN_HUFF_BAD_CODE:
        case JWRN_ARITH_BAD_CODE:
        case JWRN_MUST_RESYNC: onError(common);
        default: return;
    }
}

void onProgress(j_common_ptr common) {
    if (reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > kMostScans) ERREXIT(common, JERR_BAD_PROGRESSION);
}

bool readHeader(Reading& reading) {
    reading.jpeg.err = jpeg_std_error(&reading.errors);
    reading.errors.error_exit = onError;
    reading.errors.emit_message = onMessage;
    reading.jpeg.client_data = &reading;
    if (setjmp(reading.away) != 0) return false;
    jpeg_create_decompress(&reading.jpeg);
    reading.jpeg.client_data = &reading;
    reading.jpeg.mem->max_memory_to_use = kMostMemory;
    reading.progress.progress_monitor = onProgress;
    reading.jpeg.progress = &reading.progress;
    jpeg_mem_src(&reading.jpeg, reinterpret_cast<const unsigned char*>(reading.bytes.data()), reading.bytes.size());
    return jpeg_read_header(&reading.jpeg, TRUE) == JPEG_HEADER_OK;
}

bool start(Reading& reading) {
    if (setjmp(reading.away) != 0) return false;
    reading.jpeg.dct_method = JDCT_ISLOW;
    reading.jpeg.out_color_space = reading.jpeg.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    return jpeg_start_decompress(&reading.jpeg) != 0;
}

bool readRows(Reading& reading, unsigned char* into, std::size_t rowBytes) {
    if (setjmp(reading.away) != 0) return false;
    while (reading.jpeg.output_scanline < reading.jpeg.output_height) {
        JSAMPROW row = into + reading.jpeg.output_scanline * rowBytes;
        jpeg_read_scanlines(&reading.jpeg, &row, 1);
    }
    return jpeg_finish_decompress(&reading.jpeg) != 0;
}

Error damaged(const Reading& reading, const std::filesystem::path& file) {
    const bool cut = reading.code == JWRN_JPEG_EOF || reading.code == JERR_INPUT_EOF || reading.code == JWRN_HIT_MARKER;
    return formatError(file, reading.at(), "whole JPEG data", reading.problem,
                       cut ? "The file was cut off or is damaged." : "The picture is damaged.");
}

// Blocks of 8 × 8 values over all components.
std::int64_t countBlocks(const jpeg_decompress_struct& jpeg) {
    std::int64_t blocks = 0;
    int mostWide = 1, mostHigh = 1;
    for (int i = 0; i < jpeg.num_components; ++i) {
        mostWide = std::max(mostWide, jpeg.comp_info[i].h_samp_factor);
        mostHigh = std::max(mostHigh, jpeg.comp_info[i].v_samp_factor);
    }
    for (int i = 0; i < jpeg.num_components; ++i) {
        const auto wide = std::int64_t{jpeg.image_width} * jpeg.comp_info[i].h_samp_factor / (8 * mostWide);
        const auto high = std::int64_t{jpeg.image_height} * jpeg.comp_info[i].v_samp_factor / (8 * mostHigh);
        blocks += wide * high;
    }
    return blocks;
}

Result<ImageShape> shapeOf(Reading& reading, const std::filesystem::path& file) {
    if (!readHeader(reading)) return damaged(reading, file);
    const auto& jpeg = reading.jpeg;
    const ImageShape shape{jpeg.image_height, jpeg.image_width, jpeg.num_components == 1 ? 1 : 3, 8};
    if (jpeg.num_components > 3 || jpeg.num_components == 2)
        return unsupportedError(file, reading.at(), "a picture of " + std::to_string(jpeg.num_components) + " colour components (CMYK)",
                                "Save it as RGB or grey.");
    if (jpeg.arith_code != 0) return unsupportedError(file, reading.at(), "arithmetic coding", "Save it as an ordinary JPEG.");
    if (shape.height > kMostSide || shape.width > kMostSide || shape.height * shape.width > kMostPixels)
        return tooLargeError(file, reading.at(), "a picture of " + shapeText({shape.height, shape.width}) + " pixels",
                             std::to_string(kMostPixels));
    // Every block takes a bit or more.
    const auto most = static_cast<std::int64_t>(8 * reading.bytes.size());
    if (countBlocks(jpeg) > most)
        return formatError(file, reading.at(), "at most " + std::to_string(most) + " blocks of pixels", std::to_string(countBlocks(jpeg)),
                           "The header promises more than the file holds.");
    return shape;
}

}  // namespace

bool isJpeg(Bytes bytes) {
    return bytes.size() >= 3 && bytes[0] == std::byte{0xff} && bytes[1] == std::byte{0xd8} && bytes[2] == std::byte{0xff};
}

Result<ImageShape> readJpegShape(Bytes bytes, const std::filesystem::path& file) {
    Reading reading(bytes);
    return shapeOf(reading, file);
}

Result<Image> decodeJpeg(Bytes bytes, const std::filesystem::path& file) {
    Reading reading(bytes);
    LS_TRY_ASSIGN(const ImageShape shape, shapeOf(reading, file));
    if (!start(reading)) return damaged(reading, file);
    Image image{shape, {}};
    const auto rowBytes = static_cast<std::size_t>(shape.width * shape.channels);
    image.values.resize(rowBytes * static_cast<std::size_t>(shape.height));
    if (!readRows(reading, reinterpret_cast<unsigned char*>(image.values.data()), rowBytes)) return damaged(reading, file);
    return image;
}

}  // namespace lockstep::data
