// A rank's end of the socket to its agent: what to do comes in, what happens goes out. Used by `lockstep worker --task=rank` only.
//
// Threads: "rank-channel" reads commands, sends progress ten times a second and watches the lease; the other methods may be called
// from the training thread: progress() is two atomic stores (and one wake-up at the first step), the rest writes to the socket.
#pragma once

#include <base/clock.h>
#include <base/file.h>
#include <base/result.h>
#include <wire/rank_messages.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::control {

class RankChannel {
public:
    // Says hello and waits for the assignment. Call before other threads start: SIGTERM is blocked here and read by the channel (a
    // SIGTERM means checkpoint and stop). Error N411 when the agent is gone or speaks another version.
    static Result<std::unique_ptr<RankChannel>> open(Fd socket, Deadline deadline);
    virtual ~RankChannel() = default;

    virtual const wire::RankAssignment& assignment() const = 0;
    // From here on commands are obeyed. `abort` is called (on "rank-channel") when the run is over for everyone, `late` tells which
    // ranks the collective in progress waits for.
    virtual void start(std::function<void(const Error&)> abort, std::function<std::vector<int>()> late) = 0;

    // How many steps the whole run has; call before the first progress().
    virtual void expect(std::uint64_t steps) = 0;
    virtual void phase(const std::string& name) = 0;
    virtual void progress(std::uint64_t step) noexcept = 0;
    virtual void checkpointed(std::uint64_t step, const std::string& id) = 0;
    virtual void warning(const Error& warning) = 0;
    // The last word of this rank. Blocks until the agent has it or the deadline is over.
    virtual void done(const wire::RankDone& result) = 0;
    virtual void failed(const Error& error) = 0;

    // Set by the agent's commands, by SIGTERM (requestStop) and by the end of the lease.
    virtual std::atomic<bool>& stopFlag() = 0;
    virtual std::atomic<bool>& checkpointFlag() = 0;
    // Whether the agent has been gone for longer than the lease.
    virtual bool leaseLost() const = 0;
};

}  // namespace lockstep::control
