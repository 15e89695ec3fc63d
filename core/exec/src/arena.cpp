#include <exec/arena.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace lockstep::exec {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::OpKind;
using graph::Value;

// Groups values that share memory into blocks, finds how long each block lives, and packs the blocks.
class ArenaPlanner {
public:
    ArenaPlanner(const Graph& graph, const ArenaOptions& options) : m_graph(graph), m_options(options) {}

    ArenaPlan run() {
        const std::size_t count = m_graph.nodes().size();
        m_plan.m_places.resize(count);
        m_blockOf.resize(count);
        m_plan.m_waits.resize(count + 1);
        findBuckets();
        for (m_at = 0; m_at < count; ++m_at) {
            touchInputs();
            placeOutputs();
        }
        for (const auto& [name, value] : m_graph.outputs()) touch(value, count);
        // A sum that nobody reads arrives at the end of the step, and its memory must be left alone until then.
        for (std::size_t bucket = 0; bucket < m_bucketBlocks.size(); ++bucket) {
            if (m_waited[bucket]) continue;
            m_plan.m_waits[count].push_back(static_cast<int>(bucket));
            m_blocks[m_bucketBlocks[bucket]].last = count;
        }
        // A guard must stay untouched for the whole step, so nothing may be put over it later.
        if (m_options.guard > 0) {
            for (Block& block : m_blocks) block = {block.bytes, 0, count, 0};
        }
        pack();
        return std::move(m_plan);
    }

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    struct Block {
        std::size_t bytes = 0;
        std::size_t first = kNone;  // node that writes it first
        std::size_t last = 0;       // node that touches it last
        std::size_t offset = 0;
    };
    struct Seat {
        std::size_t block;
        std::size_t offset;
    };

    const Node& node() const { return m_graph.nodes()[m_at]; }

    std::size_t aligned(std::size_t bytes) const { return (bytes + m_options.alignment - 1) / m_options.alignment * m_options.alignment; }

    void findBuckets() {
        for (const NodeId id : m_graph.nodesOf(OpKind::AllReduce)) {
            const Node& reduce = m_graph.node(id);
            const std::size_t block = m_blocks.size();
            std::size_t bytes = 0;
            for (const Value& value : reduce.inputs) {
                m_seats.emplace(value, Seat{block, bytes});
                bytes += m_graph.type(value).bytes();
            }
            m_blocks.push_back({bytes, kNone, 0, 0});
            m_bucketBlocks.push_back(block);
            m_bucketOf.emplace(id, static_cast<int>(m_plan.m_buckets.size()));
            m_plan.m_buckets.push_back({id, 0, bytes, reduce.outputs[0].dtype});
        }
        m_waited.resize(m_bucketBlocks.size());
    }

    void touch(const Value& value, std::size_t when) {
        if (m_plan.place(value).space != Space::Arena) return;
        Block& block = m_blocks[m_blockOf[value.node.value][value.output]];
        block.last = std::max(block.last, when);
    }

    void touchInputs() {
        for (const Value& value : node().inputs) {
            touch(value, m_at);
            const auto bucket = m_bucketOf.find(value.node);
            if (bucket == m_bucketOf.end() || m_waited[static_cast<std::size_t>(bucket->second)]) continue;
            m_waited[static_cast<std::size_t>(bucket->second)] = true;
            m_plan.m_waits[m_at].push_back(bucket->second);
        }
    }

    void placeOutputs() {
        const auto states = stateInputs(node());
        for (std::uint32_t i = 0; i < node().outputs.size(); ++i) {
            const Value value{NodeId{static_cast<std::uint32_t>(m_at)}, i};
            if (node().op == OpKind::Input)
                put({Space::Feed, m_feeds++, 0, bytesOf(value)});
            else if (node().op == OpKind::State)
                put({Space::State, m_states++, 0, bytesOf(value)});
            else if (!states.empty())
                share(node().inputs[states[i]]);
            else if (node().op == OpKind::AllReduce)
                share(node().inputs[i]);
            else if (isFreeReshape(value))
                share(node().inputs[0]);
            else
                putInArena(value);
        }
    }

    bool isFreeReshape(const Value& value) const {
        return node().op == OpKind::Reshape && !m_seats.contains(value) && !m_seats.contains(node().inputs[0]);
    }

    std::size_t bytesOf(const Value& value) const { return m_graph.type(value).bytes(); }

    void put(const Place& place, std::size_t block = kNone) {
        m_plan.m_places[m_at].push_back(place);
        m_blockOf[m_at].push_back(block);
    }

    void share(const Value& with) {
        put(Place(m_plan.place(with)), m_blockOf[with.node.value][with.output]);
        touch({NodeId{static_cast<std::uint32_t>(m_at)}, static_cast<std::uint32_t>(m_plan.m_places[m_at].size() - 1)}, m_at);
    }

    void putInArena(const Value& value) {
        const auto seat = m_seats.find(value);
        const std::size_t block = seat != m_seats.end() ? seat->second.block : m_blocks.size();
        if (seat == m_seats.end()) m_blocks.push_back({bytesOf(value), kNone, 0, 0});
        Block& in = m_blocks[block];
        in.first = std::min(in.first, m_at);
        in.last = std::max(in.last, m_at);
        // The offset inside the block; pack() adds the block's own.
        put({Space::Arena, 0, seat != m_seats.end() ? seat->second.offset : 0, bytesOf(value)}, block);
    }

    // Largest blocks first, each at the lowest place that no block alive at the same time holds.
    void pack() {
        std::vector<std::size_t> order(m_blocks.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return m_blocks[a].bytes > m_blocks[b].bytes; });
        std::vector<std::size_t> placed;  // by offset
        for (const std::size_t id : order) {
            Block& block = m_blocks[id];
            std::size_t offset = 0;
            for (const std::size_t other : placed) {
                const Block& there = m_blocks[other];
                if (there.last < block.first || block.last < there.first) continue;
                if (offset + span(block) <= there.offset) break;
                offset = std::max(offset, there.offset + span(there));
            }
            block.offset = offset;
            m_plan.m_bytes = std::max(m_plan.m_bytes, offset + span(block));
            placed.insert(std::upper_bound(placed.begin(), placed.end(), offset,
                                           [&](std::size_t at, std::size_t other) { return at < m_blocks[other].offset; }),
                          id);
        }
        applyOffsets();
    }

    // Room of a block with its guard, in whole alignments.
    std::size_t span(const Block& block) const { return aligned(block.bytes + m_options.guard); }

    void applyOffsets() {
        for (std::size_t n = 0; n < m_blockOf.size(); ++n) {
            for (std::size_t i = 0; i < m_blockOf[n].size(); ++i) {
                if (m_blockOf[n][i] != kNone) m_plan.m_places[n][i].offset += m_blocks[m_blockOf[n][i]].offset;
            }
        }
        for (std::size_t i = 0; i < m_bucketBlocks.size(); ++i) m_plan.m_buckets[i].offset = m_blocks[m_bucketBlocks[i]].offset;
        if (m_options.guard == 0) return;
        for (const Block& block : m_blocks) m_plan.m_guards.push_back(block.offset + block.bytes);
    }

    const Graph& m_graph;
    ArenaOptions m_options;
    ArenaPlan m_plan;
    std::size_t m_at = 0;
    std::size_t m_feeds = 0;
    std::size_t m_states = 0;
    std::vector<Block> m_blocks;
    std::vector<std::vector<std::size_t>> m_blockOf;  // [node][output], kNone outside the arena
    std::map<Value, Seat> m_seats;                    // values that are inputs of an AllReduce
    std::vector<std::size_t> m_bucketBlocks;          // by bucket number
    std::map<NodeId, int> m_bucketOf;
    std::vector<bool> m_waited;
};

bool ArenaPlan::isAlias(const Graph& graph, NodeId node) const {
    const Node& of = graph.node(node);
    return of.op == OpKind::Reshape && place({node, 0}) == place(of.inputs[0]);
}

ArenaPlan planArena(const Graph& graph, const ArenaOptions& options) { return ArenaPlanner(graph, options).run(); }

MemoryReport memoryOf(const Graph& graph, const ArenaPlan& plan) {
    MemoryReport report;
    for (const NodeId id : graph.nodesOf(OpKind::State)) {
        const Node& state = graph.node(id);
        (graph::textAttribute(state.attributes, "role") == "slot" ? report.optimizerSlots : report.weights) += state.outputs[0].bytes();
    }
    std::set<Value> gradients;
    for (const Node& node : graph.nodes()) {
        if (node.op == OpKind::AllReduce) gradients.insert(node.inputs.begin(), node.inputs.end());
        const bool applied = !stateInputs(node).empty() && node.op != OpKind::MovingUpdate;
        if (applied && graph.node(node.inputs[1].node).op != OpKind::AllReduce) gradients.insert(node.inputs[1]);
    }
    for (const Value& value : gradients) {
        if (plan.place(value).space == Space::Arena) report.gradients += graph.type(value).bytes();
    }
    // Slots serve several values one after the other, so that the parts can be more than the arena.
    report.gradients = std::min(report.gradients, plan.bytes());
    report.activations = plan.bytes() - report.gradients;
    return report;
}

CostReport costOf(const Graph& graph) {
    CostReport report;
    for (const Node& node : graph.nodes()) {
        const graph::OpCost cost = graph::costOf(graph, node);
        report.flops += cost.flops;
        report.bytes += cost.bytes;
    }
    return report;
}

}  // namespace lockstep::exec
