// Reads what a run's folder says into api values.
#pragma once

#include <api/run.h>
#include <api/series.h>
#include <control/run_folder.h>
#include <store/reader.h>

#include <vector>

namespace lockstep::workbench {

// Whether somebody listens on the run's socket: its controller lives. Costs one connect(2), no gRPC.
bool hasController(const control::RunFolder& folder);

// Whether a rank of the run is a living process of this program on this computer (also without a controller).
bool hasLiveRank(const std::vector<store::RankRow>& ranks);

api::RunSummary summarize(const control::RunFolder& folder, const store::Reader& reader);
// When the run's files can't be read.
api::RunSummary summarizeBroken(const control::RunFolder& folder, const Error& problem);

std::vector<api::RankStatus> toApi(const std::vector<store::RankRow>& ranks);
std::vector<api::StateChange> toApi(const std::vector<store::StateChange>& states);
std::vector<api::RunEvent> toApi(const std::vector<store::Event>& events);
std::vector<api::Point> toApi(const std::vector<telemetry::Point>& points);
api::RunState toApi(store::RunState state);

}  // namespace lockstep::workbench
