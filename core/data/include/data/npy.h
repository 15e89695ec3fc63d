// NumPy's .npy (versions 1 to 3) and .npz files. The header is parsed as data, never evaluated; Python objects are refused. Everything
// is checked before memory is taken for it.
//
// Errors of all functions: F601 (form, with byte offset), F618 (checksum of a member of .npz), F619 (a type or version that is no
// numbers), F620 (more than 16 GiB), F624 (no such member), F602, F603 from the system. Any thread.
#pragma once

#include <base/file.h>
#include <base/result.h>
#include <data/number_type.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lockstep::data {

struct NpyHeader {
    NumberType type = NumberType::F32;
    bool bigEndian = false;
    bool fortranOrder = false;        // the first axis varies fastest
    std::vector<std::int64_t> shape;  // empty: one value
    std::size_t headerBytes = 0;
    std::uint64_t dataBytes = 0;
};

// The header at the start of `bytes`, which may go on. `fileName` is for errors.
Result<NpyHeader> parseNpyHeader(std::span<const std::byte> bytes, const std::filesystem::path& fileName);

struct NpyArray {
    NumberType type = NumberType::F32;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> values;  // C order, this machine's byte order; any alignment
    std::shared_ptr<const void> keepAlive;
    bool copied = false;  // the file has another order: the values are a copy in memory
};

// A whole .npy in memory: its header, and that exactly the promised values follow. Values in another order are copied.
Result<NpyArray> readNpy(std::span<const std::byte> file, std::shared_ptr<const void> keepAlive, const std::filesystem::path& fileName);
// Mapped: values that are in order are used where they lie.
Result<NpyArray> openNpy(const std::filesystem::path& file);

// The arrays of an .npz (a zip archive of .npy files, stored or deflated, zip64 too).
class NpzFile {
public:
    struct Member {
        std::string name;  // without ".npy"
        std::uint64_t headerAt = 0, packedBytes = 0, bytes = 0;
        std::uint32_t crc = 0;
        bool deflated = false;
    };

    static Result<NpzFile> open(const std::filesystem::path& file);
    const std::vector<Member>& members() const { return m_members; }
    // Only the header, from the beginning of the member; the checksum is not looked at.
    Result<NpyHeader> header(const Member& member) const;
    Result<NpyArray> read(const Member& member) const;
    Result<NpyArray> read(const std::string& name) const;

private:
    NpzFile() = default;
    std::shared_ptr<const MappedFile> m_file;
    std::filesystem::path m_path;
    std::vector<Member> m_members;
};

}  // namespace lockstep::data
