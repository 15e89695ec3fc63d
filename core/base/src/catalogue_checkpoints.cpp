#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"C701", "Checkpoint {checkpoint} is incomplete or its checksum differs.", "{reason}", "{next}", 1},
    {"C702", "Checkpoint {checkpoint} belongs to another specification.",
     "Its model, data, training or seed differ: it was written under {found}, this run is {wanted}.",
     "Start a new run, or resume with the specification it was made with.", 3},
    {"C703", "Checkpoint {checkpoint} does not fit this run: {what}.", "The data or the model changed since it was written.",
     "Put the earlier data back, or start a new run.", 3},
    {"C704", "There is no checkpoint in {folder} yet.", "The run ended before its first one.", "It starts again from its first step.", 1},
    {"C705", "The checkpoint of step {step} was not written within {seconds} s.", "The disk or network share stalls.",
     "Look at the disk; earlier checkpoints are unchanged.", 1},
    {"C706", "Run {run} has no checkpoint yet.", "It has not come to its first one, or ended before it.",
     "Wait for it (checkpoint.every), or train with: lockstep run.", 1},
    {"C707", "Run {run} has no checkpoint {which}.", "{reason}", "Leave --checkpoint out to take the newest.", 2},
    {"C710", "The weights in {file} don't fit layer {layer}: {what}.",
     "The file was put together from parts of several models, or changed.",
     "Save the model again with Keras 3: model.save(\"name.keras\").", 3},
    {"C711", "A weight can't be used: {what}.", "The file keeps it as another kind of number than the model computes with.",
     "Save the model with float32 weights.", 3},
};

}  // namespace

std::span<const CatalogueRow> checkpoints() { return kRows; }

}  // namespace lockstep::rows
