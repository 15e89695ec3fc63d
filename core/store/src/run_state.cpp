#include <store/run_state.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace lockstep::store {
namespace {

constexpr std::array<std::string_view, 15> kNames = {
    "draft",   "checking", "blocked",       "queued",    "staging", "spawning", "rendezvous", "warming_up",
    "running", "paused",   "checkpointing", "completed", "stopped", "failed",   "lost",
};
static_assert(kNames.size() == static_cast<std::size_t>(RunState::Lost) + 1);

}  // namespace

std::string_view nameOf(RunState state) {
    const auto index = static_cast<std::size_t>(state);
    return index < kNames.size() ? kNames[index] : std::string_view{};
}

std::optional<RunState> findRunState(std::string_view name) {
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end()) return std::nullopt;
    return static_cast<RunState>(found - kNames.begin());
}

bool isFinal(RunState state) { return state == RunState::Completed || state == RunState::Stopped || state == RunState::Failed; }

}  // namespace lockstep::store
