// Keras' LossScaleOptimizer as graph: the loss is multiplied before autodiff, gradients are divided behind it, the optimizer's updates
// happen only where all reduced gradients are finite.
#include <passes/passes.h>

#include <fmt/format.h>

namespace lockstep::passes {

using graph::NodeId;
using graph::OpKind;
using graph::Value;

namespace {

Result<Value> append(graph::Graph& graph, OpKind op, const std::string& name, std::vector<Value> inputs,
                     graph::Attributes attributes = {}) {
    LS_TRY_ASSIGN(const NodeId id, graph.append(op, name, std::move(inputs), std::move(attributes)));
    return Value{id, 0};
}

Value scaleOf(const graph::Graph& graph) { return {*graph.find(nn::kLossScale), 0}; }

}  // namespace

Result<void> scaleLoss(Draft& draft) {
    const Value loss = draft.graph.outputs().find("loss")->second;
    LS_TRY_ASSIGN(const Value scale, draft.graph.state(std::string(nn::kLossScale), graph::TensorType(draft.graph.type(loss)), "slot"));
    LS_TRY_ASSIGN(const Value scaled, append(draft.graph, OpKind::MulScalar, "loss_scale/scaled_loss", {loss, scale}));
    draft.graph.setOutput("loss", scaled);
    return {};
}

Result<void> unscaleGradients(Draft& draft) {
    const Value scaled = draft.graph.outputs().find("loss")->second;
    draft.graph.setOutput("loss", Value(draft.graph.node(scaled.node).inputs[0]));
    for (auto& pair : draft.gradients) {
        const std::string name = draft.graph.node(pair.weight.node).name + "/gradient_unscaled";
        LS_TRY_ASSIGN(pair.gradient, append(draft.graph, OpKind::DivScalar, name, {pair.gradient, scaleOf(draft.graph)}));
    }
    return {};
}

Result<void> updateIfFinite(Draft& draft) {
    std::vector<Value> all;
    for (const auto& pair : draft.gradients) all.push_back(pair.gradient);
    LS_TRY_ASSIGN(const Value finite, append(draft.graph, OpKind::AllFinite, "loss_scale/all_finite", std::move(all)));
    LS_TRY_ASSIGN(const Value condition, append(draft.graph, OpKind::UpdateIf, "loss_scale/finite", {finite}));
    draft.graph.setOutput("finite", condition);
    return {};
}

Result<void> updateLossScale(Draft& draft, const nn::OptimizerOptions& optimizer) {
    graph::Graph& graph = draft.graph;
    const Value scale = scaleOf(graph);
    const graph::TensorType type = graph.type(scale);
    LS_TRY_ASSIGN(const Value counter, graph.state(std::string(nn::kLossScaleCounter), type, "slot"));
    LS_TRY_ASSIGN(const Value skipped, graph.state(std::string(nn::kSkippedSteps), type, "slot"));
    const Value finite = graph.outputs().find("finite")->second;
    LS_TRY_ASSIGN(const Value next, append(graph, OpKind::LossScaleUpdate, "loss_scale/update", {scale, counter, skipped, finite},
                                           {{"growth_steps", optimizer.lossScaleGrowthSteps}}));
    graph.setOutput("loss_scale", next);
    graph.setOutput("skipped_steps", {next.node, 2});
    return {};
}

}  // namespace lockstep::passes
