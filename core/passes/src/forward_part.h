// The forward pass inside a training step, as the recompute pass sees it: which values are worth dropping, who reads them, where one
// value alone leads on.
#pragma once

#include <base/result.h>
#include <graph/graph.h>

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace lockstep::passes {

class ForwardPart {
public:
    // Error S420: `last` is no node.
    static Result<ForwardPart> of(const graph::Graph& step, std::string_view last);

    std::uint32_t size() const { return m_size; }  // nodes [0, size) of the step
    bool contains(graph::Value value) const { return value.node.value < m_size; }
    // Whether a value is computed and large enough to be worth dropping.
    bool isLarge(graph::Value value) const;
    // The last forward node that reads a value; its own node when none does.
    std::uint32_t lastReader(graph::Value value) const;
    // Whether a node behind the forward pass reads it.
    bool isNeededLater(graph::Value value) const { return m_later.contains(value); }
    // Nodes behind which at most so many large values, their own result among them, are read further on. Ascending.
    std::vector<std::uint32_t> narrows(int most) const;
    // Of these, those whose result a product or a convolution reads: what lies between two of them is worth a stretch of its own, and its
    // last, cheap ops (normalisation, activation, pool) lie in front of the cut.
    std::vector<std::uint32_t> beforeProducts(const std::vector<std::uint32_t>& places) const;

private:
    explicit ForwardPart(const graph::Graph& step) : m_step(&step) {}

    const graph::Graph* m_step;
    std::uint32_t m_size = 0;
    std::map<graph::Value, std::uint32_t> m_lastReaders;
    std::map<graph::Value, bool> m_later;
    std::map<graph::NodeId, bool> m_beforeProduct;
};

}  // namespace lockstep::passes
