#include "reading.h"

#include <algorithm>

namespace lockstep::data {
namespace {

constexpr std::size_t kPiece = 1u << 20;

std::string hex32(std::uint32_t value) {
    std::byte bytes[4];
    for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::byte>(value >> (24 - 8 * i));
    return hexText(bytes);
}

}  // namespace

std::string bytesText(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

std::string hexText(std::span<const std::byte> bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text = "0x";
    for (const std::byte b : bytes) {
        text += kDigits[std::to_integer<unsigned>(b) >> 4];
        text += kDigits[std::to_integer<unsigned>(b) & 15];
    }
    return text;
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t size : shape) text += (text.empty() ? "" : " × ") + std::to_string(size);
    return text.empty() ? "one value" : text;
}

std::uint64_t loadLittle(std::span<const std::byte> bytes, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    return value;
}

std::optional<std::uint64_t> boundedProduct(const std::vector<std::int64_t>& shape, std::uint64_t size, std::uint64_t limit) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    std::uint64_t total = size;
    if (total > limit) return std::nullopt;
    for (const std::int64_t axis : shape) {
        if (static_cast<std::uint64_t>(axis) > limit / total) return std::nullopt;
        total *= static_cast<std::uint64_t>(axis);
    }
    return total;
}

Result<std::vector<std::byte>> readUpTo(ByteSource& source, std::uint64_t count) {
    std::vector<std::byte> bytes;
    while (bytes.size() < count) {
        const std::size_t before = bytes.size();
        // Doubling, so that a long record is not copied once per piece.
        const std::uint64_t piece = std::max<std::uint64_t>(kPiece, before);
        bytes.resize(before + static_cast<std::size_t>(std::min<std::uint64_t>(piece, count - before)));
        LS_TRY_ASSIGN(const std::size_t got, source.read(std::span(bytes).subspan(before)));
        if (before + got < bytes.size()) {
            bytes.resize(before + got);
            break;
        }
    }
    return bytes;
}

Error checksumError(const std::filesystem::path& file, std::uint64_t first, std::uint64_t count, std::uint32_t written,
                    std::uint32_t computed) {
    return makeError("F618", {{"file", file.string()},
                              {"first", std::to_string(first)},
                              {"last", std::to_string(first + (count > 0 ? count - 1 : 0))},
                              {"written", hex32(written)},
                              {"computed", hex32(computed)}});
}

Error unsupportedError(const std::filesystem::path& file, std::uint64_t offset, std::string what, std::string next) {
    return makeError("F619",
                     {{"file", file.string()}, {"offset", std::to_string(offset)}, {"what", std::move(what)}, {"next", std::move(next)}});
}

Error tooLargeError(const std::filesystem::path& file, std::uint64_t offset, std::string what, std::string limit) {
    return makeError("F620",
                     {{"file", file.string()}, {"offset", std::to_string(offset)}, {"what", std::move(what)}, {"limit", std::move(limit)}});
}

}  // namespace lockstep::data
