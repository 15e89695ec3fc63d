// Files: owned descriptors, bounded reads, replacement that is atomic and durable. Errors: F602 (open), F603 (read), F604 (write,
// with the system's reason; a full disk is F605), F606 (larger than the limit).
#pragma once

#include <base/result.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace lockstep {

// Owns a file descriptor; closed on destruction. Movable, not copyable.
class Fd {
public:
    Fd() = default;
    explicit Fd(int fd) : m_fd(fd) {}
    ~Fd() { reset(); }
    Fd(Fd&& other) noexcept : m_fd(other.release()) {}
    Fd& operator=(Fd&& other) noexcept;
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;

    int get() const { return m_fd; }
    bool valid() const { return m_fd >= 0; }
    int release() {
        const int fd = m_fd;
        m_fd = -1;
        return fd;
    }
    void reset();

private:
    int m_fd = -1;
};

// The whole file, refused when larger than `limit` bytes.
Result<std::string> readFile(const std::filesystem::path& path, std::uint64_t limit = 64u << 20);

// Writes to a temporary file in the same folder, fsync, rename, fsync of the folder: afterwards the path holds either the old or the
// new content, also after a power cut. On error the old content is untouched and the temporary file is gone.
Result<void> replaceFile(const std::filesystem::path& path, std::string_view content, unsigned mode = 0644);

// Writes all bytes, also when write(2) is interrupted or short.
Result<void> writeAll(int fd, std::span<const std::byte> bytes, const std::filesystem::path& nameForErrors);

Result<void> syncFolder(const std::filesystem::path& folder);

// Makes the folder and its parents; the last one gets `mode`.
Result<void> makeFolders(const std::filesystem::path& folder, unsigned mode = 0755);

// A read-only mapping of a whole file. An empty file maps to an empty span.
class MappedFile {
public:
    static Result<MappedFile> open(const std::filesystem::path& path);
    MappedFile() = default;
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const { return {m_data, m_size}; }

private:
    const std::byte* m_data = nullptr;
    std::size_t m_size = 0;
};

}  // namespace lockstep
