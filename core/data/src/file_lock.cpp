#include "file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <cerrno>
#include <chrono>
#include <thread>

namespace lockstep::data {

namespace fs = std::filesystem;

Result<FileLock> FileLock::take(const fs::path& path, Deadline deadline) {
    FileLock lock;
    lock.m_fd = Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!lock.m_fd.valid()) return makeError("F604", {{"file", path.string()}, {"reason", systemText(errno)}});
    while (flock(lock.m_fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (deadline.passed()) return makeError("F615", {{"file", path.string()}});
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return lock;
}

void removeLeftovers(const fs::path& folder, const std::string& name) {
    std::error_code status;
    for (const auto& entry : fs::directory_iterator(folder, status))
        if (entry.path().filename().native().starts_with(name + ".tmp-")) fs::remove(entry.path(), status);
}

}  // namespace lockstep::data
