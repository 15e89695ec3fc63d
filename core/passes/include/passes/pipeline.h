// From a forward graph to a training step: the list of passes, in order, in one readable function (pipeline.cpp). Each pass is a
// function graph → graph in a file of its own, timed and verified by one gate.
#pragma once

#include <base/clock.h>
#include <base/result.h>
#include <graph/graph.h>
#include <nn/model.h>
#include <nn/optimizer.h>
#include <passes/recompute.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::passes {

struct TrainStepOptions {
    nn::OptimizerOptions optimizer;
    std::size_t bytesPerPack = 25u << 20;  // bucket size; a pack is closed once it exceeds this (TensorFlow's rule)
    // false: one rank alone. Outputs travel in the last bucket (passes.h, bucketGradients).
    bool allReduce = true;
    int ranks = 1;  // that sum: regularizers count once
    // Keras' reduction: the mean of the ranks' means (passes.h, rowMeans), and each rank clips its own gradient before the sum.
    bool meanOfRanks = false;
    int accumulation = 1;  // batches per update; > 1 gives TrainStep::micro
    // Parts of a batch that run one after the other and make one update: > 1 gives TrainStep::micro. Batch normalisation takes each
    // part's own statistics; moving statistics are updated with their mean over the rows of the whole batch. Of each rank, and of each
    // batch of an accumulation. Not with meanOfRanks (X009).
    int slices = 1;
    bool gradientNorm = true;             // output "gradient_norm", of the reduced gradient
    std::vector<RecomputeCut> recompute;  // activations dropped between these places and computed again; none: all are kept
    std::vector<std::string> disabled;    // names of optional passes to leave out
    std::function<void(const std::string& pass, const graph::Graph&)> dump;  // called after every pass
};

struct PassTime {
    std::string pass;
    Seconds time{};
};

struct TrainStep {
    graph::Graph graph;  // outputs: loss, correct (both summed over ranks), gradient_norm; those of a dynamic loss scale (passes.h)
    // What runs for every batch of an update but the last: sums gradients (passes.h, accumulate). Shares its States with `graph`.
    std::optional<graph::Graph> micro;
    std::string lastForward;  // name of the node that the forward pass ends with (recompute.h)
    std::vector<PassTime> times;
};

// [scale_loss →] autodiff [→ unscale] → regularizers → accumulation → [clipping] → all-reduce buckets → gradient norm → optimizer → moving
// statistics → fuse → recompute, each verified.
Result<TrainStep> makeTrainStep(const nn::Model& model, const TrainStepOptions& options);

// The forward graph with its fusable parts fused: outputs logits, loss, correct of this rank's rows, and
// "regularization" when the model has regularizers: Keras adds it to the mean loss.
Result<graph::Graph> makeEvaluation(const nn::Model& model);

}  // namespace lockstep::passes
