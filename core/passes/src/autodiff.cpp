#include <passes/passes.h>

#include <graph/gradients.h>

#include <optional>
#include <set>

namespace lockstep::passes {

using graph::Gradients;
using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::OpKind;
using graph::Value;

namespace {

bool isWeight(const Node& node) { return node.op == OpKind::State && graph::textAttribute(node.attributes, "role") == "weight"; }

// Values that depend on a weight.
std::set<Value> valuesFromWeights(const Graph& graph) {
    std::set<Value> found;
    for (std::uint32_t n = 0; n < graph.nodes().size(); ++n) {
        const Node& node = graph.nodes()[n];
        bool depends = isWeight(node);
        for (const Value& input : node.inputs) depends = depends || found.contains(input);
        for (std::uint32_t i = 0; depends && i < node.outputs.size(); ++i) found.insert({NodeId{n}, i});
    }
    return found;
}

// Of these, the ones that the loss depends on.
std::set<Value> leadingTo(const Graph& graph, Value loss, const std::set<Value>& candidates) {
    std::set<Value> found;
    if (candidates.contains(loss)) found.insert(loss);
    for (std::uint32_t n = loss.node.value + 1; n-- > 0;) {
        const Node& node = graph.nodes()[n];
        bool leads = false;
        for (std::uint32_t i = 0; i < node.outputs.size(); ++i) leads = leads || found.contains({NodeId{n}, i});
        for (const Value& input : node.inputs) {
            if (leads && candidates.contains(input)) found.insert(input);
        }
    }
    return found;
}

Result<void> differentiate(Gradients& gradients, NodeId id, Value loss) {
    // A copy: the rule appends to the graph that holds the node.
    const Node node = gradients.graph().node(id);
    if (node.op == OpKind::State) return {};
    std::vector<std::optional<Value>> outputGradients;
    bool any = id == loss.node;
    for (std::uint32_t i = 0; id != loss.node && i < node.outputs.size(); ++i) {
        outputGradients.push_back(gradients.of({id, i}));
        any = any || outputGradients.back().has_value();
    }
    if (!any) return {};
    const auto rule = graph::opRow(node.op).gradient;
    if (rule == nullptr) return makeError("S409", {{"op", std::string(graph::opRow(node.op).name)}, {"name", node.name}, {"why", ""}});
    return rule(gradients, node, outputGradients);
}

}  // namespace

Result<void> autodiff(Draft& draft) {
    const Graph forward = draft.graph;
    Graph result;
    // Everything but the output that only the forward pass has.
    for (const Node& node : forward.nodes()) LS_TRY(result.append(node.op, node.name, node.inputs, node.attributes));
    for (const auto& [name, value] : forward.outputs())
        if (name != "logits") result.setOutput(name, value);
    const auto loss = result.outputs().find("loss");
    if (loss == result.outputs().end()) return makeError("S406", {{"rule", "output \"loss\" exists"}, {"node", "none"}});

    const std::set<Value> wanted = leadingTo(forward, loss->second, valuesFromWeights(forward));
    Gradients gradients(result, wanted);
    for (std::uint32_t n = loss->second.node.value + 1; n-- > 0;) {
        bool onTheWay = false;
        for (std::uint32_t i = 0; i < forward.nodes()[n].outputs.size(); ++i) onTheWay = onTheWay || wanted.contains({NodeId{n}, i});
        if (onTheWay) LS_TRY(differentiate(gradients, NodeId{n}, loss->second));
    }
    draft.gradients.clear();
    for (const NodeId id : forward.nodesOf(OpKind::State)) {
        if (const auto gradient = gradients.of({id, 0})) draft.gradients.push_back({{id, 0}, *gradient});
    }
    draft.graph = std::move(result);
    return {};
}

}  // namespace lockstep::passes
