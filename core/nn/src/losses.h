// The end of a model: loss and metrics of its result.
#pragma once

#include "model_builder.h"

namespace lockstep::nn {

// Inputs "labels" and "weights", before the layers; "targets" comes with the loss, as it has the shape of the result.
struct LossInputs {
    std::optional<graph::Value> labels;
    graph::Value weights;
};
Result<LossInputs> addLossInputs(ModelBuilder& builder, const LossOptions& loss);

// Outputs "logits", "loss", "correct" and the further metrics.
Result<void> addLoss(ModelBuilder& builder, const ModelOptions& options, graph::Value result, const LossInputs& inputs);

}  // namespace lockstep::nn
