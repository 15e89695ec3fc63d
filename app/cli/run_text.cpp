#include "run_text.h"

#include <cmath>
#include <cstdio>
#include <ctime>

namespace lockstep::cli {
namespace {

Style styleOf(api::RunState state) {
    switch (state) {
        case api::RunState::Completed: return Style::Good;
        case api::RunState::Failed:
        case api::RunState::Lost:
        case api::RunState::Blocked: return Style::Bad;
        case api::RunState::Stopped:
        case api::RunState::Paused: return Style::Warn;
        case api::RunState::Draft:
        case api::RunState::Checking:
        case api::RunState::Queued:
        case api::RunState::Staging:
        case api::RunState::Spawning:
        case api::RunState::Rendezvous:
        case api::RunState::WarmingUp:
        case api::RunState::Running:
        case api::RunState::Checkpointing: return Style::Bold;
    }
    return Style::Plain;
}

Json jsonTime(double unixSeconds) { return unixSeconds > 0 ? Json(unixSeconds) : Json(nullptr); }

}  // namespace

std::string stateText(const Output& output, api::RunState state) { return output.onStdout(styleOf(state), api::nameOf(state)); }

std::string stateText(const Output& output, const api::RunSummary& run) {
    return output.onStdout(run.problem ? Style::Bad : styleOf(run.state), api::nameOf(run));
}

std::string numberText(std::optional<double> value) {
    if (!value) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", *value);
    return text;
}

std::string timeText(double unixSeconds) {
    if (unixSeconds <= 0) return "-";
    const auto whole = static_cast<std::time_t>(unixSeconds);
    std::tm parts{};
    char text[32];
    if (localtime_r(&whole, &parts) == nullptr || std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts) == 0) return "-";
    return text;
}

std::string stepText(const api::RunSummary& run) {
    return run.steps > 0 ? std::to_string(run.step) + "/" + std::to_string(run.steps) : std::to_string(run.step);
}

Json jsonNumber(std::optional<double> value) { return value && std::isfinite(*value) ? Json(*value) : Json(nullptr); }

Json summaryObject(const api::RunSummary& run) {
    Json object{{"run", run.run.value},
                {"name", run.name},
                {"state", api::nameOf(run)},
                {"cause", run.cause},
                {"strategy", run.strategy},
                {"rank_count", run.ranks},
                {"step", run.step},
                {"steps", run.steps > 0 ? Json(run.steps) : Json(nullptr)},
                {"loss", jsonNumber(run.loss)},
                {"accuracy", jsonNumber(run.accuracy)},
                {"started", jsonTime(run.started)},
                {"ended", jsonTime(run.ended)},
                {"folder", run.folder.string()}};
    if (run.problem) object["error"] = errorObject(*run.problem);
    return object;
}

Json detailObject(const api::RunDetail& detail) {
    auto object = summaryObject(detail.summary);
    auto& ranks = object["ranks"] = Json::array();
    for (const auto& rank : detail.ranks)
        ranks.push_back({{"rank", rank.rank},
                         {"host", rank.host},
                         {"device", rank.device},
                         {"pid", rank.pid},
                         {"state", rank.state},
                         {"step", rank.step}});
    auto& events = object["events"] = Json::array();
    for (const auto& event : detail.events)
        events.push_back({{"time", event.time},
                          {"kind", event.kind},
                          {"rank", event.rank < 0 ? Json(nullptr) : Json(event.rank)},
                          {"step", event.step},
                          {"text", event.text}});
    auto& states = object["states"] = Json::array();
    for (const auto& change : detail.states)
        states.push_back({{"time", change.time}, {"state", api::nameOf(change.state)}, {"cause", change.cause}, {"actor", change.actor}});
    return object;
}

}  // namespace lockstep::cli
