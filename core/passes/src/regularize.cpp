#include <passes/passes.h>

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::passes {

using graph::NodeId;
using graph::OpKind;
using graph::Value;

namespace {

Result<Value> append(Draft& draft, OpKind op, const std::string& name, std::vector<Value> inputs, graph::Attributes attributes = {}) {
    LS_TRY_ASSIGN(const NodeId id, draft.graph.append(op, name, std::move(inputs), std::move(attributes)));
    return Value{id, 0};
}

// factor · Σw² to the loss, 2 · factor · w to the gradient.
Result<void> addL2(Draft& draft, Value weight, double factor, Value* gradient) {
    const std::string name = draft.graph.node(weight.node).name + "/l2";
    LS_TRY_ASSIGN(const Value squares, append(draft, OpKind::SquareSum, name, {weight}));
    const Value loss = draft.graph.outputs().find("loss")->second;
    LS_TRY_ASSIGN(const Value whole, append(draft, OpKind::AddScaled, name + "/loss", {loss, squares}, {{"factor", factor}}));
    draft.graph.setOutput("loss", whole);
    if (gradient == nullptr) return {};
    LS_TRY_ASSIGN(*gradient, append(draft, OpKind::AddScaled, name + "/gradient", {*gradient, weight}, {{"factor", 2 * factor}}));
    return {};
}

}  // namespace

Result<void> regularize(Draft& draft, std::span<const nn::Regularization> regularizations, double share) {
    for (const nn::Regularization& regularization : regularizations) {
        if (regularization.l1 != 0)
            return makeError(
                "X009",
                {{"what", "an L1 regularizer"}, {"why", "The gradient of |w| is not built yet."}, {"next", "Use an L2 regularizer."}});
        const auto pair = std::ranges::find(draft.gradients, regularization.weight, &nn::WeightGradient::weight);
        // A frozen weight adds to the loss, but has no gradient.
        LS_TRY(addL2(draft, regularization.weight, regularization.l2 * share, pair == draft.gradients.end() ? nullptr : &pair->gradient));
    }
    return {};
}

}  // namespace lockstep::passes
