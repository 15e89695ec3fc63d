// Carries a supervisor's decisions and the agents' samples into the store and to the listener. When the store can't be written (full
// disk) the run goes on: the writer keeps what it was given for its next commit.
#pragma once

#include "flow_stages.h"

#include <telemetry/sample.h>

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep::control {

class Recorder {
public:
    using Time = std::chrono::steady_clock::time_point;

    Recorder(const FlowOptions& options, const Asked& asked, Planned& planned, Launched& launched, StatusBoard& board, Time begin);

    void state(const EnterState& state);
    void phase(const PhaseEnded& phase);
    void event(store::Event event);
    void warning(const Error& warning);
    void rank(const store::RankRow& row);
    void samples(std::span<const telemetry::Sample> samples, std::uint64_t position);
    void eventsStored(std::uint64_t count);
    // Ten times a second: listener, board; once a second: the ranks' steps into the store.
    void heartbeat(const Supervisor& supervisor, Time now, bool last);

private:
    void check(const Result<void>& stored);
    void keepSteps(std::uint64_t steps);
    void notice(std::span<const telemetry::Sample> samples);

    const FlowOptions& m_options;
    const Asked& m_asked;
    Planned& m_planned;
    Launched& m_launched;
    StatusBoard& m_board;
    Time m_begin;
    Time m_lastProgress{};
    Time m_lastRanks{};
    std::uint64_t m_keptSteps = 0;
    FlowProgress m_progress;
    std::map<int, double> m_rates;  // newest samples per second of each rank; the run's is their sum
    std::string m_cause;
    bool m_broken = false;
};

}  // namespace lockstep::control
