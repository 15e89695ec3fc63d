// What the Live page says of a run and of its events: sentence, word, icon.
#pragma once

#include <api/run.h>
#include <charts/chart_view.h>
#include <style/theme.h>

#include <QString>

#include <optional>

namespace lockstep::pages {

// The state in one sentence of its cause, or what it waits for; empty when the word says it all.
QString sentenceOf(const api::RunSummary& summary);

struct EventWords {
    charts::EventKind kind{};
    QString icon;
    style::Role role{};
    QString label;  // beside the mark in a chart: short
};
// Events that belong on the time line; nullopt for the steps of a launch.
std::optional<EventWords> wordsOf(const api::RunEvent& event);

struct EventIcon {
    QString icon;
    style::Role role{};
};
// Of an event or a state of the run in a list, by its kind.
EventIcon iconOf(const QString& kind);

// What tells two runs of one name apart: the end of the id, "de0a".
QString shortId(const RunId& run);

// "w3"
QString rankName(int rank);
// "here:0": host and number of the device
QString deviceName(const api::RankStatus& rank);

}  // namespace lockstep::pages
