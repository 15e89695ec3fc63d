// Runs as text and as JSON, in the same words everywhere.
#pragma once

#include "output.h"

#include <api/run.h>

#include <optional>
#include <string>

namespace lockstep::cli {

// The state in its colour for stdout.
std::string stateText(const Output& output, api::RunState state);
std::string stateText(const Output& output, const api::RunSummary& run);
// Four significant digits, "-" for none.
std::string numberText(std::optional<double> value);
// "2026-03-01 12:00:00", this computer's time zone; "-" for 0.
std::string timeText(double unixSeconds);
// "1 240/5 000" without the thin spaces: "1240/5000", "1240" when the total is not known.
std::string stepText(const api::RunSummary& run);

// null for NaN, infinite and absent ones: JSON has no word for them.
Json jsonNumber(std::optional<double> value);
// A line of `ls --json`.
Json summaryObject(const api::RunSummary& run);
// A run of `status --json`: summaryObject plus ranks (architecture 8), states and events.
Json detailObject(const api::RunDetail& detail);

}  // namespace lockstep::cli
