#include "writer_lock.h"

#include <fcntl.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <string>

namespace lockstep::store {
namespace {

std::string readPid(int fd) {
    std::array<char, 24> text{};
    const auto got = ::pread(fd, text.data(), text.size(), 0);
    const std::string pid(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    const auto end = pid.find_first_not_of("0123456789");
    // Between taking the lock and writing the pid the file is empty.
    return pid.empty() || end == 0 ? "(just starting)" : pid.substr(0, end);
}

struct flock wholeFile(short type) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return lock;
}

std::string lockName(const std::filesystem::path& file) { return file.string() + "-lock"; }

// Opening the lock is the first thing that writes: a folder where that can't be done is one where nothing can be written.
Error cannotWrite(const std::filesystem::path& file, int reason) {
    const bool refused = reason == EROFS || reason == EACCES || reason == EPERM;
    return makeError(refused ? "F604" : "F602", {{"file", refused ? file.string() : lockName(file)}, {"reason", systemText(reason)}});
}

}  // namespace

Result<WriterLock> WriterLock::take(const std::filesystem::path& file) {
    const auto name = lockName(file);
    WriterLock lock;
    lock.m_fd = Fd(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!lock.m_fd.valid()) return cannotWrite(file, errno);
    const int fd = lock.m_fd.get();
    auto whole = wholeFile(F_WRLCK);
    if (::fcntl(fd, F_OFD_SETLK, &whole) != 0) {
        if (errno == EAGAIN || errno == EACCES) return makeError("F610", {{"file", file.string()}, {"pid", readPid(fd)}});
        return makeError("F602", {{"file", name}, {"reason", systemText(errno)}});
    }
    // The pid is for people; the lock holds without it, also on a full disk.
    const auto pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(fd, 0) == 0) [[maybe_unused]]
        const auto put = ::pwrite(fd, pid.data(), pid.size(), 0);
    return lock;
}

bool hasWriter(const std::filesystem::path& file) {
    const Fd fd(::open(lockName(file).c_str(), O_RDONLY | O_CLOEXEC));
    auto whole = wholeFile(F_RDLCK);
    return fd.valid() && ::fcntl(fd.get(), F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

}  // namespace lockstep::store
