// An advisory lock on a file of the cache; released when the process ends in whatever way.
#pragma once

#include <base/clock.h>
#include <base/file.h>
#include <base/result.h>

#include <filesystem>
#include <string>

namespace lockstep::data {

class FileLock {
public:
    // Error F615: another process holds it past the deadline.
    static Result<FileLock> take(const std::filesystem::path& path, Deadline deadline);

private:
    Fd m_fd;
};

// Temporary files "<name>.tmp-…" of processes that were killed. Called with the lock held, so nobody is writing one.
void removeLeftovers(const std::filesystem::path& folder, const std::string& name);

}  // namespace lockstep::data
