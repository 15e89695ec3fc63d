// A small training step written by hand: one dense layer, loss, gradients, sums over ranks, update.
#pragma once

#include <graph/graph.h>

namespace lockstep::exec {

struct StepGraphOptions {
    bool allReduce = true;
    graph::DType dtype = graph::DType::F32;
};

// Inputs x [4, 3], labels [4], weights [4], learning_rate, step; States w [3, 2], b [2], w/m, w/v, b/momentum.
// Buckets: 0 = (db, dw), 1 = (loss), 2 = a reshaped copy of the logits' gradient. Outputs loss, gradient (the sum of bucket 2).
Result<graph::Graph> stepGraph(const StepGraphOptions& options);

}  // namespace lockstep::exec
