#include <data/idx.h>

#include "reading.h"

#include <data/number_type.h>

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <string>

namespace lockstep::data {
namespace {

constexpr std::size_t kMostAxes = 8;
constexpr std::size_t kMostHeader = 4 + 4 * kMostAxes;
constexpr std::size_t kPiece = 1u << 20;

unsigned byteAt(std::span<const std::byte> bytes, std::size_t at) { return std::to_integer<unsigned>(bytes[at]); }

bool isType(unsigned code) { return code == 0x08 || code == 0x09 || (code >= 0x0B && code <= 0x0E); }

Result<void> checkMagic(std::span<const std::byte> bytes, const std::filesystem::path& file) {
    if (bytes.empty()) return formatError(file, 0, "an IDX header", "an empty file");
    if (byteAt(bytes, 0) != 0 || (bytes.size() > 1 && byteAt(bytes, 1) != 0))
        return formatError(file, 0, "0x0000 (IDX)", hexText(bytes.first(std::min<std::size_t>(2, bytes.size()))),
                           "This is not an IDX file.");
    if (bytes.size() < 4) return formatError(file, bytes.size(), "4 bytes of magic number", "the end of the file", "The file was cut off.");
    if (!isType(byteAt(bytes, 2)))
        return formatError(file, 2, "an element type (0x08, 0x09, 0x0b to 0x0e)", hexText(bytes.subspan(2, 1)),
                           "The format does not define this element type.");
    if (byteAt(bytes, 3) == 0 || byteAt(bytes, 3) > kMostAxes)
        return formatError(file, 3, "1 to 8 dimensions", std::to_string(byteAt(bytes, 3)));
    return {};
}

Error lengthError(const IdxHeader& header, std::uint64_t found, const std::filesystem::path& file) {
    const std::uint64_t whole = header.headerBytes + header.dataBytes;
    if (found < whole)
        return formatError(file, found, bytesText(whole), bytesText(found),
                           "The file was cut off, or its header promises more than it holds.");
    return formatError(file, whole, "the end of the file", "more bytes", "The header promises fewer values than the file holds.");
}

// The header from a stream; `start` gets its bytes.
Result<IdxHeader> readHeader(ByteSource& source, std::vector<std::byte>& start) {
    start.resize(4);
    LS_TRY_ASSIGN(std::size_t got, source.read(start));
    start.resize(got);
    LS_TRY(checkMagic(start, source.name()));
    start.resize(4 + 4 * byteAt(start, 3));
    LS_TRY_ASSIGN(got, source.read(std::span(start).subspan(4)));
    start.resize(4 + got);
    LS_TRY_ASSIGN(IdxHeader header, parseIdxHeader(start, source.name()));
    const std::uint64_t whole = header.headerBytes + header.dataBytes;
    if (whole > source.mostBytes())
        return formatError(source.name(), source.mostBytes(), bytesText(whole), "at most " + bytesText(source.mostBytes()),
                           "The file was cut off, or its header promises more than it holds.");
    return header;
}

}  // namespace

std::size_t sizeOf(IdxType type) {
    switch (type) {
        case IdxType::U8:
        case IdxType::I8: return 1;
        case IdxType::I16: return 2;
        case IdxType::I32:
        case IdxType::F32: return 4;
        case IdxType::F64: return 8;
    }
    return 1;
}

Result<IdxHeader> parseIdxHeader(std::span<const std::byte> bytes, const std::filesystem::path& fileName) {
    LS_TRY(checkMagic(bytes, fileName));
    IdxHeader header;
    header.type = static_cast<IdxType>(byteAt(bytes, 2));
    const std::size_t axes = byteAt(bytes, 3);
    header.headerBytes = 4 + 4 * axes;
    if (bytes.size() < header.headerBytes)
        return formatError(fileName, bytes.size(), "a header of " + bytesText(header.headerBytes), bytesText(bytes.size()),
                           "The file was cut off.");
    for (std::size_t axis = 0; axis < axes; ++axis) {
        std::int64_t size = 0;
        for (std::size_t i = 0; i < 4; ++i) size = size << 8 | byteAt(bytes, 4 + 4 * axis + i);
        header.shape.push_back(size);
    }
    const auto total = boundedProduct(header.shape, sizeOf(header.type), kIdxLimit);
    if (!total)
        return formatError(fileName, 4, "sizes of at most " + bytesText(kIdxLimit) + " together", shapeText(header.shape),
                           "Such a file is refused before it is read.");
    header.dataBytes = *total;
    return header;
}

Result<IdxHeader> readIdxHeader(const std::filesystem::path& file) {
    LS_TRY_ASSIGN(const auto source, ByteSource::open(file));
    std::vector<std::byte> start;
    return readHeader(*source, start);
}

Result<IdxHeader> checkIdx(std::span<const std::byte> file, const std::filesystem::path& fileName) {
    LS_TRY_ASSIGN(IdxHeader header, parseIdxHeader(file.first(std::min(file.size(), kMostHeader)), fileName));
    if (header.headerBytes + header.dataBytes != file.size()) return lengthError(header, file.size(), fileName);
    return header;
}

Result<IdxHeader> streamIdx(const std::filesystem::path& file, const IdxSink& sink) {
    LS_TRY_ASSIGN(const auto source, ByteSource::open(file));
    std::vector<std::byte> piece;
    LS_TRY_ASSIGN(IdxHeader header, readHeader(*source, piece));
    LS_TRY(sink(piece));
    const std::uint64_t whole = header.headerBytes + header.dataBytes;
    std::uint64_t done = piece.size();
    piece.resize(kPiece);
    for (;;) {
        LS_TRY_ASSIGN(const std::size_t got, source->read(piece));
        if (got == 0) break;
        if (done + got > whole) return lengthError(header, done + got, source->name());
        LS_TRY(sink(std::span(piece).first(got)));
        done += got;
    }
    if (done != whole) return lengthError(header, done, source->name());
    return header;
}

Result<IdxArray> readIdx(const std::filesystem::path& file) {
    IdxArray array;
    LS_TRY_ASSIGN(array.header, streamIdx(file, [&](std::span<const std::byte> bytes) -> Result<void> {
                      array.values.insert(array.values.end(), bytes.begin(), bytes.end());
                      return {};
                  }));
    array.values.erase(array.values.begin(), array.values.begin() + static_cast<std::ptrdiff_t>(array.header.headerBytes));
    swapBytes(array.values, sizeOf(array.header.type));
    return array;
}

Result<bool> isGzip(const std::filesystem::path& file) {
    const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd.valid()) return makeError("F602", {{"file", file.string()}, {"reason", systemText(errno)}});
    unsigned char start[2] = {};
    if (::read(fd.get(), start, 2) != 2) return false;
    return start[0] == 0x1f && start[1] == 0x8b;
}

}  // namespace lockstep::data
