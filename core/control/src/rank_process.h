// The agent's end of one rank: its process, its socket, its telemetry ring, and what is known of it. Used under the agent's lock.
#pragma once

#include "stall_watch.h"

#include <base/file.h>
#include <base/result.h>
#include <telemetry/process_usage.h>
#include <telemetry/ring.h>
#include <wire/rank_messages.h>

#include <sys/types.h>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::control {

struct RankLaunch {
    wire::RankAssignment assignment;  // listenFd and ringFd are set by start()
    std::vector<int> cores;
    std::string address;  // to listen on first, empty: none
    std::string tfConfig;
    std::filesystem::path log;
    std::filesystem::path program = {};  // empty: this program itself
};

// How a process ended.
struct ExitStatus {
    int code = 0;
    int signal = 0;
    bool outOfMemory = false;  // the kernel ended a process for want of memory just then, and this one got its signal from nobody here
};

class RankProcess {
public:
    using Time = StallWatch::Time;

    // The listening socket of a rank, when it needs one (N403): bound for all ranks before any is started.
    static Result<Fd> listenFor(const RankLaunch& launch);
    static Result<std::unique_ptr<RankProcess>> start(RankLaunch launch, Fd listening);

    int rank() const { return m_rank; }
    pid_t pid() const { return m_pid; }
    int exitFd() const { return m_exited ? -1 : m_pidfd.get(); }
    int socketFd() const { return m_socket.get(); }
    bool exited() const { return m_exited; }
    std::uint64_t step() const { return m_step; }
    std::uint64_t steps() const { return m_steps; }
    const std::string& phase() const { return m_phase; }
    bool stalled() const { return m_stalled; }
    const std::vector<int>& late() const { return m_late; }
    const std::optional<wire::RankDone>& done() const { return m_done; }
    const std::optional<Error>& error() const { return m_error; }
    const std::string& plan() const { return m_plan; }  // plan.json of the run
    telemetry::Ring& ring() { return m_ring; }
    StallWatch& watch() { return m_watch; }
    void setStalled(bool stalled) { m_stalled = stalled; }

    // Whole messages that have arrived; what they say of the rank's step, phase and last word is already taken over.
    std::vector<wire::FromRank> receive(Time now);
    // A sample shows that the rank has got this far.
    void sawStep(std::uint64_t step, Time now);
    void send(const wire::ToRank& message);
    void kill(int signal);
    // Looks how many processes of this computer were ended for want of memory. Called about once a second.
    void countKills(Time now);
    // Reaps the process after exitFd() became readable.
    ExitStatus reap();
    // Memory and processor share since the last call, as samples for the spool; empty when the process is over or was looked at a
    // moment ago (shares of moments are noise: the system counts in ticks), and of a resumed rank until it has told its step: at step 0
    // they would stand before what was measured long ago.
    std::vector<telemetry::Sample> usage(double unixTime, Time now);

private:
    RankProcess(int rank, telemetry::Ring ring, Time start) : m_rank(rank), m_ring(std::move(ring)), m_watch(start) {}
    void take(const wire::FromRank& message, Time now);

    int m_rank = 0;
    int m_cores = 1;
    pid_t m_pid = -1;
    Fd m_pidfd;
    Fd m_socket;
    telemetry::Ring m_ring;
    wire::FrameParser m_parser;
    StallWatch m_watch;
    std::string m_plan;
    std::string m_phase;
    std::uint64_t m_kills = 0, m_newerKills = 0;  // for want of memory on this computer: some seconds ago, and later
    Time m_killsAt{};
    std::uint64_t m_step = 0;
    std::uint64_t m_steps = 0;
    std::vector<int> m_late;
    std::optional<wire::RankDone> m_done;
    std::optional<Error> m_error;
    telemetry::ProcessUsage m_usage;
    Time m_usageAt{};
    bool m_stalled = false;
    bool m_exited = false;
    bool m_deaf = false;
    bool m_resumed = false;
    bool m_killedByUs = false;
};

}  // namespace lockstep::control
