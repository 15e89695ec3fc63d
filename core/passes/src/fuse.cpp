#include <passes/passes.h>

#include "rewriter.h"

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

// Nodes that become one; it stands where the last of them stood, so that all inputs are there.
struct Chain {
    NodeId product;
    NodeId bias;
    std::optional<NodeId> relu;
    NodeId last() const { return relu.value_or(bias); }
};

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
            if (!chain) continue;
            chains.emplace(chain->last(), *chain);
            inside.insert({chain->product, chain->bias});
        }
        for (std::uint32_t n = 0; n < m_graph.nodes().size(); ++n) {
            const auto chain = chains.find(NodeId{n});
            if (chain != chains.end())
                LS_TRY(append(chain->second));
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
        const Node& product = m_graph.node(id);
        const bool plain = product.inputs.size() == 2 && graph::textAttributeOr(product.attributes, "activation", "").empty();
        if ((product.op != OpKind::MatMul && product.op != OpKind::Conv2D) || !plain) return std::nullopt;
        const auto bias = onlyReader(id);
        if (!bias || m_graph.node(*bias).op != OpKind::BiasAdd || m_graph.node(*bias).inputs[0].node != id) return std::nullopt;
        const auto relu = onlyReader(*bias);
        if (!relu || m_graph.node(*relu).op != OpKind::Relu) return Chain{id, *bias, std::nullopt};
        return Chain{id, *bias, relu};
    }

    Result<void> append(const Chain& chain) {
        const Node& product = m_graph.node(chain.product);
        std::vector<Value> inputs = m_rewriter.mapped(product.inputs);
        inputs.push_back(m_rewriter.mapped(m_graph.node(chain.bias).inputs[1]));
        Attributes attributes = product.attributes;
        if (chain.relu) attributes.insert_or_assign("activation", std::string("relu"));
        LS_TRY_ASSIGN(const NodeId id, m_rewriter.to().append(product.op, product.name, std::move(inputs), std::move(attributes)));
        m_rewriter.map({chain.last(), 0}, {id, 0});
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
