// What an agent reports about the ranks of a run, numbered from 0 within a membership epoch. One text form (JSON on one line) for the
// stream to the controller and for the run's durable event file, so that a controller can go on from either.
#pragma once

#include <base/error.h>
#include <base/result.h>
#include <wire/rank_messages.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::wire {

enum class RunEventKind : std::uint8_t {
    Started,     // pid
    Phase,       // text = name of the phase that begins
    Checkpoint,  // text = id
    Warning,     // error
    Stalled,     // silent, late, seconds
    Recovered,   // a stalled rank goes on
    Exited,      // exitCode or signal; done or error: the rank's last word
};

struct RunEvent {
    std::uint64_t number = 0;
    double time = 0;  // Unix seconds
    RunEventKind kind{};
    int rank = 0;
    std::uint64_t step = 0;  // last finished step of the rank; Phase, Checkpoint: the one they belong to
    std::string text;
    std::int64_t pid = 0;
    std::optional<Error> error;
    std::optional<RankDone> done;
    int exitCode = 0;
    int signal = 0;         // that ended it, 0 = none
    bool silent = false;    // stalled: not even its channel thread is heard
    std::vector<int> late;  // stalled: whom its collective waits for
    double seconds = 0;     // stalled: how long
    bool operator==(const RunEvent&) const = default;
};

std::string toJson(const RunEvent& event);
// Error N411.
Result<RunEvent> parseRunEvent(std::string_view json);

}  // namespace lockstep::wire
