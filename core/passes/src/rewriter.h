// Copies a graph node by node into a new one, so that a pass can leave out, replace or insert nodes on the way.
#pragma once

#include <graph/graph.h>

#include <map>
#include <utility>

namespace lockstep::passes {

class Rewriter {
public:
    explicit Rewriter(const graph::Graph& from) : m_from(from) {}

    graph::Graph& to() { return m_to; }

    // The node with its inputs as mapped so far; its outputs are mapped to the copy's.
    Result<void> copy(graph::NodeId id);
    // From now on readers of `from` read `to` of the new graph.
    void map(graph::Value from, graph::Value to) { m_map.insert_or_assign(from, to); }
    // Precondition: the value's node was copied or mapped.
    graph::Value mapped(graph::Value from) const { return m_map.find(from)->second; }
    std::vector<graph::Value> mapped(const std::vector<graph::Value>& values) const;

    // Takes the outputs over and gives the new graph.
    graph::Graph finish();

private:
    const graph::Graph& m_from;
    graph::Graph m_to;
    std::map<graph::Value, graph::Value> m_map;
};

}  // namespace lockstep::passes
