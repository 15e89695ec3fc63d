#include <exec/arena.h>
#include <exec/executor.h>

#include <algorithm>
#include <map>
#include <vector>

namespace lockstep::exec {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::OpKind;

namespace {

std::string_view roleOf(const Node& state) { return graph::textAttribute(state.attributes, "role"); }

Error refusal(const Executor& executor, const Node& node, std::string reason) {
    return makeError("S407", {{"executor", std::string(executor.name())},
                              {"op", std::string(graph::opRow(node.op).name)},
                              {"name", node.name},
                              {"reason", std::move(reason)}});
}

Result<void> checkSupport(const Executor& executor, const Graph& graph, const CompileOptions& options) {
    LS_TRY(graph::verify(graph));
    std::vector<graph::TensorType> inputs;
    for (const Node& node : graph.nodes()) {
        inputs.clear();
        for (const graph::Value value : node.inputs) inputs.push_back(graph.type(value));
        Support support = executor.supports(node, inputs);
        if (!support.supported) return refusal(executor, node, std::move(support.reason));
        if (node.op == OpKind::AllReduce && options.collectives == nullptr)
            return refusal(executor, node, "nothing was given to sum over ranks with");
    }
    return {};
}

Result<void> checkStates(std::span<const Graph* const> graphs) {
    std::map<std::string_view, const Node*> seen;
    for (const Graph* graph : graphs) {
        for (const NodeId id : graph->nodesOf(OpKind::State)) {
            const Node& state = graph->node(id);
            const Node& other = *seen.emplace(state.name, &state).first->second;
            const auto describe = [](const Node& node) { return std::string(roleOf(node)) + " " + node.outputs[0].toText(); };
            if (describe(state) == describe(other)) continue;
            return makeError("S419", {{"name", state.name}, {"what", describe(other) + " in one, " + describe(state) + " in another"}});
        }
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<Program>> Executor::compile(const Graph& graph, const CompileOptions& options) {
    const Graph* const one = &graph;
    LS_TRY_ASSIGN(auto programs, compileFamily({&one, 1}, options));
    return std::move(programs.front());
}

namespace {

// Sums nothing: stands for a group where only sizes are asked for.
class NoCollectives final : public Collectives {
public:
    Result<void> start(int, std::span<std::byte>, graph::DType) override { return {}; }
    Result<void> wait(int) override { return {}; }
};

}  // namespace

Result<void> checkSizing(const Executor& executor, std::span<const Graph* const> graphs, CompileOptions options) {
    NoCollectives nothing;
    options.collectives = &nothing;
    return checkFamily(executor, graphs, options);
}

Result<MemoryReport> Executor::sizeFamily(std::span<const Graph* const> graphs, const CompileOptions& options) {
    LS_TRY(checkSizing(*this, graphs, options));
    return plannedMemory(graphs);
}

MemoryReport plannedMemory(std::span<const Graph* const> graphs) {
    MemoryReport report;
    for (const Graph* graph : graphs) {
        const MemoryReport one = memoryOf(*graph, planArena(*graph));
        if (one.gradients + one.activations > report.gradients + report.activations) {
            report.gradients = one.gradients;
            report.activations = one.activations;
        }
    }
    for (const auto& state : statesOf(graphs).states) (state.isSlot ? report.optimizerSlots : report.weights) += state.bytes;
    return report;
}

Result<void> checkFamily(const Executor& executor, std::span<const Graph* const> graphs, const CompileOptions& options) {
    const Graph* reducing = nullptr;
    for (const Graph* graph : graphs) {
        LS_TRY(checkSupport(executor, *graph, options));
        const auto reduces = graph->nodesOf(OpKind::AllReduce);
        if (reduces.empty()) continue;
        if (reducing != nullptr) return refusal(executor, graph->node(reduces.front()), "another program of its family sums over ranks");
        reducing = graph;
    }
    return checkStates(graphs);
}

FamilyStates statesOf(std::span<const Graph* const> graphs) {
    FamilyStates family;
    std::map<std::string_view, std::size_t> known;
    for (const Graph* graph : graphs) {
        auto& places = family.places.emplace_back();
        for (const NodeId id : graph->nodesOf(OpKind::State)) {
            const Node& state = graph->node(id);
            const auto [place, isNew] = known.emplace(state.name, family.states.size());
            if (isNew) family.states.push_back({state.name, state.outputs[0].bytes(), roleOf(state) == "slot"});
            places.push_back(place->second);
        }
    }
    return family;
}

}  // namespace lockstep::exec
