// What a controller hears, from its watchers, its socket and its client, in one queue for one reader. Thread safe.
#pragma once

#include <control/client.h>

#include <base/clock.h>
#include <base/error.h>
#include <telemetry/sample.h>
#include <wire/run_event.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lockstep::control {

struct RankStep {
    int rank = 0;
    std::uint64_t step = 0;
    std::uint64_t steps = 0;  // of the whole run, 0 = not known yet
};

// One reply of an agent's stream.
struct AgentNews {
    std::vector<wire::RunEvent> events;
    std::uint64_t nextEvent = 0;
    std::vector<telemetry::Sample> samples;
    std::uint64_t position = 0;  // of the spool, behind these samples
    std::vector<RankStep> steps;
    bool finished = false;
};

// The stream broke before the run was finished.
struct AgentLost {
    Error error;
};

struct StopOrder {
    StopMode mode{};
    std::string actor;
    int exitCode = 0;  // of the controller when the run ends by this
};

struct CheckpointOrder {
    std::string actor;
};

using Letter = std::variant<AgentNews, AgentLost, StopOrder, CheckpointOrder>;

class Inbox {
public:
    void put(Letter letter);
    // The oldest letter, nothing when the deadline passes first.
    std::optional<Letter> take(Deadline deadline);

private:
    std::mutex m_mutex;
    std::condition_variable m_arrived;
    std::deque<Letter> m_letters;
};

}  // namespace lockstep::control
