#include <passes/passes.h>

#include <string>
#include <vector>

namespace lockstep::passes {

using graph::NodeId;
using graph::OpKind;
using graph::Value;

Result<void> rowMeans(Draft& draft) {
    graph::Graph& graph = draft.graph;
    const auto loss = graph.outputs().find("loss")->second;
    graph.setOutput("row_loss", loss);
    LS_TRY_ASSIGN(const Value share, graph.input("row_share", {graph.type(loss).dtype, {}}));
    std::vector<std::string> names;
    for (const auto& [name, value] : graph.outputs())
        if (name == "row_loss" || name == "correct" || name.starts_with("metric/")) names.push_back(name);
    for (const std::string& name : names) {
        const Value value = graph.outputs().find(name)->second;
        LS_TRY_ASSIGN(const NodeId part, graph.append(OpKind::MulScalar, name + "/of_rows", {value, share}));
        graph.setOutput(name, {part, 0});
    }
    return {};
}

}  // namespace lockstep::passes
