#include <passes/pipeline.h>

#include <passes/passes.h>

#include "gate.h"

namespace lockstep::passes {
namespace {

// Updates stand at the end, so nothing asks for the gradients afterwards.
Result<void> fuseDraft(Draft& draft) {
    LS_TRY_ASSIGN(draft.graph, fuse(draft.graph));
    draft.gradients.clear();
    return {};
}

}  // namespace

Result<TrainStep> makeTrainStep(const nn::Model& model, const TrainStepOptions& options) {
    LS_TRY_ASSIGN(Gate gate, Gate::create(options, {"fuse"}));
    Draft draft{model.forward, {}};

    // First: all other passes place or read gradients.
    LS_TRY(gate.run("autodiff", draft, [](Draft& d) { return autodiff(d); }));
    // Before anything reads a gradient, so that every reader gets the sum over the ranks.
    if (options.allReduce) LS_TRY(gate.run("bucket_gradients", draft, [&](Draft& d) { return bucketGradients(d, options.bytesPerPack); }));
    // Reads all sums, so that from here on every bucket has arrived: no update of a step starts before.
    if (options.gradientNorm) LS_TRY(gate.run("gradient_norm", draft, [](Draft& d) { return gradientNorm(d); }));
    // Changes the weights, so nothing may read them later.
    LS_TRY(gate.run("updates", draft, [&](Draft& d) { return updates(d, options.optimizer); }));
    // Last: gradient rules and tests speak of single ops; executors are faster with joined ones.
    LS_TRY(gate.run("fuse", draft, fuseDraft));

    return TrainStep{std::move(draft.graph), gate.takeTimes()};
}

Result<graph::Graph> makeEvaluation(const nn::Model& model) {
    LS_TRY_ASSIGN(graph::Graph fused, fuse(model.forward));
    LS_TRY(verify(fused));
    return fused;
}

}  // namespace lockstep::passes
