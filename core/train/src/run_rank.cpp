#include <train/rank.h>

#include "rank_loop.h"
#include "rank_parts.h"

#include <base/paths.h>

#include <functional>
#include <numeric>

namespace lockstep::train {
namespace {

void enter(const RankHooks& hooks, const char* phase) {
    if (hooks.phase) hooks.phase(phase);
}

Result<data::Dataset> loadData(const RankOptions& options) {
    if (options.data.loaded) return *options.data.loaded;
    data::LoadOptions load = options.data;
    if (load.cacheFolder.empty()) load.cacheFolder = cacheFolder();
    load.classes = options.model.classes;
    return data::loadDataset(load);
}

data::RowTransform transformOf(const RankOptions& options) { return {options.data.augment, options.data.normalise, options.seed}; }

std::int64_t productOf(const std::vector<std::int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

Result<void> check(const RankOptions& options, const data::Dataset& dataset) {
    if (options.globalBatch < options.slices.total || options.slices.total < 1)
        return makeError(
            "S310",
            {{"where", "Training"}, {"rows", std::to_string(options.globalBatch)}, {"slices", std::to_string(options.slices.total)}});
    if (productOf(options.model.inputShape) != productOf(dataset.train.featureShape))
        return makeError("S414", {{"model", graph::Shape(options.model.inputShape).toText()},
                                  {"data", graph::Shape(dataset.train.featureShape).toText()}});
    // Classes can be given as numbers, not the other way round.
    const bool needsClasses = nn::targetsOf(options.model.loss) == nn::TargetKind::Labels;
    if (needsClasses && dataset.train.labels.empty()) return makeError("F629", {{"what", "numbers as targets"}, {"needed", "classes"}});
    if (options.reduction == Reduction::Replicas && options.slices.count != 1)
        return makeError("X001", {{"what", "Keras' reduction with several slices on a rank"}});
    LS_TRY(data::checkTransform(dataset.train.featureShape, dataset.train.element, transformOf(options)));
    for (const std::uint32_t row : options.data.order)
        if (row >= dataset.train.rows)
            return makeError("X001", {{"what", "row " + std::to_string(row) + " of an explicit order is beyond the data"}});
    return {};
}

}  // namespace

data::FeedOptions feedOptions(const RankOptions& options, const data::Split& train, const data::Schedule& schedule, std::uint64_t firstStep,
                              std::int64_t targetWidth) {
    data::FeedOptions feed;
    feed.split = train;
    feed.schedule = schedule;
    feed.share = options.slices;
    feed.real = options.dtype == graph::DType::F64 ? data::Real::F64 : data::Real::F32;
    feed.shuffle = options.data.shuffle;
    feed.order = options.data.order;
    feed.seed = options.data.shuffleSeed.value_or(options.seed);
    feed.firstStep = firstStep;
    feed.buffers = options.feedBuffers;
    feed.weightOfBatch = 1.0 / options.accumulation;
    feed.meanOfReplicas = options.reduction == Reduction::Replicas;
    feed.targetWidth = targetWidth;
    feed.transform = transformOf(options);
    return feed;
}

data::Schedule scheduleOf(const RankOptions& options, std::int64_t rows) {
    const auto batches = static_cast<std::uint64_t>(options.accumulation);
    const auto most = options.steps ? std::optional(*options.steps * batches) : std::nullopt;
    return {rows, options.globalBatch, options.epochs, most};
}

std::int64_t rowsOfProgram(const RankOptions& options) {
    const std::int64_t all = data::mostRowsOfShare(options.globalBatch, options.slices);
    return options.slicesApart ? all / std::max(options.slices.count, 1) : all;
}

Result<RankResult> runRank(const RankOptions& options, exec::Executor& executor, comm::Group& group, const RankHooks& hooks) {
    enter(hooks, "data");
    LS_TRY_ASSIGN(const data::Dataset dataset, loadData(options));
    LS_TRY(check(options, dataset));
    const auto rows = options.data.order.empty() ? dataset.train.rows : static_cast<std::int64_t>(options.data.order.size());
    const auto batches = static_cast<std::uint64_t>(options.accumulation);  // the schedule's steps are batches
    const data::Schedule schedule = scheduleOf(options, rows);

    enter(hooks, "compile");
    LS_TRY_ASSIGN(StepProgram step, compileStep(options, rowsOfProgram(options),
                                                Evaluation::rowsOf(options, dataset.validation, group.info().size), executor, group));

    enter(hooks, "rendezvous");
    LS_TRY_ASSIGN(const Progress progress, startStates(step, options, schedule, group, hooks));
    LS_TRY(agree(step, options, dataset.train, progress, group));

    data::Feed feed(feedOptions(options, dataset.train, schedule, progress.step * batches + 1, targetWidthOf(step.graph)));
    RankLoop loop({options, group, hooks, dataset, schedule, step}, progress);
    return loop.run(feed);
}

}  // namespace lockstep::train
