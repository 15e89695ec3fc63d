#include "task_streams.h"

#include "exit_words.h"

#include <base/checksum.h>
#include <base/clock.h>
#include <base/log.h>
#include <telemetry/codec.h>
#include <wire/json_error.h>

#include <algorithm>
#include <variant>

namespace lockstep::control {
namespace {

constexpr std::size_t kLongestLine = 64u << 10;

std::string nameOf(int rank) { return "rank " + std::to_string(rank); }

}  // namespace

TaskStreams::TaskStreams(std::vector<Fd> sockets) {
    for (std::size_t rank = 0; rank < sockets.size(); ++rank)
        if (sockets[rank].valid()) m_streams.push_back({static_cast<int>(rank), std::move(sockets[rank]), {}, {}});
}

TaskNews TaskStreams::receive() {
    TaskNews news;
    for (auto& stream : m_streams)
        if (stream.socket.valid()) readAll(stream, news);
    return news;
}

void TaskStreams::readAll(Stream& stream, TaskNews& news) {
    const auto open = wire::readAvailable(stream.socket.get(), stream.parser);
    while (stream.socket.valid()) {
        auto frame = stream.parser.next();
        if (!frame.ok()) return end(stream, frame.error().message, news);
        if (!*frame) break;
        auto message = wire::parseFromTask(**frame);
        if (!message.ok()) return end(stream, message.error().message, news);
        take(stream, std::move(message).value(), news);
    }
    if (stream.socket.valid() && (!open.ok() || !*open)) end(stream, "its connection closed", news);
}

void TaskStreams::take(Stream& stream, wire::FromTask message, TaskNews& news) {
    if (const auto* points = std::get_if<wire::TaskPoints>(&message)) {
        if (const auto taken = takePoints(stream, *points, news); !taken.ok()) end(stream, taken.error().message, news);
    } else if (auto* log = std::get_if<wire::TaskLog>(&message)) {
        news.lines.emplace_back(stream.rank, log->line.substr(0, kLongestLine));
    } else {
        take(stream, std::get<wire::FromRank>(message), news);
    }
}

// A task speaks for its own rank only.
Result<void> TaskStreams::takePoints(const Stream& stream, const wire::TaskPoints& points, TaskNews& news) {
    if (points.rank != stream.rank || !telemetry::findSeries(points.series))
        return makeError("N411", {{"reason", "it sends points of series \"" + points.series + "\", " + nameOf(points.rank)}});
    LS_TRY_ASSIGN(auto decoded, telemetry::decodePoints(asBytes(points.bytes), nameOf(stream.rank)));
    news.batches.push_back({{points.series, points.rank}, std::move(decoded)});
    return {};
}

void TaskStreams::take(Stream& stream, const wire::FromRank& message, TaskNews& news) {
    auto& task = stream.task;
    if (const auto* hello = std::get_if<wire::RankHello>(&message)) {
        task.pid = hello->pid;
    } else if (const auto* progress = std::get_if<wire::RankProgress>(&message)) {
        task.step = std::max(task.step, progress->step);
        task.state = "running";
    } else if (const auto* warning = std::get_if<wire::RankWarning>(&message)) {
        news.events.push_back(
            {unixSeconds(), "warning", stream.rank, task.step, warning->error.message, wire::errorToJson(warning->error)});
    } else if (const auto* done = std::get_if<wire::RankDone>(&message)) {
        task.done = *done;
        task.step = done->steps;
        task.state = done->stopped ? "stopped" : "completed";
    } else if (const auto* failed = std::get_if<wire::RankFailed>(&message)) {
        task.error = failed->error;
        task.state = "failed";
        news.events.push_back({unixSeconds(), "error", stream.rank, task.step, failed->error.message, wire::errorToJson(failed->error)});
    }
}

void TaskStreams::end(Stream& stream, const std::string& why, TaskNews& news) {
    stream.socket.reset();
    auto& task = stream.task;
    const bool silent = !task.done && !task.error;
    if (silent) task.state = "failed";
    const auto step = " at step " + std::to_string(task.step);
    const auto text = silent ? "Rank " + std::to_string(stream.rank) + " is gone" + step + ": " + why + "."
                             : "Rank " + std::to_string(stream.rank) + " has ended" + step + ".";
    news.events.push_back({unixSeconds(), "exit", stream.rank, task.step, text, ""});
    news.lines.emplace_back(stream.rank, formatLogLine(silent ? LogLevel::Error : LogLevel::Info, nameOf(0), text));
}

bool TaskStreams::allEnded() const {
    return std::ranges::none_of(m_streams, [](const Stream& stream) { return stream.socket.valid(); });
}

const TaskState* TaskStreams::find(int rank) const {
    const auto found = std::ranges::find(m_streams, rank, &Stream::rank);
    return found == m_streams.end() ? nullptr : &found->task;
}

std::optional<Error> TaskStreams::reason() const {
    for (const auto& stream : m_streams)
        if (stream.task.error && !isConsequence(stream.task.error->code))
            return withContext(*stream.task.error, "training on " + nameOf(stream.rank));
    return std::nullopt;
}

bool TaskStreams::allHave(const std::string& weightsHash) const {
    return std::ranges::all_of(m_streams,
                               [&](const Stream& stream) { return !stream.task.done || stream.task.done->weightsHash == weightsHash; });
}

}  // namespace lockstep::control
