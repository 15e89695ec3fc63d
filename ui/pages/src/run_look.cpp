#include <pages/run_look.h>

#include <QCoreApplication>

namespace lockstep::pages {

using style::Pill;

namespace {

struct RunLook {
    Q_DECLARE_TR_FUNCTIONS(RunLook)
};

}  // namespace

Pill statePill(api::RunState state, style::PillSize size) {
    using api::RunState;
    using style::Tone;
    switch (state) {
        case RunState::Draft: return {RunLook::tr("Draft"), Tone::Neutral, {}, size};
        case RunState::Checking: return {RunLook::tr("Checking"), Tone::Neutral, {}, size};
        case RunState::Blocked: return {RunLook::tr("Blocked"), Tone::Bad, QStringLiteral("error"), size};
        case RunState::Queued: return {RunLook::tr("Queued"), Tone::Neutral, {}, size};
        case RunState::Staging: return {RunLook::tr("Staging"), Tone::Neutral, {}, size};
        case RunState::Spawning: return {RunLook::tr("Spawning"), Tone::Neutral, {}, size};
        case RunState::Rendezvous: return {RunLook::tr("Rendezvous"), Tone::Neutral, {}, size};
        case RunState::WarmingUp: return {RunLook::tr("Warming up"), Tone::Neutral, {}, size};
        case RunState::Running: return {RunLook::tr("Running"), Tone::Good, {}, size};
        case RunState::Paused: return {RunLook::tr("Paused"), Tone::Warning, QStringLiteral("pause"), size};
        case RunState::Checkpointing: return {RunLook::tr("Checkpointing"), Tone::Good, {}, size};
        case RunState::Completed: return {RunLook::tr("Completed"), Tone::Good, QStringLiteral("check-circle"), size};
        case RunState::Stopped: return {RunLook::tr("Stopped"), Tone::Neutral, QStringLiteral("dash-circle"), size};
        case RunState::Failed: return {RunLook::tr("Failed"), Tone::Bad, QStringLiteral("error"), size};
        case RunState::Lost: return {RunLook::tr("Lost"), Tone::Bad, QStringLiteral("warning"), size};
    }
    return {};
}

Pill statePill(const api::RunSummary& run, style::PillSize size) {
    if (run.problem) return {RunLook::tr("Unreadable"), style::Tone::Bad, QStringLiteral("error"), size};
    return statePill(run.state, size);
}

}  // namespace lockstep::pages
