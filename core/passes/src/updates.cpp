#include <passes/passes.h>

namespace lockstep::passes {

Result<void> updates(Draft& draft, const nn::OptimizerOptions& optimizer) {
    return nn::appendUpdates(draft.graph, optimizer, draft.gradients);
}

Result<void> clip(Draft& draft, const nn::OptimizerOptions& optimizer) {
    return nn::appendClipping(draft.graph, optimizer, draft.gradients);
}

}  // namespace lockstep::passes
