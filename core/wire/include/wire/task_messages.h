// What a task that was started by hand tells task 0, which keeps the run: what a rank tells its agent, and the two things an agent would
// have read elsewhere. Bytes: frames; points travel in the codec's bytes (telemetry/codec.h), opaque here. Parsing is bounded by the
// frame limit; anything else is N411.
#pragma once

#include <base/result.h>
#include <wire/framing.h>
#include <wire/rank_messages.h>

#include <cstdint>
#include <string>
#include <variant>

namespace lockstep::wire {

// Points of one series. Payload: i16 rank (little endian), u8 length of the name, the name, the codec's bytes.
struct TaskPoints {
    std::string series;  // at most 200 bytes
    std::int16_t rank = 0;
    std::string bytes;
    bool operator==(const TaskPoints&) const = default;
};
// A line of the task's log, with its end of line.
struct TaskLog {
    std::string line;
    bool operator==(const TaskLog&) const = default;
};

using FromTask = std::variant<FromRank, TaskPoints, TaskLog>;

Frame toFrame(const FromTask& message);
Result<FromTask> parseFromTask(const Frame& frame);

}  // namespace lockstep::wire
