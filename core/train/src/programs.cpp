#include "programs.h"

#include "states.h"
#include "weight_average.h"

#include <exec/arena.h>
#include <passes/pipeline.h>

#include <algorithm>
#include <cstring>

namespace lockstep::train {
namespace {

using graph::OpKind;
using graph::Value;

// Results of this rank alone and a signal that is summed with the last bucket. A Reshape keeps the value although the bucket is summed
// in place; the Relu puts the control into the arena, where a bucket must lie.
Result<void> appendRankValues(graph::Graph& graph, graph::DType dtype) {
    const auto keep = [&](std::string_view from, std::string_view name) -> Result<void> {
        const Value value = graph.outputs().find(from)->second;
        LS_TRY_ASSIGN(const graph::NodeId copy,
                      graph.append(OpKind::Reshape, std::string(name), {value}, {{"shape", graph.type(value).shape.dims()}}));
        graph.setOutput(std::string(name), {copy, 0});
        return {};
    };
    LS_TRY(keep("loss", kRankLoss));
    LS_TRY(keep("correct", kRankCorrect));
    LS_TRY_ASSIGN(const Value control, graph.input("control_of_rank", {dtype, {}}));
    LS_TRY_ASSIGN(const graph::NodeId signal, graph.append(OpKind::Relu, std::string(kControl), {control}));
    graph.setOutput(std::string(kControl), {signal, 0});
    return {};
}

// Below this nobody misses what an evaluation takes, and single rows would cost time.
constexpr std::size_t kLeastForEvaluation = std::size_t{1} << 20;

// In equal parts: no more than `most` at once.
std::int64_t equalParts(std::int64_t rows, std::int64_t most) {
    const std::int64_t parts = (rows + most - 1) / most;
    return (rows + parts - 1) / parts;
}

// Its sums do not depend on how many rows go at once, so that it takes no more than a pass of the step: that has the scratch memory for
// as many, since an inference keeps less.
Result<EvaluationProgram> evaluationWithin(const RankOptions& options, EvaluationRows rows, std::int64_t ofStep) {
    LS_TRY_ASSIGN(EvaluationProgram evaluation, buildEvaluation(options, equalParts(rows.all, rows.most)));
    const std::size_t needed = exec::planArena(evaluation.graph).bytes();
    if (evaluation.rows <= ofStep || needed <= kLeastForEvaluation) return evaluation;
    const auto small = static_cast<std::int64_t>(kLeastForEvaluation * static_cast<std::size_t>(evaluation.rows) / needed);
    return buildEvaluation(options, equalParts(rows.all, std::max<std::int64_t>({small, ofStep, 1})));
}

}  // namespace

FeedPlaces feedPlacesOf(const graph::Graph& graph) {
    FeedPlaces places;
    const auto inputs = graph.nodesOf(OpKind::Input);
    places.total = inputs.size();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::string& name = graph.node(inputs[i]).name;
        const int place = static_cast<int>(i);
        if (name == "x") places.x = place;
        if (name == "labels") places.labels = place;
        if (name == "targets") places.targets = place;
        if (name == "weights") places.weights = place;
        if (name == "learning_rate") places.learningRate = place;
        if (name == "step") places.step = place;
        if (name == "control_of_rank") places.control = place;
        if (name == "count") places.count = place;
        if (name == "first_row") places.firstRow = place;
        if (name == "statistics_weight") places.statisticsWeight = place;
        if (name == "keep") places.keep = place;
        if (name == "statistics_keep") places.statisticsKeep = place;
        if (name == "row_share") places.rowShare = place;
        if (name == "loss_scale_factor") places.lossScale = place;
    }
    return places;
}

Result<EvaluationProgram> buildEvaluation(const RankOptions& options, std::int64_t rows) {
    EvaluationProgram evaluation;
    evaluation.rows = rows;
    LS_TRY_ASSIGN(const nn::Model model, nn::buildModel(options.model, rows, options.dtype, nn::Phase::Inference));
    LS_TRY_ASSIGN(evaluation.graph, passes::makeEvaluation(model));
    evaluation.feeds = feedPlacesOf(evaluation.graph);
    return evaluation;
}

Result<StepProgram> buildStep(const RankOptions& options, std::int64_t rows, EvaluationRows evaluation, int ranks) {
    const bool alone = ranks == 1;
    StepProgram step;
    LS_TRY_ASSIGN(step.model, nn::buildModel(options.model, rows, options.dtype));
    nn::Model extended = step.model;
    if (!alone) LS_TRY(appendRankValues(extended.forward, options.dtype));
    passes::TrainStepOptions passOptions;
    passOptions.optimizer = options.optimizer;
    passOptions.bytesPerPack = options.bytesPerPack;
    passOptions.allReduce = !alone;
    passOptions.ranks = ranks;
    passOptions.accumulation = options.accumulation;
    passOptions.slices = options.slicesApart ? options.slices.count : 1;
    passOptions.recompute = options.recompute;
    passOptions.meanOfRanks = options.reduction == Reduction::Replicas;
    LS_TRY_ASSIGN(auto made, passes::makeTrainStep(extended, passOptions));
    step.graph = std::move(made.graph);
    step.states = step.graph.nodesOf(OpKind::State);
    step.feeds = feedPlacesOf(step.graph);
    if (made.micro) {
        step.micro.emplace();
        step.micro->graph = std::move(*made.micro);
        step.micro->feeds = feedPlacesOf(step.micro->graph);
    }
    if (evaluation.most > 0) {
        LS_TRY_ASSIGN(step.evaluation, evaluationWithin(options, evaluation, rows));
    }
    return step;
}

std::vector<const graph::Graph*> familyOf(const StepProgram& step) {
    std::vector<const graph::Graph*> graphs = {&step.graph};
    if (step.micro) graphs.push_back(&step.micro->graph);
    if (step.evaluation) graphs.push_back(&step.evaluation->graph);
    return graphs;
}

Result<StepProgram> compileStep(const RankOptions& options, std::int64_t rows, EvaluationRows evaluation, exec::Executor& executor,
                                comm::Group& group) {
    LS_TRY_ASSIGN(StepProgram step, buildStep(options, rows, evaluation, group.info().size));
    step.averages = averagesOf(step, options.optimizer);
    if (options.rules.earlyStopping && options.rules.earlyStopping->restoreBestWeights) step.best = bestOf(step);
    exec::CompileOptions compile = options.compile;
    if (group.info().size > 1) {
        const int buckets = static_cast<int>(step.graph.nodesOf(OpKind::AllReduce).size());
        step.collectives = std::make_unique<GroupCollectives>(group, buckets, options.collectiveDeadline);
        compile.collectives = step.collectives.get();
    }
    LS_TRY_ASSIGN(auto programs, executor.compileFamily(familyOf(step), compile));
    step.program = std::move(programs[0]);
    if (step.micro) step.micro->program = std::move(programs[1]);
    if (step.evaluation) step.evaluation->program = std::move(programs.back());
    return step;
}

std::vector<ToldMetric> toldMetrics(const nn::ModelOptions& model) {
    using telemetry::MetricValue;
    std::vector<ToldMetric> told;
    std::vector<nn::MetricOptions> metrics = model.metrics;
    if (metrics.empty()) metrics.emplace_back();
    for (const nn::MetricOptions& metric : metrics) {
        const std::string output = told.empty() ? "correct" : "metric/" + metric.name;
        const auto series = [&](MetricValue value, telemetry::Series none) {
            return telemetry::metricSeries(metric.name, value).value_or(none);
        };
        told.push_back({metric, output, series(MetricValue::Step, telemetry::Series::Accuracy),
                        series(MetricValue::Epoch, telemetry::Series::EpochAccuracy),
                        series(MetricValue::Validation, telemetry::Series::ValAccuracy)});
    }
    return told;
}

std::int64_t targetWidthOf(const graph::Graph& graph) {
    const auto targets = graph.find("targets");
    if (!targets) return 0;
    const graph::Shape& shape = graph.node(*targets).outputs[0].shape;
    return shape.elements() / std::max<std::int64_t>(shape[0], 1);
}

namespace {

double toDouble(std::span<const std::byte> bytes, graph::DType dtype) {
    if (dtype == graph::DType::F64) {
        double value = 0;
        std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    }
    float value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return static_cast<double>(value);
}

}  // namespace

double scalarOf(const exec::Program& program, std::string_view output, graph::DType dtype) {
    return toDouble(program.output(output), dtype);
}

void numbersOf(const exec::Program& program, std::string_view output, graph::DType dtype, std::span<double> into) {
    const std::span<const std::byte> bytes = program.output(output);
    const std::size_t size = graph::sizeOf(dtype);
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = toDouble(bytes.subspan(i * size, size), dtype);
}

double scalarState(const exec::Program& program, std::size_t index, graph::DType dtype) {
    std::byte bytes[sizeof(double)]{};
    const std::span<std::byte> value = std::span(bytes).first(graph::sizeOf(dtype));
    program.readState(index, value);
    return toDouble(value, dtype);
}

void ScalarFeed::set(double value) {
    if (m_dtype == graph::DType::F64) {
        std::memcpy(m_bytes, &value, sizeof value);
        return;
    }
    const float narrow = static_cast<float>(value);
    std::memcpy(m_bytes, &narrow, sizeof narrow);
}

}  // namespace lockstep::train
