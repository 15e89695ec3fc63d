#include <bench/profile.h>

#include <algorithm>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

namespace lockstep::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Work {
    std::uint64_t ops = 0;
    double seconds = 0, flops = 0, bytes = 0;  // of one step
};

// Rates, and the part of what the roofline allows: max(flops / limit, bytes / limit) over the time it took.
Json objectOf(const Work& work, const ProfiledRank& rank) {
    const double byFlops = work.flops / rank.limits.flopsPerSecond, byBytes = work.bytes / rank.limits.bytesPerSecond;
    const double seconds = std::max(work.seconds, 1e-12);
    return {{"seconds", work.seconds},
            {"of_step", work.seconds / std::max(rank.stepSeconds, 1e-12)},
            {"flops", work.flops},
            {"bytes", work.bytes},
            {"flops_per_second", work.flops / seconds},
            {"bytes_per_second", work.bytes / seconds},
            {"bound", byFlops >= byBytes ? "compute" : "memory"},
            {"of_roofline", std::max(byFlops, byBytes) / seconds}};
}

Json eventOf(const ProfiledRank& rank, const std::string& name, const std::string& category, double begin, double seconds, Json arguments) {
    return {{"name", name},         {"cat", category},  {"ph", "X"}, {"ts", 1e6 * begin},
            {"dur", 1e6 * seconds}, {"pid", rank.rank}, {"tid", 0},  {"args", std::move(arguments)}};
}

}  // namespace

std::string printProfile(const ProfiledRank& rank) {
    Json events = Json::array(), ops = Json::array();
    events.push_back(
        {{"name", "process_name"}, {"ph", "M"}, {"pid", rank.rank}, {"args", {{"name", "rank " + std::to_string(rank.rank)}}}});
    double at = rank.inputWaitSeconds;
    if (at > 0) events.push_back(eventOf(rank, "wait for input", "input", 0, at, Json::object()));
    std::map<std::string, Work> kinds;
    for (const train::OpProfile& op : rank.profile.ops) {
        if (op.calls == 0) continue;
        const Work work{1, op.seconds / static_cast<double>(op.calls), op.flops, op.bytes};
        Work& kind = kinds[op.op];
        kind = {kind.ops + 1, kind.seconds + work.seconds, kind.flops + work.flops, kind.bytes + work.bytes};
        Json figures = objectOf(work, rank);
        events.push_back(eventOf(rank, op.name, op.op, at, work.seconds, figures));
        at += work.seconds;
        Json row{{"name", op.name}, {"op", op.op}};
        row.update(figures);
        ops.push_back(std::move(row));
    }
    std::vector<Json> byKind;
    for (const auto& [name, work] : kinds) {
        Json row{{"op", name}, {"count", work.ops}};
        row.update(objectOf(work, rank));
        byKind.push_back(std::move(row));
    }
    std::ranges::sort(byKind, std::ranges::greater(), [](const Json& row) { return row["seconds"].get<double>(); });
    const Json lockstep{{"schema", 1},
                        {"rank", rank.rank},
                        {"threads", rank.threads},
                        {"steps", rank.steps},
                        {"step_seconds", rank.stepSeconds},
                        {"input_wait_seconds", rank.inputWaitSeconds},
                        {"other_seconds", std::max(0.0, rank.stepSeconds - at)},
                        {"limits", {{"flops_per_second", rank.limits.flopsPerSecond}, {"bytes_per_second", rank.limits.bytesPerSecond}}},
                        {"kinds", byKind},
                        {"ops", ops}};
    return Json{{"displayTimeUnit", "ms"}, {"traceEvents", events}, {"lockstep", lockstep}}.dump(1) + "\n";
}

}  // namespace lockstep::bench
