#include <base/file.h>

#include <base/ids.h>
#include <base/units.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <utility>

namespace lockstep {
namespace {

Error openError(const std::filesystem::path& path, int reason) {
    return makeError("F602", {{"file", path.string()}, {"reason", systemText(reason)}});
}

Error writeError(const std::filesystem::path& path, int reason) {
    if (reason == ENOSPC || reason == EDQUOT) return makeError("F605", {{"file", path.string()}});
    return makeError("F604", {{"file", path.string()}, {"reason", systemText(reason)}});
}

// Removes a temporary file unless kept.
class TemporaryName {
public:
    explicit TemporaryName(std::filesystem::path path) : m_path(std::move(path)) {}
    ~TemporaryName() {
        if (!m_path.empty()) ::unlink(m_path.c_str());
    }
    TemporaryName(const TemporaryName&) = delete;
    TemporaryName& operator=(const TemporaryName&) = delete;
    const std::filesystem::path& path() const { return m_path; }
    void keep() { m_path.clear(); }

private:
    std::filesystem::path m_path;
};

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
    if (this != &other) {
        reset();
        m_fd = other.release();
    }
    return *this;
}

void Fd::reset() {
    if (m_fd >= 0) ::close(m_fd);
    m_fd = -1;
}

Result<std::string> readFile(const std::filesystem::path& path, std::uint64_t limit) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return openError(path, errno);
    struct stat facts {};
    if (fstat(fd.get(), &facts) != 0) return openError(path, errno);
    if (S_ISDIR(facts.st_mode)) return openError(path, EISDIR);
    std::string content;
    std::string piece(64 << 10, '\0');
    for (;;) {
        const auto got = ::read(fd.get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return makeError("F603", {{"file", path.string()}, {"reason", systemText(errno)}});
        if (got == 0) return content;
        content.append(piece.data(), static_cast<std::size_t>(got));
        if (content.size() > limit)
            return makeError("F606", {{"file", path.string()}, {"size", "more bytes"}, {"limit", formatBytes(limit)}});
    }
}

Result<void> writeAll(int fd, std::span<const std::byte> bytes, const std::filesystem::path& nameForErrors) {
    while (!bytes.empty()) {
        const auto put = ::write(fd, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return writeError(nameForErrors, errno);
        bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return {};
}

Result<void> syncFolder(const std::filesystem::path& folder) {
    const Fd fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd.valid()) return openError(folder, errno);
    if (::fsync(fd.get()) != 0) return writeError(folder, errno);
    return {};
}

Result<void> replaceFile(const std::filesystem::path& path, std::string_view content, unsigned mode) {
    TemporaryName temporary(path.string() + ".tmp-" + randomHex(4));
    const Fd fd(::open(temporary.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!fd.valid()) {
        const int reason = errno;
        temporary.keep();
        return writeError(path, reason);
    }
    LS_TRY(writeAll(fd.get(), std::as_bytes(std::span(content.data(), content.size())), path));
    if (::fsync(fd.get()) != 0) return writeError(path, errno);
    if (::rename(temporary.path().c_str(), path.c_str()) != 0) return writeError(path, errno);
    temporary.keep();
    return syncFolder(path.parent_path());
}

Result<void> makeFolders(const std::filesystem::path& folder, unsigned mode) {
    std::error_code parents, status;
    std::filesystem::create_directories(folder.parent_path(), parents);
    if (::mkdir(folder.c_str(), mode) == 0) return {};
    // Why a parent could not be made says more than that it is absent.
    const int reason = errno == ENOENT && parents ? parents.value() : errno;
    if (reason == EEXIST && std::filesystem::is_directory(folder, status)) return {};
    return writeError(folder, reason);
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return openError(path, errno);
    struct stat facts {};
    if (fstat(fd.get(), &facts) != 0) return openError(path, errno);
    if (!S_ISREG(facts.st_mode)) return openError(path, S_ISDIR(facts.st_mode) ? EISDIR : EINVAL);
    MappedFile file;
    file.m_size = static_cast<std::size_t>(facts.st_size);
    if (file.m_size == 0) return file;
    void* data = ::mmap(nullptr, file.m_size, PROT_READ, MAP_SHARED, fd.get(), 0);
    if (data == MAP_FAILED) return makeError("F603", {{"file", path.string()}, {"reason", systemText(errno)}});
    file.m_data = static_cast<const std::byte*>(data);
    return file;
}

MappedFile::~MappedFile() {
    if (m_data != nullptr) ::munmap(const_cast<std::byte*>(m_data), m_size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : m_data(std::exchange(other.m_data, nullptr)), m_size(std::exchange(other.m_size, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(m_data, other.m_data);
    std::swap(m_size, other.m_size);
    return *this;
}

}  // namespace lockstep
