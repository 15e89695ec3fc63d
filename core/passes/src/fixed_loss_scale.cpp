#include <passes/passes.h>

#include <fmt/format.h>

namespace lockstep::passes {

using graph::NodeId;
using graph::OpKind;
using graph::Value;

Result<void> scaleLossFixed(Draft& draft) {
    const Value loss = draft.graph.outputs().find("loss")->second;
    LS_TRY_ASSIGN(const Value factor, draft.graph.input("loss_scale_factor", {draft.graph.type(loss).dtype, {}}));
    LS_TRY_ASSIGN(const NodeId scaled, draft.graph.append(OpKind::MulScalar, "loss_scale_factor/scaled_loss", {loss, factor}));
    draft.graph.setOutput("loss", {scaled, 0});
    return {};
}

Result<void> unscaleFixed(Draft& draft, double factor) {
    const Value scaled = draft.graph.outputs().find("loss")->second;
    draft.graph.setOutput("loss", Value(draft.graph.node(scaled.node).inputs[0]));
    for (auto& pair : draft.gradients) {
        const std::string name = fmt::format("{}/gradient_unscaled_by_factor", draft.graph.node(pair.weight.node).name);
        LS_TRY_ASSIGN(const NodeId id, draft.graph.append(OpKind::Scale, name, {pair.gradient}, {{"factor", 1.0 / factor}}));
        pair.gradient = {id, 0};
    }
    return {};
}

}  // namespace lockstep::passes
