#include <graph/graph.h>

#include "attributes.h"

#include <fmt/format.h>

namespace lockstep::graph {
namespace {

std::string arityText(const OpRow& row) {
    if (row.maxInputs < 0) return fmt::format("at least {}", row.minInputs);
    if (row.minInputs == row.maxInputs) return std::to_string(row.minInputs);
    return fmt::format("{} to {}", row.minInputs, row.maxInputs);
}

Result<void> checkArity(const OpRow& row, const std::string& name, std::size_t given) {
    const auto count = static_cast<int>(given);
    if (count >= row.minInputs && (row.maxInputs < 0 || count <= row.maxInputs)) return {};
    return makeError("S401", {{"op", std::string(row.name)}, {"name", name}, {"wanted", arityText(row)}, {"given", std::to_string(given)}});
}

bool isSource(OpKind op) { return op == OpKind::Input || op == OpKind::State; }

Attributes typeAttributes(const TensorType& type) { return {{"dtype", std::string(nameOf(type.dtype))}, {"shape", type.shape.dims()}}; }

}  // namespace

Result<NodeId> Graph::append(OpKind op, std::string name, std::vector<Value> inputs, Attributes attributes) {
    const OpRow& row = opRow(op);
    if (name.empty()) return makeError("S404", {{"op", std::string(row.name)}, {"name", name}, {"why", "it is empty"}});
    LS_TRY(checkArity(row, name, inputs.size()));
    LS_TRY(checkAttributes(row, attributes));
    std::vector<TensorType> types;
    types.reserve(inputs.size());
    for (const Value& input : inputs) {
        if (input.node.value >= m_nodes.size() || input.output >= m_nodes[input.node.value].outputs.size()) {
            return makeError("S402", {{"op", std::string(row.name)},
                                      {"name", name},
                                      {"node", std::to_string(input.node.value)},
                                      {"output", std::to_string(input.output)}});
        }
        types.push_back(type(input));
    }
    auto outputs = row.infer(types, attributes);
    if (!outputs.ok()) return withContext(std::move(outputs).error(), fmt::format("adding {} \"{}\"", row.name, name));

    std::string unique = name;
    for (int number = 1; m_names.contains(unique); ++number) {
        if (isSource(op)) return makeError("S404", {{"op", std::string(row.name)}, {"name", name}, {"why", "another node has that name"}});
        unique = fmt::format("{}_{}", name, number);
    }
    const NodeId id{static_cast<std::uint32_t>(m_nodes.size())};
    m_names.emplace(unique, id);
    m_nodes.push_back({op, std::move(unique), std::move(inputs), std::move(outputs).value(), std::move(attributes)});
    return id;
}

Result<Value> Graph::input(std::string name, TensorType type) {
    LS_TRY_ASSIGN(const NodeId id, append(OpKind::Input, std::move(name), {}, typeAttributes(type)));
    return Value{id, 0};
}

Result<Value> Graph::state(std::string name, TensorType type, std::string role) {
    Attributes attributes = typeAttributes(type);
    attributes.emplace("role", std::move(role));
    LS_TRY_ASSIGN(const NodeId id, append(OpKind::State, std::move(name), {}, std::move(attributes)));
    return Value{id, 0};
}

std::vector<NodeId> Graph::nodesOf(OpKind op) const {
    std::vector<NodeId> ids;
    for (std::uint32_t i = 0; i < m_nodes.size(); ++i) {
        if (m_nodes[i].op == op) ids.push_back(NodeId{i});
    }
    return ids;
}

std::optional<NodeId> Graph::find(std::string_view name) const {
    const auto found = m_names.find(name);
    if (found == m_names.end()) return std::nullopt;
    return found->second;
}

}  // namespace lockstep::graph
