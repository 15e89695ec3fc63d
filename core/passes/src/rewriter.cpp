#include "rewriter.h"

namespace lockstep::passes {

using graph::NodeId;
using graph::Value;

Result<void> Rewriter::copy(NodeId id) {
    const graph::Node& node = m_from.node(id);
    LS_TRY_ASSIGN(const NodeId copied, m_to.append(node.op, node.name, mapped(node.inputs), node.attributes));
    for (std::uint32_t i = 0; i < node.outputs.size(); ++i) map({id, i}, {copied, i});
    return {};
}

std::vector<Value> Rewriter::mapped(const std::vector<Value>& values) const {
    std::vector<Value> result;
    result.reserve(values.size());
    for (const Value& value : values) result.push_back(mapped(value));
    return result;
}

graph::Graph Rewriter::finish() {
    for (const auto& [name, value] : m_from.outputs()) m_to.setOutput(name, mapped(value));
    return std::move(m_to);
}

}  // namespace lockstep::passes
