// The passes themselves, one file each: pipeline.cpp puts them in order. For tests and tools that want a single one; threads: any, each
// call works on its own draft.
#pragma once

#include <base/result.h>
#include <graph/graph.h>
#include <nn/optimizer.h>

#include <cstddef>
#include <vector>

namespace lockstep::passes {

// A training step in the making.
struct Draft {
    graph::Graph graph;
    std::vector<nn::WeightGradient> gradients;  // in the order of the weights' States, once autodiff has run
};

// Appends the backward pass of output "loss" for every State of role weight that the loss depends on; keeps outputs loss and correct,
// drops logits. Only nodes between a weight and the loss are walked. Error S409: an op on the way has no gradient.
Result<void> autodiff(Draft& draft);

// Puts the gradients into buckets in the order in which backward produces them and an AllReduce right behind the last gradient of each.
// A bucket is closed once it exceeds `bytesPerPack` bytes (0 = one bucket); loss and correct ride in the last one. Afterwards gradients
// and outputs are the sums over all ranks.
Result<void> bucketGradients(Draft& draft, std::size_t bytesPerPack);

// Output "gradient_norm": the Euclidean norm of all gradients together.
Result<void> gradientNorm(Draft& draft);

// The optimizer's slots and updates, behind everything else.
Result<void> updates(Draft& draft, const nn::OptimizerOptions& optimizer);

// Where nothing else reads what lies between, these become one node: MatMul or Conv2D, then BiasAdd[, then Relu]; BatchNormalize[, then
// Add][, then Relu]; a ReluGrad and the gradients of a normalisation that start from it.
Result<graph::Graph> fuse(const graph::Graph& graph);

}  // namespace lockstep::passes
