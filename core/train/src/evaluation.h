// The true means over all validation rows and all ranks. The rows are dealt in equal runs to the ranks, each goes through its own in
// equal batches; only the sums travel.
#pragma once

#include "programs.h"

#include <data/feed.h>

#include <optional>

namespace lockstep::train {

class Evaluation {
public:
    struct Means {
        double loss = 0;
        double accuracy = 0;
    };

    // Precondition: validation.rows > 0.
    static Result<std::unique_ptr<Evaluation>> create(const RankOptions& options, const data::Split& validation, exec::Executor& executor,
                                                      comm::Group& group);
    // With the weights that `step` has now. All ranks call it at the same step.
    Result<Means> run(const StepProgram& step);

private:
    Evaluation(const data::Split& validation, comm::Group& group, graph::DType dtype, Seconds deadline);
    void copyWeights(const StepProgram& step);
    void fill(std::int64_t first, std::int64_t count);

    const data::Split& m_validation;
    comm::Group& m_group;
    graph::DType m_dtype;
    Seconds m_deadline;
    data::RowWriter m_writer;
    data::RowRange m_own;
    std::int64_t m_batch = 0;
    graph::Graph m_graph;
    FeedPlaces m_places;
    std::unique_ptr<exec::Program> m_program;
    std::vector<std::byte> m_x, m_weights;
    std::vector<std::int32_t> m_labels;
};

}  // namespace lockstep::train
