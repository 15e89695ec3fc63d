#include "run_words.h"

#include <models/event_words.h>

#include <QCoreApplication>

namespace lockstep::pages {
namespace {

struct RunWords {
    Q_DECLARE_TR_FUNCTIONS(RunWords)
};

}  // namespace

QString sentenceOf(const api::RunSummary& summary) {
    if (summary.problem) return QString::fromStdString(summary.problem->message);
    switch (summary.state) {
        case api::RunState::Staging: return RunWords::tr("Waiting for the first step: preparing files.");
        case api::RunState::Spawning: return RunWords::tr("Waiting for the first step: starting the ranks.");
        case api::RunState::Rendezvous: return RunWords::tr("Waiting for the first step: the ranks are meeting.");
        case api::RunState::WarmingUp: return RunWords::tr("Waiting for the first step: compiling.");
        case api::RunState::Lost: return RunWords::tr("Its controller is gone. Resume takes the run over.");
        default: return models::causeText(summary.cause);
    }
}

std::optional<EventWords> wordsOf(const api::RunEvent& event) {
    if (event.kind == "checkpoint")
        return EventWords{charts::EventKind::Checkpoint, "checkpoint", style::Role::MutedText, RunWords::tr("checkpoint")};
    if (event.kind == "warning") return EventWords{charts::EventKind::Alert, "warning", style::Role::Warning, RunWords::tr("warning")};
    if (event.kind == "error") return EventWords{charts::EventKind::WorkerLost, "error", style::Role::Error, RunWords::tr("error")};
    return std::nullopt;
}

EventIcon iconOf(const QString& kind) {
    if (kind == QLatin1String("resume")) return {"resume", style::Role::MutedText};
    if (kind == QLatin1String("started")) return {"play", style::Role::MutedText};
    if (kind == QLatin1String("completed")) return {"check-circle", style::Role::Success};
    if (kind == QLatin1String("stopped")) return {"stop", style::Role::MutedText};
    if (kind == QLatin1String("failed")) return {"error", style::Role::Error};
    if (kind == QLatin1String("lost")) return {"warning", style::Role::Error};
    api::RunEvent event;
    event.kind = kind.toStdString();
    if (const auto words = wordsOf(event)) return {words->icon, words->role};
    return {"dash-circle", style::Role::MutedText};
}

QString shortId(const RunId& run) {
    const auto dash = run.value.rfind('-');
    return QString::fromStdString(dash == std::string::npos ? run.value : run.value.substr(dash + 1));
}

QString rankName(int rank) { return QStringLiteral("w%1").arg(rank); }

QString deviceName(const api::RankStatus& rank) {
    return QString::fromStdString(rank.host) + QLatin1Char(' ') + QString::fromStdString(rank.device);
}

}  // namespace lockstep::pages
