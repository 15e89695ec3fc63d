// The passes themselves, one file each: pipeline.cpp puts them in order. For tests and tools that want a single one; threads: any, each
// call works on its own draft.
#pragma once

#include <base/result.h>
#include <graph/graph.h>
#include <nn/model.h>
#include <nn/optimizer.h>

#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::passes {

// A training step in the making.
struct Draft {
    graph::Graph graph;
    std::vector<nn::WeightGradient> gradients = {};    // in the order of the weights' States, once autodiff has run
    std::vector<nn::MovingStatistic> statistics = {};  // of the model; their values belong to `graph`
};

// Appends the backward pass of output "loss" for every State of role weight that the loss depends on; keeps outputs loss and correct,
// drops logits. Only nodes between a weight and the loss are walked. Error S409: an op on the way has no gradient.
Result<void> autodiff(Draft& draft);

// Adds l1·Σ|w| + l2·Σw² to output "loss" and the derivatives to the gradients, times `share`: 1 / (ranks · batches of an update), so that
// the sums over those count it once.
Result<void> regularize(Draft& draft, std::span<const nn::Regularization> regularizations, double share);

// A dynamic loss scale, in four parts of the pipeline. Around autodiff: output "loss" is multiplied by the State nn::kLossScale, then the
// gradients are divided by it and "loss" is what it was.
Result<void> scaleLoss(Draft& draft);
Result<void> unscaleGradients(Draft& draft);
// Around the updates: those behind this one happen only where all gradients, reduced over the ranks, are finite (output "finite", 1 or 0);
// then the scale's own update (outputs "loss_scale", the next step's, and "skipped_steps"). Moving statistics are updated always, as
// in Keras.
Result<void> updateIfFinite(Draft& draft);
Result<void> updateLossScale(Draft& draft, const nn::OptimizerOptions& optimizer);

// Output "regularization": the whole of those sums, for an evaluation. None when there are no regularizers.
Result<void> appendRegularization(Draft& draft, std::span<const nn::Regularization> regularizations);

// A fixed loss scale (Keras' loss_scale_factor): output "loss" is multiplied by Input "loss_scale_factor" before backward, and
// unscaleFixed() divides what came out; the loss that is told stays as it was. Keeps small gradients above zero on the way.
Result<void> scaleLossFixed(Draft& draft);
Result<void> unscaleFixed(Draft& draft, double factor);

// Keras' reduction (distribution.reduction: keras): the ranks' losses are means of their own rows, divided by the ranks. Output "row_loss",
// "correct" and further metrics become parts of means over all rows: they are multiplied by Input "row_share" = ranks · rows of this rank /
// rows of the batch.
Result<void> rowMeans(Draft& draft);

// Gradient accumulation over batches, or over their slices. Gives the micro step: everything of the draft so far and, instead of an update,
// what it adds to accumulators (slots "<weight>/gradient_accumulator", and one for each output): sum = keep·sum + value, Input "keep" = 0
// in the first micro step of an update, else 1. The draft becomes the last micro step: its gradients and outputs are the sums with the
// accumulators. In both, output "batch_<name>" is that of the one batch on this rank alone. The moving statistics of the micro step are in
// it; with several ranks as this rank's part, which the last micro step takes in (slots "<statistic>/rank_part"). When they are Summed, too
// (slots "<statistic>/gradient_accumulator"), because a micro step sees a part of a batch only, they are updated once, with the sum. With
// several batches an earlier one's part of that sum fades: in a micro step it is statistics_keep·sum + value, and that Input is 0 in the
// first of an update, the momentum in the first of a later batch, else 1. Error X009: several momenta then.
enum class Statistics : std::uint8_t { OfEachBatch, Summed };
struct Accumulation {
    int batches = 1;
    int ranks = 1;
    Statistics statistics = Statistics::OfEachBatch;
};
Result<graph::Graph> accumulate(Draft& draft, const Accumulation& over);

// The optimizer's clipping, ahead of the sum over ranks; updates() then gets nn::withoutClipping().
Result<void> clip(Draft& draft, const nn::OptimizerOptions& optimizer);

// Puts the gradients into buckets in the order in which backward produces them and an AllReduce right behind the last gradient of each.
// A bucket is closed once it exceeds `bytesPerPack` bytes (0 = one bucket); outputs loss, correct, control, row_loss and metric/… and the
// values of the moving statistics ride in the last one. Afterwards gradients, outputs and those values are the sums over all ranks.
Result<void> bucketGradients(Draft& draft, std::size_t bytesPerPack);

// Output "gradient_norm": the Euclidean norm of all gradients together.
Result<void> gradientNorm(Draft& draft);

// The optimizer's slots and updates, behind everything else.
Result<void> updates(Draft& draft, const nn::OptimizerOptions& optimizer);

// The moving statistics' updates, behind everything else; `summed` over ranks or slices. Error X009: tf_keras' moving variance then.
Result<void> movingStatistics(Draft& draft, bool summed);

// Where nothing else reads what lies between, these become one node: MatMul or Conv2D, then BiasAdd[, then Relu]; BatchNormalize[, then
// Add][, then Relu]; a ReluGrad and the gradients of a normalisation that start from it.
Result<graph::Graph> fuse(const graph::Graph& graph);

}  // namespace lockstep::passes
