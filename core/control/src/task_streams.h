// Task 0's ends of the streams of tasks that were started by hand. One thread at a time.
#pragma once

#include <base/error.h>
#include <base/file.h>
#include <store/run_state.h>
#include <telemetry/sample.h>
#include <wire/task_messages.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::control {

// What is known of another task. "spawning", "running" while its stream is open.
struct TaskState {
    std::int64_t pid = 0;
    std::uint64_t step = 0;
    std::string state = "spawning";
    std::optional<wire::RankDone> done;
    std::optional<Error> error;
};

struct TaskNews {
    std::vector<telemetry::Batch> batches;
    std::vector<store::Event> events;
    std::vector<std::pair<int, std::string>> lines;  // rank, line of its log
};

class TaskStreams {
public:
    // By rank.
    explicit TaskStreams(std::vector<Fd> sockets);

    // All that has arrived, without waiting.
    TaskNews receive();
    bool allEnded() const;
    // Null for a rank without a stream.
    const TaskState* find(int rank) const;
    // The rank that failed for a reason of its own, if one did.
    std::optional<Error> reason() const;
    // Whether every task that has ended well has these weights.
    bool allHave(const std::string& weightsHash) const;

private:
    struct Stream {
        int rank = 0;
        Fd socket;
        wire::FrameParser parser;
        TaskState task;
    };
    void take(Stream& stream, wire::FromTask message, TaskNews& news);
    void take(Stream& stream, const wire::FromRank& message, TaskNews& news);
    Result<void> takePoints(const Stream& stream, const wire::TaskPoints& points, TaskNews& news);
    void readAll(Stream& stream, TaskNews& news);
    void end(Stream& stream, const std::string& why, TaskNews& news);

    std::vector<Stream> m_streams;
};

}  // namespace lockstep::control
