#include <passes/passes.h>

namespace lockstep::passes {

using graph::NodeId;
using graph::OpKind;
using graph::Value;

Result<void> gradientNorm(Draft& draft) {
    std::vector<Value> all;
    for (const auto& pair : draft.gradients) all.push_back(pair.gradient);
    LS_TRY_ASSIGN(const NodeId squares, draft.graph.append(OpKind::SquareSum, "gradient_norm/square_sum", std::move(all)));
    LS_TRY_ASSIGN(const NodeId norm, draft.graph.append(OpKind::Sqrt, "gradient_norm", {{squares, 0}}));
    draft.graph.setOutput("gradient_norm", {norm, 0});
    return {};
}

}  // namespace lockstep::passes
