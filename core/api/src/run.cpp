#include <api/run.h>

#include <algorithm>
#include <array>

namespace lockstep::api {
namespace {

constexpr std::array<std::string_view, 15> kStateNames = {
    "draft",   "checking", "blocked",       "queued",    "staging", "spawning", "rendezvous", "warming_up",
    "running", "paused",   "checkpointing", "completed", "stopped", "failed",   "lost",
};

}  // namespace

std::string_view nameOf(RunState state) { return kStateNames.at(static_cast<std::size_t>(state)); }

std::optional<RunState> findRunState(std::string_view name) {
    const auto found = std::ranges::find(kStateNames, name);
    if (found == kStateNames.end()) return std::nullopt;
    return static_cast<RunState>(found - kStateNames.begin());
}

std::string_view nameOf(const RunSummary& run) { return run.problem ? kUnreadable : nameOf(run.state); }

bool isFinal(RunState state) { return state == RunState::Completed || state == RunState::Stopped || state == RunState::Failed; }

bool isIdle(RunState state) { return isFinal(state) || state == RunState::Lost; }

}  // namespace lockstep::api
