#include <passes/passes.h>

#include "rewriter.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace lockstep::passes {

using graph::Attributes;
using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::OpKind;
using graph::Value;

namespace {

// Nodes that become one; it stands where the last of them stood, so that all inputs are there. `main` keeps its name.
struct Chain {
    NodeId main;                // MatMul, Conv2D or BatchNormalize
    std::optional<NodeId> add;  // BiasAdd, or Add of a BatchNormalize
    std::optional<NodeId> relu;
    NodeId last() const { return relu.value_or(add.value_or(main)); }
};

std::string_view activationOf(const Node& node) { return graph::textAttributeOr(node.attributes, "activation", ""); }

class Fuser {
public:
    explicit Fuser(const Graph& graph) : m_graph(graph), m_rewriter(graph) {
        m_readers.resize(graph.nodes().size());
        for (std::uint32_t n = 0; n < graph.nodes().size(); ++n) {
            for (const Value& value : graph.nodes()[n].inputs) m_readers[value.node.value].push_back(NodeId{n});
        }
        for (const auto& [name, value] : graph.outputs()) m_kept.insert(value.node);
    }

    Result<Graph> run() {
        std::map<NodeId, Chain> chains;  // by their last node
        std::set<NodeId> inside;
        for (std::uint32_t n = 0; n < m_graph.nodes().size(); ++n) {
            const auto chain = chainFrom(NodeId{n});
            if (!chain || inside.contains(chain->last()) || chains.contains(chain->last())) continue;
            chains.emplace(chain->last(), *chain);
            inside.insert(chain->main);
            if (chain->add) inside.insert(*chain->add);
        }
        for (std::uint32_t n = 0; n < m_graph.nodes().size(); ++n) {
            const auto chain = chains.find(NodeId{n});
            if (chain != chains.end())
                LS_TRY(append(chain->second));
            else if (masksNorm(NodeId{n}))
                continue;
            else if (const auto mask = maskOf(NodeId{n}))
                LS_TRY(appendMasked(NodeId{n}, *mask));
            else if (!inside.contains(NodeId{n}))
                LS_TRY(m_rewriter.copy(NodeId{n}));
        }
        return m_rewriter.finish();
    }

private:
    // The one reader of a node that nobody else reads.
    std::optional<NodeId> onlyReader(NodeId id) const {
        if (m_readers[id.value].size() != 1 || m_kept.contains(id)) return std::nullopt;
        return m_readers[id.value].front();
    }

    std::optional<Chain> chainFrom(NodeId id) const {
        const Node& node = m_graph.node(id);
        if (!activationOf(node).empty()) return std::nullopt;
        Chain chain{id, std::nullopt, std::nullopt};
        if ((node.op == OpKind::MatMul || node.op == OpKind::Conv2D) && node.inputs.size() == 2) {
            chain.add = readerOf(id, OpKind::BiasAdd);
            if (!chain.add || m_graph.node(*chain.add).inputs[0].node != id) return std::nullopt;
        } else if (node.op == OpKind::BatchNormalize) {
            if (node.inputs.size() == 5) chain.add = readerOf(id, OpKind::Add);
        } else {
            return std::nullopt;
        }
        chain.relu = readerOf(chain.last(), OpKind::Relu);
        if (!chain.add && !chain.relu) return std::nullopt;
        return chain;
    }

    std::optional<NodeId> readerOf(NodeId id, OpKind op) const {
        const auto reader = onlyReader(id);
        return reader && m_graph.node(*reader).op == op ? reader : std::nullopt;
    }

    Result<void> append(const Chain& chain) {
        const Node& main = m_graph.node(chain.main);
        std::vector<Value> inputs = m_rewriter.mapped(main.inputs);
        if (chain.add) {
            const auto& added = m_graph.node(*chain.add).inputs;
            inputs.push_back(m_rewriter.mapped(added[0].node == chain.main ? added[1] : added[0]));
        }
        Attributes attributes = main.attributes;
        if (chain.relu) attributes.insert_or_assign("activation", std::string("relu"));
        LS_TRY_ASSIGN(const NodeId id, m_rewriter.to().append(main.op, main.name, std::move(inputs), std::move(attributes)));
        m_rewriter.map({chain.last(), 0}, {id, 0});
        return {};
    }

    // Whether only gradients of normalisations read this ReluGrad, as the gradient they start from: they can mask it themselves.
    bool masksNorm(NodeId id) const {
        const auto& readers = m_readers[id.value];
        if (m_graph.node(id).op != OpKind::ReluGrad || readers.empty() || m_kept.contains(id)) return false;
        return std::ranges::all_of(readers, [&](NodeId reader) {
            const Node& node = m_graph.node(reader);
            const bool takesMask =
                node.op == OpKind::BatchNormReduceGrad || node.op == OpKind::BatchNormInputGrad || node.op == OpKind::BatchNormFrozenGrad;
            return takesMask && activationOf(node).empty() && node.inputs[0].node == id && std::ranges::count(readers, reader) == 1;
        });
    }

    std::optional<NodeId> maskOf(NodeId id) const {
        const Node& node = m_graph.node(id);
        if (node.inputs.empty() || !masksNorm(node.inputs[0].node)) return std::nullopt;
        return node.inputs[0].node;
    }

    Result<void> appendMasked(NodeId id, NodeId mask) {
        const Node& node = m_graph.node(id);
        const auto& masked = m_graph.node(mask).inputs;
        std::vector<Value> inputs = node.inputs;
        inputs[0] = masked[0];
        inputs.push_back(masked[1]);
        Attributes attributes = node.attributes;
        attributes.insert_or_assign("activation", std::string("relu"));
        LS_TRY_ASSIGN(const NodeId made, m_rewriter.to().append(node.op, node.name, m_rewriter.mapped(inputs), std::move(attributes)));
        for (std::uint32_t i = 0; i < node.outputs.size(); ++i) m_rewriter.map({id, i}, {made, i});
        return {};
    }

    const Graph& m_graph;
    Rewriter m_rewriter;
    std::vector<std::vector<NodeId>> m_readers;  // a node that reads twice stands twice
    std::set<NodeId> m_kept;                     // nodes with an output of the graph
};

}  // namespace

Result<Graph> fuse(const Graph& graph) { return Fuser(graph).run(); }

}  // namespace lockstep::passes
