// States and events of a run as they are kept. Numbers are on disk: never renumber.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::store {

enum class RunState : std::uint8_t {
    Draft = 0,
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
// Completed, Stopped, Failed.
bool isFinal(RunState state);

// Something that happened, drawn as a marker: state changes, checkpoints, exits, warnings.
struct Event {
    double time = 0;
    std::string kind;  // "state", "phase", "checkpoint", "exit", "warning", "error", "command", "memory"
    int rank = -1;
    std::uint64_t step = 0;
    std::string text;     // one sentence
    std::string detail;   // JSON or empty
    std::int64_t id = 0;  // given by the store, ascending; ignored when adding
    bool operator==(const Event&) const = default;
};

struct RankRow {
    int rank = 0;
    std::string host;
    std::string device;
    std::int64_t pid = 0;
    std::string state;  // "spawning", "running", "completed", "stopped", "failed"
    std::uint64_t step = 0;
    bool operator==(const RankRow&) const = default;
};

}  // namespace lockstep::store
