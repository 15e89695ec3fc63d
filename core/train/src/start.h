// The first state of a run, the same on all ranks: drawn, given, or taken from a checkpoint by rank 0 and sent to the others.
#pragma once

#include "states.h"

#include <data/dataset.h>

#include <optional>

namespace lockstep::train {

// Where the run stands; the same on all ranks.
struct Progress {
    std::uint64_t step = 0;  // finished
    int epochs = 0;          // finished
    EpochSums sums;
    std::optional<EpochResult> last;
    RuleState rules;
};

// Writes the States of `step` and says where to go on. Resuming without any checkpoint starts at step 0 and warns (C704); damaged
// ones that were passed over are warned of (C701).
Result<Progress> startStates(StepProgram& step, const RankOptions& options, const data::Schedule& schedule, comm::Group& group,
                             const RankHooks& hooks);

// All ranks must have the same settings, data, weights and place, and own each slice once. Errors R508, R511.
Result<void> agree(const StepProgram& step, const RankOptions& options, const data::Split& train, const Progress& progress,
                   comm::Group& group);

}  // namespace lockstep::train
