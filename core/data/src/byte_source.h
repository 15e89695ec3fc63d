// The bytes of a file in order, inflated when it is a gzip file (also one of several members) or said to be zlib data.
#pragma once

#include <base/file.h>
#include <base/result.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace lockstep::data {

enum class Compression : std::uint8_t { Look, Zlib };  // Look: gzip when the file starts so, else plain

class ByteSource {
public:
    static Result<std::unique_ptr<ByteSource>> open(const std::filesystem::path& file, Compression compression = Compression::Look);
    virtual ~ByteSource() = default;
    // Fills as much of `into` as there is; 0 = the end.
    virtual Result<std::size_t> read(std::span<std::byte> into) = 0;
    // No more bytes than this can come; exact for a plain file.
    virtual std::uint64_t mostBytes() const = 0;
    // How offsets of read() are named in errors: the file, with a note when they are those of inflated bytes.
    virtual std::filesystem::path name() const = 0;
};

// F601 with the usual cause.
Error formatError(const std::filesystem::path& file, std::uint64_t offset, std::string expected, std::string found, std::string cause = {});

}  // namespace lockstep::data
