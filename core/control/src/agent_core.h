// What an agent knows and does, without any network: runs by id, the loop that watches them, and a condition for those who wait for
// news. Thread safe: one lock guards everything; it is never held while waiting.
#pragma once

#include "agent_run.h"

#include <base/clock.h>
#include <base/file.h>
#include <base/result.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace lockstep::control {

struct RankNews {
    int rank = 0;
    std::int64_t pid = 0;
    std::uint64_t step = 0;
    std::uint64_t steps = 0;
    std::string phase;
};

// What is new since a watcher's last look.
struct RunNews {
    std::vector<std::string> events;  // JSON, from the wanted number on
    std::uint64_t nextEvent = 0;
    std::filesystem::path samples;  // the spool file
    std::uint64_t position = 0;     // its end
    std::vector<RankNews> ranks;
    bool finished = false;
};

struct RunKnown {
    bool known = false;
    std::uint64_t epoch = 0;
    int liveRanks = 0;
};

class AgentCore {
public:
    AgentCore();
    ~AgentCore();

    // Error R537 when the run already has live ranks here; those of AgentRun::start().
    Result<void> start(RunLaunch launch);
    // Waits until there are events from `fromEvent` on, samples behind `position`, moved steps, or the deadline; R538 when the run (of
    // this epoch) is not here.
    Result<RunNews> news(const std::string& run, std::uint64_t epoch, std::uint64_t fromEvent, std::uint64_t position, Deadline deadline);
    Result<void> command(const std::string& run, std::uint64_t epoch, const wire::RankCommand& command, const std::vector<int>& ranks);
    Result<void> kill(const std::string& run, std::uint64_t epoch, int signal, const std::vector<int>& ranks);
    void release(const std::string& run);
    RunKnown known(const std::string& run);
    int runs();
    // For how long no rank has lived and nobody has watched.
    Seconds idle();
    // A call or a stream is being served: the agent is not idle.
    class Busy {
    public:
        explicit Busy(AgentCore& core) : m_core(core) { core.touch(+1); }
        ~Busy() { m_core.touch(-1); }
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;

    private:
        AgentCore& m_core;
    };

private:
    using Time = StallWatch::Time;
    void loop(std::stop_token stop);
    void wake();
    void touch(int change);
    Result<AgentRun*> find(const std::string& run, std::uint64_t epoch);

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::map<std::string, std::unique_ptr<AgentRun>> m_runs;
    int m_busy = 0;
    Time m_lastUse;
    Fd m_wake;
    std::jthread m_loop;
};

}  // namespace lockstep::control
