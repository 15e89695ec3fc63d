// The compiled programs of a rank: the training step, and the evaluation of part of the validation rows. They share the weights and
// their scratch memory.
#pragma once

#include "group_collectives.h"

#include <exec/executor.h>
#include <graph/graph.h>
#include <nn/model.h>
#include <train/rank.h>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace lockstep::train {

// Where each Input stands among the feeds; -1 = the graph has none of that name.
struct FeedPlaces {
    int x = -1, labels = -1, targets = -1, weights = -1, learningRate = -1, step = -1, control = -1;
    int count = -1, firstRow = -1, statisticsWeight = -1;  // nn/model.h
    int keep = -1, statisticsKeep = -1;                    // passes.h: accumulate
    int rowShare = -1, lossScale = -1;                     // passes.h: rowMeans, scaleLoss
    std::size_t total = 0;
};
FeedPlaces feedPlacesOf(const graph::Graph& graph);

// A metric as it is told: the model's output and its series.
struct ToldMetric {
    nn::MetricOptions metric;
    std::string output;  // "correct", "metric/auc"
    telemetry::Series step, epoch, validation;
};
std::vector<ToldMetric> toldMetrics(const nn::ModelOptions& model);

// Names of extra outputs of a step that runs on several ranks: this rank's part of loss and correct, and the sum of all ranks' controls.
inline constexpr std::string_view kRankLoss = "rank_loss", kRankCorrect = "rank_correct", kControl = "control";

// The forward pass alone, for `rows` rows at once.
struct EvaluationProgram {
    std::int64_t rows = 0;
    graph::Graph graph;
    FeedPlaces feeds;
    std::unique_ptr<exec::Program> program;
};

// One of an update's batches or slices but the last: sums gradients.
struct MicroProgram {
    graph::Graph graph;
    FeedPlaces feeds;
    std::unique_ptr<exec::Program> program;
};

struct StepProgram {
    nn::Model model;
    graph::Graph graph;
    std::vector<graph::NodeId> states;
    // Kept beside the program, and in checkpoints behind its States: averages of the trained weights (weight_average.h); the weights of the
    // best epoch, when early stopping restores them.
    std::vector<StateTensor> averages, best;
    FeedPlaces feeds;
    std::unique_ptr<exec::Program> program;
    std::optional<MicroProgram> micro;  // with gradient accumulation or slices
    std::optional<EvaluationProgram> evaluation;
    // None alone. Goes first: after an error its thread may still sum in the program's memory, until it is joined.
    std::unique_ptr<GroupCollectives> collectives;
};

// What a rank evaluates: its rows, and the most of them at once (0: nothing is evaluated).
struct EvaluationRows {
    std::int64_t all = 0, most = 0;
};

// The graphs of a training step for `rows` rows of this rank among `ranks`, and of its evaluation; without programs. The evaluation takes
// at most as many rows at once, in equal parts, as a pass of the step, or as fit into 1 MiB.
Result<StepProgram> buildStep(const RankOptions& options, std::int64_t rows, EvaluationRows evaluation, int ranks);
// The evaluation alone; without a program.
Result<EvaluationProgram> buildEvaluation(const RankOptions& options, std::int64_t rows);
// The graphs of its family, in the order of compileFamily().
std::vector<const graph::Graph*> familyOf(const StepProgram& step);

// The same compiled, in a group of `group.info().size` ranks.
Result<StepProgram> compileStep(const RankOptions& options, std::int64_t rows, EvaluationRows evaluation, exec::Executor& executor,
                                comm::Group& group);

// Numbers for a row that the graph takes as "targets"; 0 = none: it takes labels.
std::int64_t targetWidthOf(const graph::Graph& graph);

// A scalar result as a double.
double scalarOf(const exec::Program& program, std::string_view output, graph::DType dtype);

// All numbers of a result as doubles. Precondition: as many places.
void numbersOf(const exec::Program& program, std::string_view output, graph::DType dtype, std::span<double> into);

// A scalar State as a double.
double scalarState(const exec::Program& program, std::size_t index, graph::DType dtype);

// A scalar feed; the bytes stay where they are.
class ScalarFeed {
public:
    explicit ScalarFeed(graph::DType dtype) : m_dtype(dtype) {}
    void set(double value);
    const std::byte* bytes() const { return m_bytes; }

private:
    graph::DType m_dtype;
    alignas(8) std::byte m_bytes[8]{};
};

}  // namespace lockstep::train
