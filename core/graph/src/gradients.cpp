#include <graph/gradients.h>

#include <fmt/format.h>

namespace lockstep::graph {

Result<Value> Gradients::append(OpKind op, const Node& of, std::vector<Value> inputs, Attributes attributes) {
    LS_TRY_ASSIGN(const NodeId id, m_graph.append(op, of.name + ".grad", std::move(inputs), std::move(attributes)));
    return Value{id, 0};
}

Result<void> Gradients::accumulate(Value of, Value gradient) {
    if (!wants(of)) return {};
    if (m_graph.type(of) != m_graph.type(gradient)) {
        return makeError("S403", {{"op", std::string(opRow(m_graph.node(of.node).op).name)},
                                  {"what", fmt::format("the gradient of \"{}\" is {}, the value {}", m_graph.node(of.node).name,
                                                       m_graph.type(gradient).toText(), m_graph.type(of).toText())}});
    }
    const auto [place, first] = m_gradients.try_emplace(of, gradient);
    if (first) return {};
    const std::string name = m_graph.node(of.node).name + ".grad_sum";
    LS_TRY_ASSIGN(const NodeId sum, m_graph.append(OpKind::Add, name, {place->second, gradient}));
    place->second = Value{sum, 0};
    return {};
}

std::optional<Value> Gradients::of(Value value) const {
    const auto found = m_gradients.find(value);
    if (found == m_gradients.end()) return std::nullopt;
    return found->second;
}

}  // namespace lockstep::graph
