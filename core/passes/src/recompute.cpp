#include <passes/recompute.h>

#include "forward_part.h"
#include "rewriter.h"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace lockstep::passes {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Value;

namespace {

constexpr int kMostLevels = 8;
constexpr int kKept = 1;  // the pass of the forward nodes themselves

struct Place {
    std::uint32_t node = 0;
    int level = 1;
};

// The node a cut names among the first `size`: itself, or the last one of a layer.
std::optional<std::uint32_t> placeOf(const Graph& graph, std::uint32_t size, const std::string& name) {
    if (const auto node = graph.find(name); node && node->value < size) return node->value;
    for (std::uint32_t n = size; n-- > 0;)
        if (graph.nodes()[n].name.starts_with(name + "/") && !graph.nodes()[n].inputs.empty()) return n;
    return std::nullopt;
}

Result<std::vector<Place>> placesOf(const Graph& graph, const ForwardPart& forward, std::span<const RecomputeCut> cuts) {
    std::vector<Place> places;
    for (const RecomputeCut& cut : cuts) {
        const auto node = placeOf(graph, forward.size(), cut.after);
        if (!node) return makeError("S420", {{"name", cut.after}, {"why", "No layer or node of the forward pass has that name."}});
        if (cut.level < 1 || cut.level > kMostLevels)
            return makeError("S420", {{"name", cut.after}, {"why", fmt::format("Its level is {}, not 1 to {}.", cut.level, kMostLevels)}});
        places.push_back({*node, cut.level});
    }
    std::ranges::sort(places, [](const Place& a, const Place& b) { return std::pair(a.node, a.level) < std::pair(b.node, b.level); });
    const auto same = std::ranges::unique(places, {}, &Place::node);
    places.erase(same.begin(), same.end());
    return places;
}

class Recomputer {
public:
    Recomputer(const Graph& graph, const ForwardPart& forward, std::vector<Place> places)
        : m_graph(graph), m_forward(forward), m_places(std::move(places)), m_rewriter(graph) {}

    Result<Graph> run() {
        for (std::uint32_t n = 0; n < m_graph.nodes().size(); ++n) {
            if (n < m_forward.size())
                LS_TRY(m_rewriter.copy(NodeId{n}));
            else
                LS_TRY(copyReader(NodeId{n}));
        }
        return m_rewriter.finish();
    }

private:
    // In which pass over the forward nodes a value is made last: kKept = the first, whose results are kept; l + 1 = the pass that starts
    // at what level l keeps.
    int passOf(Value value) const {
        if (!m_forward.contains(value) || !m_forward.isLarge(value)) return kKept;
        const std::uint32_t made = value.node.value, read = m_forward.lastReader(value);
        for (int level = 1; level <= kMostLevels; ++level) {
            const Place* next = nullptr;  // the cut that ends its stretch
            for (const Place& place : m_places) {
                if (place.level > level || place.node < made) continue;
                next = &place;
                break;
            }
            const bool isLast = next == nullptr || next->level < level;
            if (isLast || next->node < read) return level;
        }
        return kMostLevels + 1;
    }

    Result<void> copyReader(NodeId id) {
        const Node& node = m_graph.node(id);
        std::vector<Value> inputs;
        for (const Value& input : node.inputs) {
            LS_TRY_ASSIGN(const Value made, m_forward.contains(input) ? again(input, passOf(input)) : m_rewriter.mapped(input));
            inputs.push_back(made);
        }
        LS_TRY_ASSIGN(const NodeId copied, m_rewriter.to().append(node.op, node.name, std::move(inputs), node.attributes));
        for (std::uint32_t i = 0; i < node.outputs.size(); ++i) m_rewriter.map({id, i}, {copied, i});
        return {};
    }

    // The value as a pass makes it; what it needs and is not there yet is made first.
    Result<Value> again(Value value, int pass) {
        if (pass == kKept) return m_rewriter.mapped(value);
        const auto known = m_made.find({value.node, pass});
        if (known != m_made.end()) return Value{known->second, value.output};
        const Node& node = m_graph.node(value.node);
        std::vector<Value> inputs;
        for (const Value& input : node.inputs) {
            LS_TRY_ASSIGN(const Value made, again(input, std::min(pass, passOf(input))));
            inputs.push_back(made);
        }
        LS_TRY_ASSIGN(const NodeId id,
                      m_rewriter.to().append(node.op, fmt::format("{}/again", node.name), std::move(inputs), node.attributes));
        m_made.emplace(std::pair(value.node, pass), id);
        return Value{id, value.output};
    }

    const Graph& m_graph;
    const ForwardPart& m_forward;
    std::vector<Place> m_places;
    Rewriter m_rewriter;
    std::map<std::pair<NodeId, int>, NodeId> m_made;
};

}  // namespace

// What is fused into another node goes on under the name of that one, which it reads directly or through others of the kind.
std::vector<RecomputeCut> afterFusion(const Graph& forward, const Graph& step, std::span<const RecomputeCut> cuts) {
    std::vector<RecomputeCut> named(cuts.begin(), cuts.end());
    for (RecomputeCut& cut : named) {
        auto place = placeOf(forward, static_cast<std::uint32_t>(forward.nodes().size()), cut.after);
        while (place && !step.find(forward.nodes()[*place].name)) {
            std::optional<std::uint32_t> before;
            for (const Value& input : forward.nodes()[*place].inputs)
                if (input.node.value > before.value_or(0)) before = input.node.value;
            place = before;
        }
        if (place) cut.after = forward.nodes()[*place].name;
    }
    return named;
}

Result<Graph> recompute(const Graph& step, std::string_view lastForward, std::span<const RecomputeCut> cuts) {
    LS_TRY_ASSIGN(const ForwardPart forward, ForwardPart::of(step, lastForward));
    LS_TRY_ASSIGN(auto places, placesOf(step, forward, cuts));
    return Recomputer(step, forward, std::move(places)).run();
}

}  // namespace lockstep::passes
