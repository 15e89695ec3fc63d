#include "forward_part.h"

#include <algorithm>
#include <iterator>

namespace lockstep::passes {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::OpKind;
using graph::Value;

namespace {

// A value this much smaller than what its node reads or writes costs nothing to keep.
constexpr std::size_t kSmallShare = 32;
constexpr std::size_t kSmallBytes = 1024;

bool isSource(OpKind op) { return op == OpKind::Input || op == OpKind::State; }

}  // namespace

Result<ForwardPart> ForwardPart::of(const Graph& step, std::string_view last) {
    const auto end = step.find(last);
    if (!end) return makeError("S420", {{"name", std::string(last)}, {"why", "The step has no such node."}});
    ForwardPart part(step);
    part.m_size = end->value + 1;
    for (std::uint32_t n = 0; n < step.nodes().size(); ++n) {
        for (const Value& input : step.nodes()[n].inputs) {
            if (!part.contains(input)) continue;
            const OpKind op = step.nodes()[n].op;
            const bool isProduct = op == OpKind::Conv2D || op == OpKind::MatMul || op == OpKind::BatchMatMul;
            if (n < part.m_size && isProduct) part.m_beforeProduct[input.node] = true;
            if (n < part.m_size)
                part.m_lastReaders[input] = n;
            else
                part.m_later[input] = true;
        }
    }
    return part;
}

bool ForwardPart::isLarge(Value value) const {
    const Node& node = m_step->node(value.node);
    // Statistics are small, and moving averages follow them.
    if (isSource(node.op) || node.op == OpKind::BatchMoments) return false;
    const std::size_t bytes = m_step->type(value).bytes();
    std::size_t largest = 0;
    for (const auto& output : node.outputs) largest = std::max(largest, output.bytes());
    for (const Value& input : node.inputs)
        if (m_step->node(input.node).op != OpKind::State) largest = std::max(largest, m_step->type(input).bytes());
    return bytes > kSmallBytes && bytes * kSmallShare > largest;
}

std::uint32_t ForwardPart::lastReader(Value value) const {
    const auto found = m_lastReaders.find(value);
    return found == m_lastReaders.end() ? value.node.value : found->second;
}

std::vector<std::uint32_t> ForwardPart::narrows(int most) const {
    // How many large values are read across the place behind each node, by their differences.
    std::vector<int> crossing(m_size + 1, 0);
    std::vector<bool> own(m_size, false);
    for (std::uint32_t n = 0; n < m_size; ++n) {
        for (std::uint32_t i = 0; i < m_step->nodes()[n].outputs.size(); ++i) {
            const Value value{NodeId{n}, i};
            if (!isLarge(value) || lastReader(value) == n) continue;
            own[n] = true;
            ++crossing[n];
            --crossing[lastReader(value)];
        }
    }
    std::vector<std::uint32_t> places;
    int open = 0;
    for (std::uint32_t n = 0; n < m_size; ++n) {
        open += crossing[n];
        if (open <= most && own[n]) places.push_back(n);
    }
    return places;
}

std::vector<std::uint32_t> ForwardPart::beforeProducts(const std::vector<std::uint32_t>& places) const {
    std::vector<std::uint32_t> kept;
    std::ranges::copy_if(places, std::back_inserter(kept), [&](std::uint32_t n) { return m_beforeProduct.contains(NodeId{n}); });
    return kept;
}

}  // namespace lockstep::passes
