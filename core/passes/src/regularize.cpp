#include <passes/passes.h>

#include <algorithm>
#include <array>
#include <optional>

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

// A regularizer: factor · sum(w) to the loss, its derivative to the gradient.
struct Term {
    const char* name;
    OpKind sum;
    double factor;
};

std::array<Term, 2> termsOf(const nn::Regularization& regularization, double share) {
    return {{{"l1", OpKind::AbsSum, regularization.l1 * share}, {"l2", OpKind::SquareSum, regularization.l2 * share}}};
}

Result<void> addTerm(Draft& draft, Value weight, const Term& term, Value* gradient) {
    const std::string name = draft.graph.node(weight.node).name + "/" + term.name;
    LS_TRY_ASSIGN(const Value sum, append(draft, term.sum, name, {weight}));
    const Value loss = draft.graph.outputs().find("loss")->second;
    LS_TRY_ASSIGN(const Value whole, append(draft, OpKind::AddScaled, name + "/loss", {loss, sum}, {{"factor", term.factor}}));
    draft.graph.setOutput("loss", whole);
    if (gradient == nullptr) return {};
    Value slope = weight;
    if (term.sum == OpKind::AbsSum) {
        LS_TRY_ASSIGN(slope, append(draft, OpKind::Sign, name + "/sign", {weight}));
    }
    const double factor = term.sum == OpKind::AbsSum ? term.factor : 2 * term.factor;
    LS_TRY_ASSIGN(*gradient, append(draft, OpKind::AddScaled, name + "/gradient", {*gradient, slope}, {{"factor", factor}}));
    return {};
}

}  // namespace

Result<void> regularize(Draft& draft, std::span<const nn::Regularization> regularizations, double share) {
    for (const nn::Regularization& regularization : regularizations) {
        const auto pair = std::ranges::find(draft.gradients, regularization.weight, &nn::WeightGradient::weight);
        // A frozen weight adds to the loss, but has no gradient.
        Value* const gradient = pair == draft.gradients.end() ? nullptr : &pair->gradient;
        for (const Term& term : termsOf(regularization, share))
            if (term.factor != 0) LS_TRY(addTerm(draft, regularization.weight, term, gradient));
    }
    return {};
}

Result<void> appendRegularization(Draft& draft, std::span<const nn::Regularization> regularizations) {
    std::optional<Value> whole;
    for (const nn::Regularization& regularization : regularizations) {
        for (const Term& term : termsOf(regularization, 1)) {
            if (term.factor == 0) continue;
            const std::string name = draft.graph.node(regularization.weight.node).name + "/" + term.name;
            LS_TRY_ASSIGN(const Value sum, append(draft, term.sum, name, {regularization.weight}));
            const graph::Attributes factor = {{"factor", term.factor}};
            if (whole) {
                LS_TRY_ASSIGN(whole, append(draft, OpKind::AddScaled, name + "/loss", {*whole, sum}, factor));
            } else {
                LS_TRY_ASSIGN(whole, append(draft, OpKind::Scale, name + "/loss", {sum}, factor));
            }
        }
    }
    if (whole) draft.graph.setOutput("regularization", *whole);
    return {};
}

}  // namespace lockstep::passes
