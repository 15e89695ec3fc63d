#include <pages/run_look.h>

#include <QCoreApplication>

namespace lockstep::pages {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("pages::run_look", text); }

}  // namespace

style::Pill statePill(api::RunState state, style::PillSize size) {
    using api::RunState;
    using style::Tone;
    switch (state) {
        case RunState::Draft: return {tr("Draft"), Tone::Neutral, {}, size};
        case RunState::Checking: return {tr("Checking"), Tone::Neutral, {}, size};
        case RunState::Blocked: return {tr("Blocked"), Tone::Bad, QStringLiteral("error"), size};
        case RunState::Queued: return {tr("Queued"), Tone::Neutral, {}, size};
        case RunState::Staging: return {tr("Staging"), Tone::Neutral, {}, size};
        case RunState::Spawning: return {tr("Spawning"), Tone::Neutral, {}, size};
        case RunState::Rendezvous: return {tr("Rendezvous"), Tone::Neutral, {}, size};
        case RunState::WarmingUp: return {tr("Warming up"), Tone::Neutral, {}, size};
        case RunState::Running: return {tr("Running"), Tone::Good, {}, size};
        case RunState::Paused: return {tr("Paused"), Tone::Warning, QStringLiteral("pause"), size};
        case RunState::Checkpointing: return {tr("Checkpointing"), Tone::Good, {}, size};
        case RunState::Completed: return {tr("Completed"), Tone::Good, QStringLiteral("check-circle"), size};
        case RunState::Stopped: return {tr("Stopped"), Tone::Neutral, QStringLiteral("dash-circle"), size};
        case RunState::Failed: return {tr("Failed"), Tone::Bad, QStringLiteral("error"), size};
        case RunState::Lost: return {tr("Lost"), Tone::Bad, QStringLiteral("warning"), size};
    }
    return {};
}

style::Pill statePill(const api::RunSummary& run, style::PillSize size) {
    if (run.problem) return {tr("Unreadable"), style::Tone::Bad, QStringLiteral("error"), size};
    return statePill(run.state, size);
}

}  // namespace lockstep::pages
