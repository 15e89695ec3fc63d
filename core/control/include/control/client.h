// Talking to a running controller over its unix socket RT/r-<8 hex>.sock. Every call has a deadline. One client per thread.
#pragma once

#include <base/clock.h>
#include <base/ids.h>
#include <base/result.h>
#include <store/run_state.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::control {

struct RunStatus {
    RunId run;
    std::filesystem::path folder;
    store::RunState state{};
    std::string cause;
    std::int64_t controllerPid = 0;
    std::uint64_t step = 0;
    std::uint64_t steps = 0;  // 0 = not known yet
    std::vector<store::RankRow> ranks;
};

enum class StopMode : std::uint8_t {
    Ask,     // checkpoint, then stop
    Insist,  // SIGTERM to every rank: the same, without waiting for the step loop's own flag
    Kill,    // SIGKILL to every rank
};

class Client {
public:
    // Error R535 when no controller runs for this run (none listens on its socket).
    static Result<std::unique_ptr<Client>> connect(const RunId& run, Seconds deadline = Seconds(2));
    virtual ~Client() = default;

    virtual Result<RunStatus> status() = 0;
    // Returns when the controller has accepted it; watch status() or the run's store for the end. `actor` is kept in the store.
    virtual Result<void> stop(StopMode mode, const std::string& actor) = 0;
    virtual Result<void> checkpoint(const std::string& actor) = 0;
};

// Ids of all runs of this user that have a live controller, found by their sockets (dead sockets are skipped, not removed).
std::vector<RunStatus> runningControllers();

}  // namespace lockstep::control
