#include <passes/passes.h>

#include <fmt/format.h>

namespace lockstep::passes {

using graph::Graph;
using graph::NodeId;
using graph::OpKind;
using graph::Value;

namespace {

constexpr const char* kSummed[] = {"loss", "correct"};

Result<Value> accumulatorOf(Graph& graph, const std::string& name, Value value) {
    return graph.state(name + "/accumulator", graph::TensorType(graph.type(value)), "slot");
}

// What an accumulator sums: its name and the value of one batch.
struct Summand {
    std::string name;
    Value value;
};

std::vector<Summand> summandsOf(const Draft& draft, Statistics statistics) {
    std::vector<Summand> summands;
    for (const auto& pair : draft.gradients) summands.push_back({draft.graph.node(pair.weight.node).name, pair.gradient});
    for (const char* name : kSummed) {
        const auto output = draft.graph.outputs().find(name);
        if (output != draft.graph.outputs().end()) summands.push_back({name, output->second});
    }
    if (statistics == Statistics::OfEachBatch) return summands;
    for (const auto& statistic : draft.statistics) summands.push_back({draft.graph.node(statistic.state.node).name, statistic.batch});
    return summands;
}

void keepBatchOutputs(Draft& draft) {
    for (const char* name : kSummed) {
        const auto output = draft.graph.outputs().find(name);
        if (output != draft.graph.outputs().end()) draft.graph.setOutput(fmt::format("batch_{}", name), Value(output->second));
    }
}

Result<Graph> microStep(Draft draft, Statistics statistics) {
    const graph::DType dtype = draft.graph.type(draft.gradients.front().gradient).dtype;
    LS_TRY_ASSIGN(const Value keep, draft.graph.input("keep", {dtype, {}}));
    for (const Summand& summand : summandsOf(draft, statistics)) {
        LS_TRY_ASSIGN(const Value sum, accumulatorOf(draft.graph, summand.name, summand.value));
        LS_TRY(draft.graph.append(OpKind::Accumulate, summand.name + "/accumulate", {sum, summand.value, keep}));
    }
    if (statistics == Statistics::OfEachBatch) LS_TRY(movingStatistics(draft, false));
    return std::move(draft.graph);
}

}  // namespace

Result<Graph> accumulate(Draft& draft, Statistics statistics) {
    keepBatchOutputs(draft);
    LS_TRY_ASSIGN(Graph micro, microStep(draft, statistics));
    std::vector<Value> sums;
    for (const Summand& summand : summandsOf(draft, statistics)) {
        LS_TRY_ASSIGN(const Value before, accumulatorOf(draft.graph, summand.name, summand.value));
        LS_TRY_ASSIGN(const NodeId sum, draft.graph.append(OpKind::Add, summand.name + "/accumulated", {before, summand.value}));
        sums.push_back({sum, 0});
    }
    std::size_t next = 0;
    for (auto& pair : draft.gradients) pair.gradient = sums[next++];
    for (const char* name : kSummed)
        if (draft.graph.outputs().contains(name)) draft.graph.setOutput(name, sums[next++]);
    if (statistics == Statistics::Summed)
        for (auto& statistic : draft.statistics) statistic.batch = sums[next++];
    return micro;
}

}  // namespace lockstep::passes
