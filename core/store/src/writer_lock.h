// The right to write a run.db: a lock of an open file description (fcntl F_OFD_SETLK) on `<file>-lock`, which also holds the owner's pid.
// The system drops it with the process, so that the lock of a killed writer is free at once. The lock file stays.
#pragma once

#include <base/file.h>
#include <base/result.h>

#include <filesystem>

namespace lockstep::store {

class WriterLock {
public:
    // Errors: F602, F610 with the owner's pid.
    static Result<WriterLock> take(const std::filesystem::path& file);

private:
    Fd m_fd;
};

// Whether a living process holds it. False when there is no lock file.
bool hasWriter(const std::filesystem::path& file);

}  // namespace lockstep::store
