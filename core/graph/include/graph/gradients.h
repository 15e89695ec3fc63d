// What a gradient rule works with: the graph that is being extended, which values want a gradient, and the gradients so far.
// Used by the pass `autodiff`, one object per walk; one thread.
#pragma once

#include <graph/graph.h>

#include <map>
#include <optional>
#include <set>

namespace lockstep::graph {

class Gradients {
public:
    // `wanted`: the values that lead from a weight to the loss; only they get gradients. `graph` outlives this object.
    Gradients(Graph& graph, std::set<Value> wanted) : m_graph(graph), m_wanted(std::move(wanted)) {}

    const Graph& graph() const { return m_graph; }
    bool wants(Value value) const { return m_wanted.contains(value); }

    // Appends a node named "<of>.grad" (made unique) and gives its first output.
    Result<Value> append(OpKind op, const Node& of, std::vector<Value> inputs, Attributes attributes = {});

    // Adds `gradient` to what `of` has so far (an Add node from the second one on). Does nothing when `of` wants none.
    // Error S403 when the types differ.
    Result<void> accumulate(Value of, Value gradient);

    // The gradient of a value so far; empty = none has arrived, which means zero.
    std::optional<Value> of(Value value) const;

private:
    Graph& m_graph;
    std::set<Value> m_wanted;
    std::map<Value, Value> m_gradients;
};

}  // namespace lockstep::graph
