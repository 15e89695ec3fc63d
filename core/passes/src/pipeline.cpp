#include <passes/pipeline.h>

#include <passes/passes.h>

#include "gate.h"

namespace lockstep::passes {
namespace {

// Updates stand at the end, so nothing asks for the gradients afterwards.
Result<void> fuseDraft(Draft& draft) {
    LS_TRY_ASSIGN(draft.graph, fuse(draft.graph));
    draft.gradients.clear();
    draft.statistics.clear();
    return {};
}

// What a rank may sum before an update.
Result<void> checkSums(const TrainStepOptions& options) {
    if (options.slices > 1 && options.meanOfRanks)
        return makeError("X009", {{"what", "distribution.reduction: keras with several slices per rank"},
                                  {"why", "Keras' replicas take the mean of all their rows at once."},
                                  {"next", "Use distribution.reduction: rows, or one slice per replica."}});
    return {};
}

// What all batches or slices of an update run but the last, for which the draft is left.
Result<Draft> splitOff(Draft& draft, const TrainStepOptions& options) {
    const Statistics statistics = options.slices > 1 ? Statistics::Summed : Statistics::OfEachBatch;
    LS_TRY_ASSIGN(graph::Graph micro, accumulate(draft, {options.accumulation, options.allReduce ? options.ranks : 1, statistics}));
    return Draft{std::move(micro), {}, {}};
}

}  // namespace

Result<TrainStep> makeTrainStep(const nn::Model& model, const TrainStepOptions& options) {
    LS_TRY_ASSIGN(Gate gate, Gate::create(options, {"fuse"}));
    LS_TRY(checkSums(options));
    Draft draft{model.forward, {}, model.movingStatistics};
    std::optional<Draft> micro;
    const graph::Graph forward = draft.graph;
    const std::string lastForward = forward.nodes().empty() ? std::string() : forward.nodes().back().name;
    const bool scales = options.optimizer.dynamicLossScale;
    const auto factor = options.optimizer.lossScaleFactor;
    if (factor) LS_TRY(gate.run("scale_loss_fixed", draft, scaleLossFixed));
    if (scales) LS_TRY(gate.run("scale_loss", draft, [](Draft& d) { return scaleLoss(d); }));
    // First: all other passes place or read gradients.
    LS_TRY(gate.run("autodiff", draft, [](Draft& d) { return autodiff(d); }));
    // Before anything is added to a gradient that the scale did not multiply.
    if (scales) LS_TRY(gate.run("unscale_gradients", draft, [](Draft& d) { return unscaleGradients(d); }));
    if (factor) LS_TRY(gate.run("unscale_fixed", draft, [&](Draft& d) { return unscaleFixed(d, *factor); }));
    // Part of the loss, so before anything sums it.
    const double share = 1.0 / (static_cast<double>(options.ranks) * options.accumulation * options.slices);
    if (!model.regularizations.empty())
        LS_TRY(gate.run("regularize", draft, [&](Draft& d) { return regularize(d, model.regularizations, share); }));
    if (options.meanOfRanks) LS_TRY(gate.run("row_means", draft, rowMeans));
    // Of one rank: what it sums is what the ranks then sum.
    if (options.accumulation > 1 || options.slices > 1) {
        LS_TRY(gate.run("accumulate", draft, [&](Draft& d) -> Result<void> {
            LS_TRY_ASSIGN(micro, splitOff(d, options));
            return {};
        }));
    }
    nn::OptimizerOptions optimizer = options.optimizer;
    optimizer.lossScaleFactor.reset();  // the gradients are unscaled
    if (options.meanOfRanks) {
        LS_TRY(gate.run("clip", draft, [&](Draft& d) { return clip(d, optimizer); }));
        optimizer = nn::withoutClipping(optimizer);
    }
    // Before anything reads a gradient, so that every reader gets the sum over the ranks.
    if (options.allReduce) LS_TRY(gate.run("bucket_gradients", draft, [&](Draft& d) { return bucketGradients(d, options.bytesPerPack); }));
    // Reads all sums, so that from here on every bucket has arrived: no update of a step starts before.
    if (options.gradientNorm) LS_TRY(gate.run("gradient_norm", draft, [](Draft& d) { return gradientNorm(d); }));
    if (scales) LS_TRY(gate.run("update_if_finite", draft, [](Draft& d) { return updateIfFinite(d); }));
    // Changes the weights, so nothing may read them later.
    LS_TRY(gate.run("updates", draft, [&](Draft& d) { return updates(d, optimizer); }));
    if (scales) LS_TRY(gate.run("update_loss_scale", draft, [&](Draft& d) { return updateLossScale(d, options.optimizer); }));
    if (!draft.statistics.empty())
        LS_TRY(
            gate.run("moving_statistics", draft, [&](Draft& d) { return movingStatistics(d, options.allReduce || options.slices > 1); }));
    // Last: gradient rules and tests speak of single ops; executors are faster with joined ones.
    LS_TRY(gate.run("fuse", draft, fuseDraft));
    if (micro) LS_TRY(gate.run("fuse", *micro, fuseDraft));
    // Behind the fusion: the copies are then of what runs, and nothing that is fused depends on who else reads a value.
    const auto recomputeDraft = [&](Draft& d) -> Result<void> {
        LS_TRY_ASSIGN(d.graph, recompute(d.graph, lastForward, afterFusion(forward, d.graph, options.recompute)));
        return {};
    };
    if (!options.recompute.empty()) LS_TRY(gate.run("recompute", draft, recomputeDraft));
    if (!options.recompute.empty() && micro) LS_TRY(gate.run("recompute", *micro, recomputeDraft));

    TrainStep step{std::move(draft.graph), std::nullopt, lastForward, gate.takeTimes()};
    if (micro) step.micro = std::move(micro->graph);
    return step;
}

Result<graph::Graph> makeEvaluation(const nn::Model& model) {
    Draft draft{model.forward};
    LS_TRY(appendRegularization(draft, model.regularizations));
    LS_TRY_ASSIGN(graph::Graph fused, fuse(draft.graph));
    LS_TRY(verify(fused));
    return fused;
}

}  // namespace lockstep::passes
