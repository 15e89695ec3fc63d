#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"R501", "Rank {missing} didn't join within {seconds} s; {present} did.", "It has not started, or it cannot reach the others.", "Read its log with: lockstep logs {run} --rank {missing}.", 8},
    {"R502", "Rank {rank} ended with {how} at step {step}.", "{meaning}", "Read its log with: lockstep logs {run} --rank {rank}; continue with: lockstep resume {run}.", 6},
    {"R503", "Loss became {value} at step {step} on rank {rank}.", "The update diverged.", "Resume from the last checkpoint with a lower learning rate.", 7},
};

}  // namespace

std::span<const CatalogueRow> runs() { return kRows; }

}  // namespace lockstep::rows
