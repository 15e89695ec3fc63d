#include <data/tfrecord.h>

#include "reading.h"

#include <base/checksum.h>

#include <algorithm>

namespace lockstep::data {
namespace {

constexpr std::size_t kHeadBytes = 12, kTailBytes = 4;

std::uint32_t maskedCrc(std::span<const std::byte> bytes) {
    const std::uint32_t crc = crc32c(bytes);
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

std::uint32_t loadCrc(std::span<const std::byte> bytes) { return static_cast<std::uint32_t>(loadLittle(bytes, 4)); }

bool isHead(std::span<const std::byte> bytes) {
    return bytes.size() >= kHeadBytes && maskedCrc(bytes.first(8)) == loadCrc(bytes.subspan(8));
}

// Deflate with a window of at most 32 KiB and a right check value.
bool isZlib(std::span<const std::byte> bytes) {
    if (bytes.size() < 2) return false;
    const unsigned first = std::to_integer<unsigned>(bytes[0]), second = std::to_integer<unsigned>(bytes[1]);
    return (first & 15) == 8 && first >> 4 <= 7 && (first * 256 + second) % 31 == 0 && (second & 32) == 0;
}

Error cut(const std::filesystem::path& file, std::uint64_t at, std::uint64_t expected, std::uint64_t found) {
    return formatError(file, at, "a record of " + bytesText(expected), bytesText(found),
                       "The file was cut off; the records before are whole.");
}

}  // namespace

TfRecordReader::TfRecordReader(std::unique_ptr<ByteSource> source) : m_source(std::move(source)) {}
TfRecordReader::~TfRecordReader() = default;
TfRecordReader::TfRecordReader(TfRecordReader&&) noexcept = default;
TfRecordReader& TfRecordReader::operator=(TfRecordReader&&) noexcept = default;

std::filesystem::path TfRecordReader::name() const { return m_source->name(); }

Result<TfRecordReader> TfRecordReader::open(const std::filesystem::path& file) {
    LS_TRY_ASSIGN(auto source, ByteSource::open(file));
    TfRecordReader reader(std::move(source));
    reader.m_start.resize(kHeadBytes);
    LS_TRY_ASSIGN(const std::size_t got, reader.m_source->read(reader.m_start));
    reader.m_start.resize(got);
    // A length may look like the start of zlib; a length with a right checksum is one.
    if (isHead(reader.m_start) || !isZlib(reader.m_start)) return reader;
    reader.m_start.clear();
    LS_TRY_ASSIGN(reader.m_source, ByteSource::open(file, Compression::Zlib));
    return reader;
}

Result<bool> TfRecordReader::next(Record& record) {
    std::vector<std::byte> head = std::move(m_start);
    m_start.clear();
    if (head.size() < kHeadBytes) {
        const std::size_t there = head.size();
        head.resize(kHeadBytes);
        LS_TRY_ASSIGN(const std::size_t got, m_source->read(std::span(head).subspan(there)));
        head.resize(there + got);
    }
    if (head.empty()) return false;
    record.offset = m_offset;
    if (head.size() < kHeadBytes) return cut(name(), m_offset, kHeadBytes, head.size());
    const std::uint32_t computed = maskedCrc(std::span(head).first(8)), written = loadCrc(std::span(head).subspan(8));
    if (computed != written) return checksumError(name(), m_offset, kHeadBytes, written, computed);
    const std::uint64_t length = loadLittle(head, 8);
    if (length > kMostRecordBytes) return tooLargeError(name(), m_offset, "a record of " + bytesText(length), bytesText(kMostRecordBytes));
    LS_TRY_ASSIGN(record.bytes, readUpTo(*m_source, length + kTailBytes));
    if (record.bytes.size() < length + kTailBytes)
        return cut(name(), m_offset, kHeadBytes + length + kTailBytes, kHeadBytes + record.bytes.size());
    const std::uint32_t tail = loadCrc(std::span(record.bytes).subspan(length));
    record.bytes.resize(length);
    if (maskedCrc(record.bytes) != tail)
        return checksumError(name(), m_offset, kHeadBytes + length + kTailBytes, tail, maskedCrc(record.bytes));
    m_offset += kHeadBytes + length + kTailBytes;
    return true;
}

}  // namespace lockstep::data
