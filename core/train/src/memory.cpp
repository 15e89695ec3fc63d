#include <train/memory.h>

#include "evaluation.h"
#include "programs.h"
#include "rank_parts.h"
#include "states.h"

namespace lockstep::train {
namespace {

// Rows as the facts say, without the rows.
data::Split splitOf(const data::DatasetFacts& facts, std::int64_t rows) {
    data::Split split;
    split.featureShape = facts.featureShape;
    split.rows = rows;
    split.element = facts.element;
    split.targetWidth = facts.targetWidth;
    return split;
}

std::uint64_t bytesOfRows(const data::Split& split) {
    const auto rows = static_cast<std::uint64_t>(split.rows);
    const std::uint64_t label = split.targetWidth > 0 ? 4 * static_cast<std::uint64_t>(split.targetWidth) : 4;
    return split.rows == 0 ? 0 : rows * (static_cast<std::uint64_t>(split.rowElements()) * sizeOf(split.element) + label);
}

}  // namespace

data::DatasetFacts factsOf(const data::Dataset& dataset) {
    const data::Split& train = dataset.train;
    return {train.featureShape, train.rows, dataset.validation.rows, dataset.classes, train.element, train.targetWidth};
}

Result<RankMemory> memoryOf(const RankOptions& options, const data::DatasetFacts& facts, int ranks, exec::Executor& executor) {
    const data::Split train = splitOf(facts, facts.rows), validation = splitOf(facts, facts.validationRows);
    LS_TRY_ASSIGN(const StepProgram step,
                  buildStep(options, rowsOfProgram(options), Evaluation::rowsOf(options, validation, ranks), ranks));
    LS_TRY_ASSIGN(const exec::MemoryReport report, executor.sizeFamily(familyOf(step), options.compile));

    RankMemory memory{report.weights, report.gradients, report.optimizerSlots, report.activations, report.workspace, 0, 0, 0,
                      report.library};
    // Kept beside the program: the average of the weights, and the best ones.
    const auto& stopping = options.rules.earlyStopping;
    if (options.optimizer.useEma) memory.optimizerSlots += report.weights;
    if (stopping && stopping->restoreBestWeights) memory.optimizerSlots += report.weights;
    const std::int64_t rows = options.data.order.empty() ? facts.rows : static_cast<std::int64_t>(options.data.order.size());
    memory.input = data::feedBytes(feedOptions(options, train, scheduleOf(options, rows), 1, targetWidthOf(step.graph))) +
                   Evaluation::bytesOf(options, validation, step.evaluation ? step.evaluation->rows : 0);
    memory.data = bytesOfRows(train) + bytesOfRows(validation);
    if (options.rank == 0 && !options.checkpoint.folder.empty()) memory.checkpoint = report.weights + memory.optimizerSlots;
    // At the end weights are hashed one after the other.
    memory.checkpoint += largestState(step);
    return memory;
}

}  // namespace lockstep::train
