// The graph: an append-only list of nodes; the order of the list is the order of execution. A pass takes a graph and gives a new one;
// nodes never change once appended. Not thread safe while being built; a finished graph is read from any thread.
#pragma once

#include <base/ids.h>
#include <graph/op.h>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::graph {

struct NodeTag {};
using NodeId = StrongId<NodeTag>;

// One output of one node.
struct Value {
    NodeId node;
    std::uint32_t output = 0;
    auto operator<=>(const Value&) const = default;
};

struct Node {
    OpKind op{};
    std::string name;                 // unique; ops made by rules get "<of>.grad" and a number
    std::vector<Value> inputs;        // only values of earlier nodes
    std::vector<TensorType> outputs;  // filled by append()
    Attributes attributes;
    bool operator==(const Node&) const = default;
};

class Graph {
public:
    // Appends a node after checking arity, order and types by its op row. Errors: S401 (arity), S402 (unknown value), S403 (shapes),
    // S404 (name taken, only for Input and State; other names are made unique by a suffix).
    Result<NodeId> append(OpKind op, std::string name, std::vector<Value> inputs, Attributes attributes = {});

    // Sources. The name of an Input or State is its identity: checkpoints and feeds use it.
    Result<Value> input(std::string name, TensorType type);
    Result<Value> state(std::string name, TensorType type, std::string role);

    std::span<const Node> nodes() const { return m_nodes; }
    const Node& node(NodeId id) const { return m_nodes[id.value]; }
    const TensorType& type(Value value) const { return node(value.node).outputs[value.output]; }

    // Named results a caller reads after a run ("loss", "correct", "gradient_norm").
    void setOutput(std::string name, Value value) { m_outputs.insert_or_assign(std::move(name), value); }
    const std::map<std::string, Value, std::less<>>& outputs() const { return m_outputs; }

    // Nodes of this kind, in order (feeds follow the order of Inputs, checkpoints that of States).
    std::vector<NodeId> nodesOf(OpKind op) const;
    std::optional<NodeId> find(std::string_view name) const;

    bool operator==(const Graph&) const = default;

private:
    std::vector<Node> m_nodes;
    std::map<std::string, NodeId, std::less<>> m_names;
    std::map<std::string, Value, std::less<>> m_outputs;
};

// Canonical text, one node per line, and back. parse(print(g)) == g. Errors of parse: S405 with line and column; text beyond 16 MiB
// is refused. Lines, `#` starts a comment:
//   %3 = matmul "dense/matmul" (%0, %1) {activation = "relu", transpose_b = 1} : f32[32, 128]
//   %9 = adam_update "u" (%1, %7, %4, %5, %8, %6.1) {beta_1 = 0.9, …} : f32[2], f32[2], f32[2]     (%9.1 is its second output)
//   output "loss" = %4
std::string print(const Graph& graph);
Result<Graph> parse(std::string_view text);

// The whole graph is legal. append() has already seen to arity, attributes, types, order and names; this checks what only the whole
// shows: outputs exist; updates have States where the op wants them, each State is updated at most once and (also through Reshape) not
// read after that; inputs of an AllReduce are computed values, in no other AllReduce and read by nothing after it, and buckets count
// 0, 1, … in order. S406 prints the rule, the node and its inputs.
Result<void> verify(const Graph& graph);

}  // namespace lockstep::graph
