// TFRecord files (length, its CRC, bytes, their CRC; plain, gzip or zlib) and the two messages TensorFlow keeps in them. Read record by
// record; memory grows only with bytes that are really there. Any thread, one at a time per reader.
#pragma once

#include <base/result.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::data {

class ByteSource;

inline constexpr std::uint64_t kMostRecordBytes = std::uint64_t{1} << 30;

class TfRecordReader {
public:
    struct Record {
        std::uint64_t offset = 0;  // of its length, in the (inflated) file
        std::vector<std::byte> bytes;
    };

    // Errors: F602; F601 when gzip or zlib data is damaged at once.
    static Result<TfRecordReader> open(const std::filesystem::path& file);
    ~TfRecordReader();
    TfRecordReader(TfRecordReader&&) noexcept;
    TfRecordReader& operator=(TfRecordReader&&) noexcept;

    // False after the last record; otherwise `record` holds the next one. Errors, with the offset of the record: F601 (cut off),
    // F618 (a checksum), F620 (longer than a record may be).
    Result<bool> next(Record& record);
    // For errors about what a record holds.
    std::filesystem::path name() const;

private:
    explicit TfRecordReader(std::unique_ptr<ByteSource> source);
    std::unique_ptr<ByteSource> m_source;
    std::vector<std::byte> m_start;  // read while looking for the compression
    std::uint64_t m_offset = 0;
};

// One value list of an Example. The views point into the record.
struct ExampleFeature {
    enum class Kind : std::uint8_t { Absent, Bytes, Float, Int64 };
    Kind kind = Kind::Absent;
    std::vector<std::span<const std::byte>> bytes;
    std::vector<float> floats;
    std::vector<std::int64_t> integers;
    std::size_t size() const { return bytes.size() + floats.size() + integers.size(); }
};

using ExampleFeatures = std::map<std::string, ExampleFeature, std::less<>>;

// tf.train.Example. Error F601 with the offset of the record. A name that comes twice: the last one counts, as in Protocol Buffers.
Result<ExampleFeatures> parseExample(const TfRecordReader::Record& record, const std::filesystem::path& file);

// tf.train.SequenceExample.
struct SequenceExample {
    ExampleFeatures context;
    std::map<std::string, std::vector<ExampleFeature>, std::less<>> lists;
};
Result<SequenceExample> parseSequenceExample(const TfRecordReader::Record& record, const std::filesystem::path& file);

}  // namespace lockstep::data
