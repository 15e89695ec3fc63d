#include <passes/passes.h>

#include <cmath>

#include <fmt/format.h>

namespace lockstep::passes {

using graph::Graph;
using graph::NodeId;
using graph::OpKind;
using graph::Value;

namespace {

// A slot of its own: adagrad's sums are named "<weight>/accumulator".
Result<Value> accumulatorOf(Graph& graph, const std::string& name, Value value) {
    return graph.state(name + "/gradient_accumulator", graph::TensorType(graph.type(value)), "slot");
}

// What an accumulator sums: its name and the value of one batch.
struct Summand {
    std::string name;
    Value value;
    enum class Kind : std::uint8_t { Gradient, Output, Statistic } kind = Kind::Gradient;
};

// The gradients, and every output but the caller's signal, which is one of the update.
std::vector<Summand> summandsOf(const Draft& draft, Statistics statistics) {
    std::vector<Summand> summands;
    for (const auto& pair : draft.gradients) summands.push_back({draft.graph.node(pair.weight.node).name, pair.gradient});
    for (const auto& [name, value] : draft.graph.outputs())
        if (name != "control") summands.push_back({name, value, Summand::Kind::Output});
    if (statistics == Statistics::OfEachBatch) return summands;
    for (const auto& statistic : draft.statistics)
        summands.push_back({draft.graph.node(statistic.state.node).name, statistic.batch, Summand::Kind::Statistic});
    return summands;
}

Result<Value> append(Graph& graph, OpKind op, const std::string& name, std::vector<Value> inputs, graph::Attributes attributes = {}) {
    LS_TRY_ASSIGN(const NodeId id, graph.append(op, name, std::move(inputs), std::move(attributes)));
    return Value{id, 0};
}

// Several ranks: a batch's moments are summed over the ranks with the update only. Until then each rank keeps its own part of the moving
// sum, which starts at zero with every update; local ← momentum · local + (1 − momentum) · batch.
Result<Value> localPart(Graph& graph, const nn::MovingStatistic& statistic) {
    const std::string name = graph.node(statistic.state.node).name + "/rank_part";
    return graph.state(name, graph::TensorType(graph.type(statistic.state)), "slot");
}

Result<void> keepStatistics(Draft& draft, bool severalRanks) {
    if (!severalRanks) return movingStatistics(draft, false);
    for (nn::MovingStatistic& statistic : draft.statistics) {
        LS_TRY_ASSIGN(statistic.state, localPart(draft.graph, statistic));
    }
    return movingStatistics(draft, true);
}

// What the ranks sum: with d = momentum^batches the state becomes d · state + (1 − d) · sum, which is what `batches` updates one after the
// other give.
Result<void> takeStatistics(Draft& draft, int batches) {
    for (nn::MovingStatistic& statistic : draft.statistics) {
        const std::string name = draft.graph.node(statistic.state.node).name;
        const double decay = std::pow(statistic.momentum, batches), whole = decay < 1 ? 1 - decay : 1;
        LS_TRY_ASSIGN(const Value local, localPart(draft.graph, statistic));
        LS_TRY_ASSIGN(const Value before,
                      append(draft.graph, OpKind::Scale, name + "/before", {local}, {{"factor", statistic.momentum / whole}}));
        LS_TRY_ASSIGN(statistic.batch, append(draft.graph, OpKind::AddScaled, name + "/parts", {before, statistic.batch},
                                              {{"factor", (1 - statistic.momentum) / whole}}));
        statistic.momentum = decay;
        LS_TRY_ASSIGN(const Value nothing, append(draft.graph, OpKind::Scale, name + "/nothing", {local}, {{"factor", 0.0}}));
        LS_TRY(append(draft.graph, OpKind::MovingUpdate, name + "/rank_part/reset", {local, nothing}, {{"momentum", 0.0}}));
    }
    return {};
}

// Sums over the slices of several batches: sum = Σ momentum^(batches − 1 − j) · batch j. With d = momentum^batches the state becomes
// d · state + (1 − momentum) · sum, which is what an update per batch gives.
Result<void> takeSummed(Draft& draft, int batches) {
    for (nn::MovingStatistic& statistic : draft.statistics) {
        if (statistic.momentum != draft.statistics.front().momentum)
            return makeError("X009", {{"what", "distribution.slices together with gradient_accumulation_steps and several momenta"},
                                      {"why", "The moving statistics of all layers are summed with the same momentum."},
                                      {"next", "Use one momentum in all batch normalisations, or a smaller batch without slices."}});
        const std::string name = draft.graph.node(statistic.state.node).name;
        const double decay = std::pow(statistic.momentum, batches), whole = decay < 1 ? 1 - decay : 1;
        LS_TRY_ASSIGN(statistic.batch, append(draft.graph, OpKind::Scale, name + "/of_batches", {statistic.batch},
                                              {{"factor", (1 - statistic.momentum) / whole}}));
    }
    for (nn::MovingStatistic& statistic : draft.statistics) statistic.momentum = std::pow(statistic.momentum, batches);
    return {};
}

Result<Graph> microStep(Draft draft, const Accumulation& over) {
    const graph::DType dtype = draft.graph.type(draft.gradients.front().gradient).dtype;
    const bool fades = over.statistics == Statistics::Summed && over.batches > 1 && !draft.statistics.empty();
    LS_TRY_ASSIGN(const Value keep, draft.graph.input("keep", {dtype, {}}));
    Value keepStatistic = keep;
    if (fades) {
        LS_TRY_ASSIGN(keepStatistic, draft.graph.input("statistics_keep", {dtype, {}}));
    }
    for (const Summand& summand : summandsOf(draft, over.statistics)) {
        if (summand.kind == Summand::Kind::Output && summand.name.starts_with("batch_")) continue;
        LS_TRY_ASSIGN(const Value sum, accumulatorOf(draft.graph, summand.name, summand.value));
        const Value factor = summand.kind == Summand::Kind::Statistic ? keepStatistic : keep;
        LS_TRY(draft.graph.append(OpKind::Accumulate, summand.name + "/accumulate", {sum, summand.value, factor}));
    }
    if (over.statistics == Statistics::OfEachBatch) LS_TRY(keepStatistics(draft, over.ranks > 1));
    return std::move(draft.graph);
}

}  // namespace

Result<Graph> accumulate(Draft& draft, const Accumulation& over) {
    const std::vector<Summand> summands = summandsOf(draft, over.statistics);
    for (const Summand& summand : summands)
        if (summand.kind == Summand::Kind::Output) draft.graph.setOutput("batch_" + summand.name, summand.value);
    LS_TRY_ASSIGN(Graph micro, microStep(draft, over));
    std::size_t gradient = 0, statistic = 0;
    for (const Summand& summand : summands) {
        LS_TRY_ASSIGN(const Value before, accumulatorOf(draft.graph, summand.name, summand.value));
        LS_TRY_ASSIGN(const Value sum, append(draft.graph, OpKind::Add, summand.name + "/accumulated", {before, summand.value}));
        switch (summand.kind) {
            case Summand::Kind::Output: draft.graph.setOutput(summand.name, sum); break;
            case Summand::Kind::Statistic: draft.statistics[statistic++].batch = sum; break;
            case Summand::Kind::Gradient: draft.gradients[gradient++].gradient = sum; break;
        }
    }
    const bool summed = over.statistics == Statistics::Summed;
    if (summed && over.batches > 1) LS_TRY(takeSummed(draft, over.batches));
    if (!summed && over.ranks > 1) LS_TRY(takeStatistics(draft, over.batches));
    return micro;
}

}  // namespace lockstep::passes
