// One run as an agent holds it: its ranks, what happened to them (also in spool/e<epoch>.events, one JSON line each) and their samples
// (spool/e<epoch>.samples). Used under the agent's lock.
#pragma once

#include "rank_process.h"

#include <base/file.h>
#include <base/result.h>
#include <telemetry/spool.h>
#include <wire/run_event.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lockstep::control {

struct RunLaunch {
    std::string run;
    std::uint64_t epoch = 1;
    std::filesystem::path folder;  // runs/<id>
    Seconds lease{30};
    std::vector<RankLaunch> ranks;
};

std::filesystem::path eventFile(const std::filesystem::path& spool, std::uint64_t epoch);
std::filesystem::path sampleFile(const std::filesystem::path& spool, std::uint64_t epoch);

// What the durable event file of an epoch says; whole lines only.
Result<std::vector<wire::RunEvent>> readEvents(const std::filesystem::path& spool, std::uint64_t epoch);

class AgentRun {
public:
    using Time = StallWatch::Time;

    // Binds all ports, then starts all ranks; when one can't be started the others are ended and nothing is left.
    static Result<std::unique_ptr<AgentRun>> start(RunLaunch launch);
    ~AgentRun();
    AgentRun(const AgentRun&) = delete;
    AgentRun& operator=(const AgentRun&) = delete;

    const std::string& run() const { return m_run; }
    std::uint64_t epoch() const { return m_epoch; }
    std::filesystem::path samples() const { return sampleFile(m_spoolFolder, m_epoch); }
    const std::vector<std::unique_ptr<RankProcess>>& ranks() const { return m_ranks; }
    int liveRanks() const;
    // All ranks have ended and every sample is in the spool.
    bool finished() const { return liveRanks() == 0; }
    const std::vector<std::string>& events() const { return m_events; }
    std::uint64_t position() const { return m_spool.position(); }

    void onSocket(RankProcess& rank, Time now);
    void onExit(RankProcess& rank, Time now);
    // Rings, leases, stalls, usage. Call every few tens of milliseconds.
    void tick(Time now);
    // Sends to these ranks, all when empty.
    void command(const wire::RankCommand& command, const std::vector<int>& ranks);
    void kill(int signal, const std::vector<int>& ranks);

private:
    AgentRun(const RunLaunch& launch, telemetry::Spool spool, Fd eventFile);
    void drain(RankProcess& rank, Time now);
    void keep(std::span<const telemetry::Sample> samples);
    void checkStall(RankProcess& rank, Time now);
    void add(wire::RunEvent event, const RankProcess& rank);
    std::vector<RankProcess*> chosen(const std::vector<int>& ranks);

    std::string m_run;
    std::uint64_t m_epoch = 1;
    std::filesystem::path m_spoolFolder;
    Seconds m_lease{30};
    std::vector<std::unique_ptr<RankProcess>> m_ranks;
    std::vector<std::string> m_events;
    telemetry::Spool m_spool;
    Fd m_eventFile;
    Time m_lastBeat{};
    Time m_lastUsage{};
    bool m_diskFull = false;
};

}  // namespace lockstep::control
