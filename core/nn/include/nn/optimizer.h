// Optimizers with Keras' names, defaults and update rules (Keras 3, optimizers/sgd.py and adam.py).
#pragma once

#include <base/result.h>
#include <graph/graph.h>

#include <string>

namespace lockstep::nn {

struct OptimizerOptions {
    std::string name = "adam";    // sgd, adam
    double learningRate = 0.001;  // Keras' default of adam; of sgd 0.01
    double momentum = 0.0;        // sgd
    bool nesterov = false;        // sgd
    double beta1 = 0.9;           // adam
    double beta2 = 0.999;
    double epsilon = 1e-7;
    bool operator==(const OptimizerOptions&) const = default;
};

// One weight with its gradient, both values of the graph that is being extended.
struct WeightGradient {
    graph::Value weight;
    graph::Value gradient;
};

// Appends slots (States named "<weight>/momentum", "<weight>/m", "<weight>/v"; Inputs "learning_rate" and, for Adam, "step" — 1-based —
// both scalars in the weights' dtype) and the update nodes. Error S411: unknown optimizer or an option out of range.
// Slots are State nodes and thus must precede the updates; the pass that calls this appends to a copy of the graph.
Result<void> appendUpdates(graph::Graph& graph, const OptimizerOptions& options, const std::vector<WeightGradient>& gradients);

}  // namespace lockstep::nn
