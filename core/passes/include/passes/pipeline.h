// From a forward graph to a training step: the list of passes, in order, in one readable function (pipeline.cpp). Each pass is a
// function graph → graph in a file of its own, timed and verified by one gate.
#pragma once

#include <base/clock.h>
#include <base/result.h>
#include <graph/graph.h>
#include <nn/model.h>
#include <nn/optimizer.h>

#include <functional>
#include <string>
#include <vector>

namespace lockstep::passes {

struct TrainStepOptions {
    nn::OptimizerOptions optimizer;
    std::size_t bytesPerPack = 25u << 20;  // bucket size; a pack is closed once it exceeds this (TensorFlow's rule)
    // false: one rank alone. Outputs "loss", "correct" and, if the forward graph has it, "control" travel in the last bucket.
    bool allReduce = true;
    bool gradientNorm = true;                                                // output "gradient_norm", of the reduced gradient
    std::vector<std::string> disabled;                                       // names of optional passes to leave out
    std::function<void(const std::string& pass, const graph::Graph&)> dump;  // called after every pass
};

struct PassTime {
    std::string pass;
    Seconds time{};
};

struct TrainStep {
    graph::Graph graph;  // outputs: loss, correct (both summed over ranks), gradient_norm
    std::vector<PassTime> times;
};

// autodiff → all-reduce buckets → optimizer → fuse → verification of the lowered graph.
Result<TrainStep> makeTrainStep(const nn::Model& model, const TrainStepOptions& options);

// The forward graph with its fusable parts fused: outputs logits, loss, correct of this rank's rows.
Result<graph::Graph> makeEvaluation(const nn::Model& model);

}  // namespace lockstep::passes
