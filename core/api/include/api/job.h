// Long work of a client: a stage, how far, cancel, the end. A command line and a window draw the same object.
//
// Threads: any. Destroying a job cancels it and waits for its thread.
#pragma once

#include <base/clock.h>
#include <base/result.h>

#include <cstdint>
#include <string>

namespace lockstep::api {

enum class JobState : std::uint8_t { Running, Succeeded, Failed, Cancelled };

struct JobProgress {
    JobState state{};
    std::string stage;  // "starting ranks"
    std::uint64_t done = 0;
    std::uint64_t total = 0;  // 0 = not known
    std::string unit;         // "steps", "files"
    double started = 0;       // Unix seconds
    double ended = 0;         // 0 = not yet
};

class Job {
public:
    virtual ~Job() = default;
    virtual JobProgress progress() const = 0;
    // Asks the work to end early; what that leaves is said where the job is made. Returns at once.
    virtual void cancel() = 0;
    // True when the job has ended within this time.
    virtual bool wait(Seconds atMost) = 0;
    // The error of a failed or cancelled job (R568 when cancelled). Precondition: ended.
    virtual Result<void> outcome() const = 0;
};

}  // namespace lockstep::api
