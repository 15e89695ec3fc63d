// What the cache remembers of a source file and of its inflated copy. A text file of lines "key value", its last line a checksum.
#pragma once

#include <base/result.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lockstep::data {

// Changes whenever a file is replaced or written to.
struct FileIdentity {
    std::uint64_t device = 0, inode = 0, bytes = 0;
    std::int64_t modified = 0, changed = 0;  // nanoseconds
    bool operator==(const FileIdentity&) const = default;
};
// All zero when there is no such file.
FileIdentity identityOf(const std::filesystem::path& file);

struct CacheRecord {
    std::string content;  // SHA-256 of the source, hex
    FileIdentity source, copy;
    std::uint64_t copyBytes = 0;
    std::uint32_t checksum = 0;  // CRC-32C of the copy
};

// Nothing when the file is absent, damaged or of another version: it is then made anew.
std::optional<CacheRecord> readRecord(const std::filesystem::path& file);
Result<void> writeRecord(const std::filesystem::path& file, const CacheRecord& record);

}  // namespace lockstep::data
