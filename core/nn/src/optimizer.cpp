#include <nn/optimizer.h>

#include <cmath>

#include <fmt/format.h>

namespace lockstep::nn {

using graph::Graph;
using graph::OpKind;
using graph::TensorType;
using graph::Value;

namespace {

Error refused(std::string what) { return makeError("S411", {{"what", std::move(what)}}); }

Result<void> needRange(std::string_view name, double value, bool inRange, std::string_view range) {
    if (std::isfinite(value) && inRange) return {};
    return refused(fmt::format("{} is {}, but must be {}", name, value, range));
}

Result<void> check(const OptimizerOptions& o) {
    LS_TRY(needRange("learning_rate", o.learningRate, o.learningRate >= 0, "0 or more"));
    if (o.name == "sgd") return needRange("momentum", o.momentum, o.momentum >= 0 && o.momentum <= 1, "from 0 to 1");
    if (o.name != "adam") return refused(fmt::format("\"{}\" is no optimizer that Lockstep knows; it has adam and sgd", o.name));
    LS_TRY(needRange("beta_1", o.beta1, o.beta1 >= 0 && o.beta1 < 1, "at least 0 and below 1"));
    LS_TRY(needRange("beta_2", o.beta2, o.beta2 >= 0 && o.beta2 < 1, "at least 0 and below 1"));
    return needRange("epsilon", o.epsilon, o.epsilon > 0, "above 0");
}

// One weight's slot, zero at the start of a run.
Result<Value> slot(Graph& graph, Value weight, std::string_view kind) {
    const std::string name = fmt::format("{}/{}", graph.node(weight.node).name, kind);
    return graph.state(name, TensorType(graph.type(weight)), "slot");
}

Result<void> appendSgd(Graph& graph, const OptimizerOptions& options, const WeightGradient& pair, Value rate) {
    std::vector<Value> inputs = {pair.weight, pair.gradient, rate};
    if (options.momentum != 0) {
        LS_TRY_ASSIGN(const Value momentum, slot(graph, pair.weight, "momentum"));
        inputs.push_back(momentum);
    }
    const std::string name = graph.node(pair.weight.node).name + "/update";
    LS_TRY(graph.append(OpKind::SgdUpdate, name, std::move(inputs),
                        {{"momentum", static_cast<double>(static_cast<float>(options.momentum))},
                         {"nesterov", std::int64_t{options.nesterov && options.momentum != 0 ? 1 : 0}}}));
    return {};
}

Result<void> appendAdam(Graph& graph, const OptimizerOptions& options, const WeightGradient& pair, Value rate, Value step) {
    LS_TRY_ASSIGN(const Value m, slot(graph, pair.weight, "m"));
    LS_TRY_ASSIGN(const Value v, slot(graph, pair.weight, "v"));
    const std::string name = graph.node(pair.weight.node).name + "/update";
    LS_TRY(graph.append(OpKind::AdamUpdate, name, {pair.weight, pair.gradient, rate, step, m, v},
                        {{"beta_1", options.beta1}, {"beta_2", options.beta2}, {"epsilon", options.epsilon}}));
    return {};
}

}  // namespace

Result<void> appendUpdates(Graph& graph, const OptimizerOptions& options, const std::vector<WeightGradient>& gradients) {
    LS_TRY(check(options));
    if (gradients.empty()) return refused("the model has no weight to train");
    const TensorType scalar{graph.type(gradients.front().weight).dtype, {}};
    LS_TRY_ASSIGN(const Value rate, graph.input("learning_rate", scalar));
    if (options.name == "sgd") {
        for (const auto& pair : gradients) LS_TRY(appendSgd(graph, options, pair, rate));
        return {};
    }
    LS_TRY_ASSIGN(const Value step, graph.input("step", scalar));
    for (const auto& pair : gradients) LS_TRY(appendAdam(graph, options, pair, rate, step));
    return {};
}

}  // namespace lockstep::nn
