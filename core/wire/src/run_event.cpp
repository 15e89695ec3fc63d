#include <wire/run_event.h>

#include "json_fields.h"

#include <algorithm>
#include <array>

namespace lockstep::wire {
namespace {

// In files: never rename.
constexpr std::array<std::string_view, 7> kKinds = {"started", "phase", "checkpoint", "warning", "stalled", "recovered", "exited"};

}  // namespace

std::string toJson(const RunEvent& event) {
    Json json = {{"number", event.number},
                 {"time", event.time},
                 {"kind", kKinds.at(static_cast<std::size_t>(event.kind))},
                 {"rank", event.rank},
                 {"step", event.step}};
    if (!event.text.empty()) json["text"] = event.text;
    if (event.pid != 0) json["pid"] = event.pid;
    if (event.error) json["error"] = fromError(*event.error);
    if (event.done) json["done"] = fromDone(*event.done);
    if (event.kind == RunEventKind::Exited) {
        json["exit_code"] = event.exitCode;
        json["signal"] = event.signal;
    }
    if (event.kind == RunEventKind::Stalled) {
        json["silent"] = event.silent;
        json["late"] = event.late;
        json["seconds"] = event.seconds;
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<RunEvent> parseRunEvent(std::string_view json) {
    LS_TRY_ASSIGN(auto f, Fields::parse(json));
    RunEvent event;
    event.number = f.count("number");
    event.time = f.number("time");
    const std::string kind = f.text("kind");
    event.rank = static_cast<int>(f.integer("rank"));
    event.step = f.count("step");
    if (f.has("text")) event.text = f.text("text");
    if (f.has("pid")) event.pid = f.integer("pid");
    if (f.has("error")) event.error = f.error("error");
    if (f.has("done")) {
        LS_TRY_ASSIGN(event.done, readDone(f.object("done")));
    }
    if (f.has("exit_code")) event.exitCode = static_cast<int>(f.integer("exit_code"));
    if (f.has("signal")) event.signal = static_cast<int>(f.integer("signal"));
    if (f.has("silent")) event.silent = f.flag("silent");
    if (f.has("late")) event.late = f.integers("late");
    if (f.has("seconds")) event.seconds = f.number("seconds");
    const auto found = std::ranges::find(kKinds, kind);
    if (found == kKinds.end()) f.refuse("kind");
    LS_TRY(f.check());
    event.kind = static_cast<RunEventKind>(found - kKinds.begin());
    return event;
}

}  // namespace lockstep::wire
