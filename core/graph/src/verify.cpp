#include <graph/graph.h>

#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::graph {
namespace {

std::string describe(const Node& node, std::size_t index) {
    std::string inputs;
    for (const Value& value : node.inputs) {
        inputs += fmt::format("{}%{}", inputs.empty() ? "" : ", ", value.node.value);
        if (value.output != 0) inputs += fmt::format(".{}", value.output);
    }
    return fmt::format("%{} = {} \"{}\" ({})", index, opRow(node.op).name, node.name, inputs);
}

// Walks the nodes once and remembers what later nodes may no longer do.
class Verifier {
public:
    explicit Verifier(const Graph& graph) : m_graph(graph) {}

    Result<void> run() {
        for (m_at = 0; m_at < m_graph.nodes().size(); ++m_at) {
            LS_TRY(checkReads());
            LS_TRY(checkUpdate());
            LS_TRY(checkAllReduce());
        }
        return checkOutputs();
    }

private:
    const Node& node() const { return m_graph.nodes()[m_at]; }

    Error broken(std::string_view rule) const { return makeError("S406", {{"rule", std::string(rule)}, {"node", describe(node(), m_at)}}); }

    bool exists(const Value& value) const {
        return value.node.value < m_graph.nodes().size() && value.output < m_graph.node(value.node).outputs.size();
    }

    // The value whose memory a chain of Reshapes shows.
    Value root(Value value) const {
        while (m_graph.node(value.node).op == OpKind::Reshape) value = m_graph.node(value.node).inputs[0];
        return value;
    }

    Result<void> checkReads() const {
        for (const Value& value : node().inputs) {
            if (m_updated.contains(root(value).node)) return broken("a state is not read after its update");
            if (m_reduced.contains(value)) return broken("an input of an all_reduce is not read after it");
        }
        return {};
    }

    Result<void> checkUpdate() {
        for (const std::size_t index : stateInputs(node())) {
            const Value value = node().inputs[index];
            if (m_graph.node(value.node).op != OpKind::State) return broken("an update changes states only");
            if (!m_updated.insert(value.node).second) return broken("a state is updated once");
        }
        return {};
    }

    Result<void> checkAllReduce() {
        if (node().op != OpKind::AllReduce) return {};
        if (intAttribute(node().attributes, "bucket") != m_buckets++) return broken("buckets count 0, 1, … in the order of the nodes");
        for (const Value& value : node().inputs) {
            const OpKind source = m_graph.node(root(value).node).op;
            if (source == OpKind::Input || source == OpKind::State || source == OpKind::AllReduce || opRow(source).updatesState) {
                return broken("an all_reduce sums computed values");
            }
            if (!m_reduced.insert(value).second) return broken("a value is summed once");
        }
        return {};
    }

    Result<void> checkOutputs() const {
        for (const auto& [name, value] : m_graph.outputs()) {
            const std::string rule = exists(value) ? fmt::format("output \"{}\" is not overwritten by an all_reduce", name)
                                                   : fmt::format("output \"{}\" exists", name);
            if (exists(value) && !m_reduced.contains(value)) continue;
            return makeError("S406", {{"rule", rule}, {"node", fmt::format("%{}.{}", value.node.value, value.output)}});
        }
        return {};
    }

    const Graph& m_graph;
    std::size_t m_at = 0;
    std::set<NodeId> m_updated;
    std::set<Value> m_reduced;
    std::int64_t m_buckets = 0;
};

}  // namespace

Result<void> verify(const Graph& graph) { return Verifier(graph).run(); }

}  // namespace lockstep::graph
