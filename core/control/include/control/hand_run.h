// A run whose tasks were started by hand (no agent, no controller). Task 0 keeps it: folder, store, logs, result, and the socket at
// which `lockstep stop` and `lockstep status` find it. The other tasks tell task 0 what they do, over a stream proven like the ranks'
// own connections (comm/streams.h).
//
// Threads: one, "store" or "report", which moves samples into run.db or to task 0 ten times a second (and carries out orders); those of
// gRPC that serve the socket. sample() and progress() are for the training thread: no system call.
#pragma once

#include <control/run_flow.h>
#include <control/run_folder.h>

#include <base/file.h>
#include <base/log.h>
#include <base/result.h>
#include <plan/plan.h>
#include <spec/run_spec.h>
#include <telemetry/sample.h>
#include <wire/rank_messages.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace lockstep::control {

// What the orders that come by the socket set; both outlive the run.
struct HandOrders {
    std::atomic<bool>& stop;        // checkpoint and stop
    std::atomic<bool>& checkpoint;  // write one now
};

// What the training of a task says.
class HandEar {
public:
    virtual ~HandEar() = default;
    // The training begins; `steps` of the whole run.
    virtual void running(std::uint64_t steps) = 0;
    virtual void progress(std::uint64_t step) noexcept = 0;
    virtual void sample(const telemetry::Sample& sample) noexcept = 0;
    virtual void checkpointed(std::uint64_t step, const std::string& id) = 0;
    virtual void warning(const Error& warning) = 0;
    // A line of the rank's log, logs/rank-N.log of the run's folder.
    virtual void line(LogLevel level, std::string_view text) = 0;
};

class HandRun : public HandEar {
public:
    // Makes the run's folder and its socket. `tasks`: the streams of the other ranks, by rank (not valid: none, as for rank 0 itself).
    // Errors: R532, F6xx, N413 (socket); nothing is left then.
    static Result<std::unique_ptr<HandRun>> open(const std::filesystem::path& project, const RunId& run, const spec::RunSpec& spec,
                                                 const plan::Plan& plan, HandOrders orders, std::vector<Fd> tasks);

    virtual const RunFolder& folder() const = 0;
    // For a process that ends at once: stores that the run was stopped by `actor`, and takes the socket away. Any thread.
    virtual void abandon(const std::string& actor) = 0;
    // Waits a moment for the last words of the other tasks and stores the end; the result as `run --json` prints it. Its error is that
    // of this task, or of the task whose end was the reason for it; R540 when the tasks ended with different weights.
    virtual FlowResult finish(const Result<wire::RankDone>& outcome) = 0;
};

// The other tasks' side.
class HandReport : public HandEar {
public:
    // Error M901.
    static Result<std::unique_ptr<HandReport>> open(Fd stream, int rank);
    // Sends what is left and the last word; returns when task 0 has them, or after some seconds.
    virtual void finish(const Result<wire::RankDone>& outcome) = 0;
};

}  // namespace lockstep::control
