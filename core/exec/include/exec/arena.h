// Where every value of a graph lies while its program runs: one block of memory, cut into slots that are used again as soon as their
// value is dead. Values in, value out; a plan is read from any thread.
//
// The order of the nodes is the order of execution and a node's outputs never overlap its inputs, except where they alias:
//   - outputs of an update alias its State inputs;
//   - outputs of an AllReduce alias its inputs, which lie next to each other in their order, without gaps: one bucket;
//   - a Reshape aliases its input, unless one of the two is an input of an AllReduce (then it is a copy).
// A bucket's memory is its own from the first gradient written to the last read of a sum, so also while the sum is under way.
#pragma once

#include <base/result.h>
#include <exec/executor.h>
#include <graph/graph.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::exec {

enum class Space : std::uint8_t { Feed, State, Arena };

struct Place {
    Space space = Space::Arena;
    std::size_t index = 0;   // Feed: which Input, State: which State, in the order of the nodes; Arena: 0
    std::size_t offset = 0;  // bytes from the start of that space's tensor or of the arena
    std::size_t bytes = 0;
    bool operator==(const Place&) const = default;
};

// The memory of one AllReduce node.
struct Bucket {
    graph::NodeId node;
    std::size_t offset = 0;  // in the arena
    std::size_t bytes = 0;
    graph::DType dtype{};
};

struct ArenaOptions {
    std::size_t alignment = 64;  // of every slot and bucket (values inside a bucket are dense); a power of two
    // Bytes behind every slot that nothing may touch: tests fill them with a pattern. Any guard switches the reuse of slots off.
    std::size_t guard = 0;
};

class ArenaPlan {
public:
    std::size_t bytes() const { return m_bytes; }  // of the whole arena
    const Place& place(graph::Value value) const { return m_places[value.node.value][value.output]; }
    // Whether a node has nothing to do because its output lies where its input does (a Reshape without a copy).
    bool isAlias(const graph::Graph& graph, graph::NodeId node) const;

    std::span<const Bucket> buckets() const { return m_buckets; }  // by bucket number
    // Buckets whose sums must have arrived before this node runs and that no earlier node waited for.
    std::span<const int> waitsBefore(graph::NodeId node) const { return m_waits[node.value]; }
    // Buckets that nothing waited for: to be waited for after the last node.
    std::span<const int> waitsAtEnd() const { return m_waits.back(); }

    // Offsets of the guards (ArenaOptions::guard bytes each).
    std::span<const std::size_t> guards() const { return m_guards; }

private:
    friend class ArenaPlanner;
    std::size_t m_bytes = 0;
    std::vector<std::vector<Place>> m_places;
    std::vector<Bucket> m_buckets;
    std::vector<std::vector<int>> m_waits;
    std::vector<std::size_t> m_guards;
};

// Precondition: graph::verify(graph) is ok.
ArenaPlan planArena(const graph::Graph& graph, const ArenaOptions& options = {});

// Weights, slots, gradients and activations of a planned graph; workspace is the executor's own and 0 here.
MemoryReport memoryOf(const graph::Graph& graph, const ArenaPlan& plan);

// Sum of all nodes' work.
CostReport costOf(const graph::Graph& graph);

}  // namespace lockstep::exec
