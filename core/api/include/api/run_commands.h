// Changing runs: start, resume, stop, checkpoint, remove. A run belongs to its controller, a process of its own; closing the client
// never touches it.
//
// Threads: any.
#pragma once

#include <api/job.h>
#include <api/run.h>
#include <base/result.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::api {

struct SpecSource {
    std::filesystem::path file;          // named in error positions; relative paths start at its folder
    std::optional<std::string> text;     // used instead of the file's content
    std::vector<std::string> overrides;  // "training.steps=60"
};

struct StartedRun {
    RunId run;
    std::filesystem::path folder;
    RunState state{};  // Running, or final when it was that short
};

// Succeeds when the run trains (or has already ended well), fails with the run's error. Cancelling ends the watching, not the run.
class StartJob : public Job {
public:
    // Precondition: ended.
    virtual Result<StartedRun> result() const = 0;
};

enum class StopMode : std::uint8_t {
    Ask,     // checkpoint, then stop
    Insist,  // the same by SIGTERM
    Kill,    // end the ranks at once
};

struct Removal {
    RunId run;
    std::filesystem::path folder;
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
};

class RunCommands {
public:
    virtual ~RunCommands() = default;

    // Starts a controller that outlives this process and waits until its run trains.
    virtual std::unique_ptr<StartJob> start(const SpecSource& spec) = 0;
    // The same for a run that has stopped, failed or lost its controller. Errors: R531, R533 (completed), F610 (a controller has it).
    virtual std::unique_ptr<StartJob> resume(const RunId& run) = 0;

    // Returns when the controller has accepted it. Error R535 when no controller has the run. `actor` ("cli") is kept in the store.
    virtual Result<void> stop(const RunId& run, StopMode mode, const std::string& actor) = 0;
    virtual Result<void> checkpoint(const RunId& run, const std::string& actor) = 0;
    // Ends when the run is idle (final or lost).
    virtual std::unique_ptr<Job> awaitEnd(const RunId& run) = 0;

    // What remove() would delete. Errors: R531, R561 (it is running).
    virtual Result<Removal> inspectRemoval(const RunId& run) const = 0;
    // Deletes the run's folder; the other runs do not notice. Errors as inspectRemoval, F604.
    virtual Result<Removal> remove(const RunId& run) = 0;
};

}  // namespace lockstep::api
