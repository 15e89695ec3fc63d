// The true means over all validation rows and all ranks, and the metrics that follow from counts over all of them. The rows are dealt in
// equal runs to the ranks, each goes through its own in equal parts (programs.h, buildStep); only the sums travel. The loss includes the
// regularizers, as Keras' does.
#pragma once

#include "metric_sums.h"

#include <data/feed.h>

#include <functional>
#include <optional>

namespace lockstep::train {

class Evaluation {
public:
    struct Means {
        double loss = 0;
        double accuracy = 0;          // the first metric
        std::vector<double> metrics;  // the further ones
    };

    // What the fullest of the ranks evaluates.
    static EvaluationRows rowsOf(const RankOptions& options, const data::Split& validation, int ranks);

    // What its buffers take.
    static std::uint64_t bytesOf(const RankOptions& options, const data::Split& validation, std::int64_t rowsAtOnce);

    // Precondition: step.evaluation. `step`, `validation` and `group` outlive this object.
    Evaluation(const RankOptions& options, const data::Split& validation, StepProgram& step, comm::Group& group);

    // With the weights that the step has now. All ranks call it at the same step. `progress` hears of this rank's rows.
    Result<Means> run(const std::function<void(std::int64_t done, std::int64_t rows)>& progress = {});

    // Forward passes over this rank's rows alone: `take` finds the results of rows first … first + count in the program. Rows without
    // labels are fine.
    Result<void> results(const std::function<Result<void>(std::int64_t first, std::int64_t count)>& take);

private:
    void fill(std::int64_t first, std::int64_t count);
    Result<void> forward(std::int64_t done);

    EvaluationProgram& m_evaluation;
    comm::Group& m_group;
    graph::DType m_dtype;
    Seconds m_deadline;
    data::RowWriter m_writer;
    data::RowRange m_own;
    MetricSums m_sums;
    std::vector<std::byte> m_x, m_weights, m_targets;
    std::vector<std::int32_t> m_labels;
    bool m_hasTargets = false;
    std::vector<const std::byte*> m_feeds;
};

}  // namespace lockstep::train
