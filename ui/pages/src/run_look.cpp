#include <pages/run_look.h>

#include <models/runs_model.h>

namespace lockstep::pages {

using style::Pill;

Pill statePill(api::RunState state, style::PillSize size) {
    using api::RunState;
    using style::Tone;
    const QString word = models::stateText(state);
    switch (state) {
        case RunState::Draft: return {word, Tone::Neutral, {}, size};
        case RunState::Checking: return {word, Tone::Neutral, {}, size};
        case RunState::Blocked: return {word, Tone::Bad, QStringLiteral("error"), size};
        case RunState::Queued: return {word, Tone::Neutral, {}, size};
        case RunState::Staging: return {word, Tone::Neutral, {}, size};
        case RunState::Spawning: return {word, Tone::Neutral, {}, size};
        case RunState::Rendezvous: return {word, Tone::Neutral, {}, size};
        case RunState::WarmingUp: return {word, Tone::Neutral, {}, size};
        case RunState::Running: return {word, Tone::Good, {}, size};
        case RunState::Paused: return {word, Tone::Warning, QStringLiteral("pause"), size};
        case RunState::Checkpointing: return {word, Tone::Good, {}, size};
        case RunState::Completed: return {word, Tone::Good, QStringLiteral("check-circle"), size};
        case RunState::Stopped: return {word, Tone::Neutral, QStringLiteral("dash-circle"), size};
        case RunState::Failed: return {word, Tone::Bad, QStringLiteral("error"), size};
        case RunState::Lost: return {word, Tone::Bad, QStringLiteral("warning"), size};
    }
    return {};
}

Pill statePill(const api::RunSummary& run, style::PillSize size) {
    if (run.problem) return {models::stateText(run), style::Tone::Bad, QStringLiteral("error"), size};
    return statePill(run.state, size);
}

}  // namespace lockstep::pages
