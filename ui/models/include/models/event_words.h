// What happened in a run, in the person's language: made from kind, rank, step and detail of an event. What it does not know (warnings of
// the catalogue, kinds of a newer program) stays as the controller said it.
//
// Threads: any.
#pragma once

#include <api/run.h>

#include <QString>

#include <vector>

namespace lockstep::models {

// "Checkpoint", translated; an unknown kind as it is.
QString eventKindText(const std::string& kind);
// One short sentence without the step, which stands beside it: "Rank 3 has ended", "Rank 3 failed (R502)".
QString eventSentence(const api::RunEvent& event);
// The cause of a state ("stopped by cli"), translated where it is known.
QString causeText(const std::string& cause);
// The states of a run that a person asks about, as events without a step: "started", "resume", "completed", "stopped", "failed", "lost".
std::vector<api::RunEvent> eventsOf(const std::vector<api::StateChange>& states);

}  // namespace lockstep::models
