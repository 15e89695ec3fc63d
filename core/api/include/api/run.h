// What a client shows of a run: values only, copies of what the store keeps. Times are Unix seconds; 0 = not yet.
#pragma once

#include <base/error.h>
#include <base/ids.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::api {

enum class RunState : std::uint8_t {
    Draft,
    Checking,
    Blocked,
    Queued,
    Staging,
    Spawning,
    Rendezvous,
    WarmingUp,
    Running,
    Paused,
    Checkpointing,
    Completed,
    Stopped,
    Failed,
    Lost,
};
std::string_view nameOf(RunState state);  // "completed", "warming_up"
std::optional<RunState> findRunState(std::string_view name);
// Completed, Stopped, Failed: nothing happens any more unless somebody resumes.
bool isFinal(RunState state);
// Final, or lost: no controller works on it.
bool isIdle(RunState state);

// One line of the list of runs.
struct RunSummary {
    RunId run;
    std::filesystem::path folder;
    std::string name;
    RunState state{};
    std::string cause;     // of the state, a sentence or empty
    std::string strategy;  // "MirroredStrategy"
    int ranks = 0;
    std::uint64_t step = 0;   // finished steps
    std::uint64_t steps = 0;  // of the whole run; 0 = not known
    double started = 0;
    double ended = 0;
    std::optional<double> loss;  // newest of the whole run
    std::optional<double> accuracy;
    std::optional<Error> problem;  // its files can't be read; the rest is what could be
    bool operator==(const RunSummary&) const = default;
};
// The word for the run in every list: "unreadable" with a problem, else that of its state.
inline constexpr std::string_view kUnreadable = "unreadable";
std::string_view nameOf(const RunSummary& run);

struct RankStatus {
    int rank = 0;
    std::string host;
    std::string device;  // "cpu:0"
    std::int64_t pid = 0;
    std::string state;  // "spawning", "running", "completed", "stopped", "failed"
    std::uint64_t step = 0;
    bool operator==(const RankStatus&) const = default;
};

struct StateChange {
    double time = 0;
    RunState state{};
    std::string cause;
    std::string actor;  // "controller", "cli", …
    bool operator==(const StateChange&) const = default;
};

struct RunEvent {
    double time = 0;
    std::string kind;  // "phase", "checkpoint", "exit", "warning", "error", "command", "memory"
    int rank = -1;     // -1 = the whole run
    std::uint64_t step = 0;
    std::string text;         // one sentence, in English
    std::string detail = {};  // JSON: the error of a failure, how a rank ended; or empty
    bool operator==(const RunEvent&) const = default;
};

struct RunDetail {
    RunSummary summary;
    std::vector<RankStatus> ranks;
    std::vector<StateChange> states;  // oldest first
    std::vector<RunEvent> events;     // oldest first
    std::string result;               // the JSON object `lockstep run --json` ends with; empty while there is none
    std::string spec;                 // the resolved specification, YAML
    bool operator==(const RunDetail&) const = default;
};

}  // namespace lockstep::api
