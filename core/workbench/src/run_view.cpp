#include "run_view.h"

#include <base/clock.h>
#include <base/file.h>
#include <base/paths.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>

namespace lockstep::workbench {
namespace {

// A controller opens its store a moment before its socket listens.
constexpr double kStartGraceSeconds = 5;

std::optional<double> lastValue(const store::Reader& reader, const char* name) {
    const auto point = reader.lastPoint({name, telemetry::kNoRank});
    return point.ok() ? std::optional(point->value) : std::nullopt;
}

std::uint64_t finishedSteps(const store::Reader& reader, const std::vector<store::RankRow>& ranks) {
    std::uint64_t step = 0;
    for (const auto& rank : ranks) step = std::max(step, rank.step);
    const auto point = reader.lastPoint({"loss", telemetry::kNoRank});
    return point.ok() ? std::max(step, point->step) : step;
}

std::uint64_t toNumber(const std::string& text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::string metaOr(const store::Reader& reader, std::string_view key) {
    auto text = reader.meta(key);
    return text.ok() ? std::move(*text) : std::string();
}

void applyStates(api::RunSummary& summary, const std::vector<store::StateChange>& states, const control::RunFolder& folder) {
    if (states.empty()) return;
    const auto& last = states.back();
    summary.state = toApi(last.state);
    summary.cause = last.cause;
    summary.started = states.front().time;
    if (api::isFinal(summary.state)) summary.ended = last.time;
    if (api::isIdle(summary.state) || hasController(folder)) return;
    if (unixSeconds() - last.time < kStartGraceSeconds) return;
    summary.state = api::RunState::Lost;
    summary.cause = "Its controller has ended; continue with: lockstep resume " + folder.run().value + ".";
}

}  // namespace

bool hasController(const control::RunFolder& folder) {
    const auto path = folder.socket().string();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return false;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    return socket.valid() && ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool hasLiveRank(const std::vector<store::RankRow>& ranks) {
    const auto name = programFile().filename().string();
    return std::ranges::any_of(ranks, [&](const store::RankRow& rank) {
        if (rank.pid <= 0 || rank.state == "completed" || rank.state == "stopped" || rank.state == "failed") return false;
        // A pid may have been given to another program since.
        std::error_code status;
        const auto target = std::filesystem::read_symlink("/proc/" + std::to_string(rank.pid) + "/exe", status);
        return !status && target.filename().string().starts_with(name);
    });
}

api::RunSummary summarize(const control::RunFolder& folder, const store::Reader& reader) {
    api::RunSummary summary;
    summary.run = folder.run();
    summary.folder = folder.path();
    summary.name = metaOr(reader, "name");
    summary.strategy = metaOr(reader, "strategy");
    summary.steps = toNumber(metaOr(reader, "steps"));
    const auto states = reader.states();
    if (!states.ok()) return summarizeBroken(folder, states.error());
    applyStates(summary, *states, folder);
    if (const auto ranks = reader.ranks(); ranks.ok()) {
        summary.ranks = static_cast<int>(ranks->size());
        summary.step = finishedSteps(reader, *ranks);
    }
    summary.loss = lastValue(reader, "loss");
    summary.accuracy = lastValue(reader, "accuracy");
    return summary;
}

api::RunSummary summarizeBroken(const control::RunFolder& folder, const Error& problem) {
    api::RunSummary summary;
    summary.run = folder.run();
    summary.folder = folder.path();
    summary.state = hasController(folder) ? api::RunState::Checking : api::RunState::Lost;
    summary.problem = problem;
    return summary;
}

std::vector<api::RankStatus> toApi(const std::vector<store::RankRow>& ranks) {
    std::vector<api::RankStatus> values;
    for (const auto& rank : ranks) values.push_back({rank.rank, rank.host, rank.device, rank.pid, rank.state, rank.step});
    return values;
}

std::vector<api::StateChange> toApi(const std::vector<store::StateChange>& states) {
    std::vector<api::StateChange> values;
    for (const auto& change : states) values.push_back({change.time, toApi(change.state), change.cause, change.actor});
    return values;
}

std::vector<api::RunEvent> toApi(const std::vector<store::Event>& events) {
    std::vector<api::RunEvent> values;
    for (const auto& event : events) values.push_back({event.time, event.kind, event.rank, event.step, event.text, event.detail});
    return values;
}

std::vector<api::Point> toApi(const std::vector<telemetry::Point>& points) {
    std::vector<api::Point> values;
    values.reserve(points.size());
    for (const auto& point : points) values.push_back({point.step, point.time, point.value});
    return values;
}

api::RunState toApi(store::RunState state) {
    // By name: the numbers of the store are a file format, those of the api are not.
    return api::findRunState(store::nameOf(state)).value_or(api::RunState::Lost);
}

}  // namespace lockstep::workbench
