#include "start.h"

#include "metric_sums.h"

#include <base/checksum.h>
#include <base/units.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>

namespace lockstep::train {
namespace {

enum class Origin : std::int64_t { Fresh, Checkpoint, Failed };

// What rank 0 tells the others. Copied as bytes between ranks of one version.
constexpr std::size_t kMostMetrics = 16;
struct Announcement {
    Origin origin = Origin::Fresh;
    std::uint64_t step = 0;
    std::int64_t epochs = 0;
    double sumOfLoss = 0, sumOfCorrect = 0;
    std::int64_t sumOfRows = 0;
    std::int64_t hasLast = 0, hasVal = 0;
    double loss = 0, accuracy = 0, valLoss = 0, valAccuracy = 0;
    std::int64_t metricCount = 0;  // further ones
    std::array<double, kMostMetrics> metrics{}, valMetrics{};
    RuleState rules;
};
static_assert(std::is_trivially_copyable_v<Announcement>);

Announcement announce(const Progress& progress) {
    Announcement a;
    a.origin = Origin::Checkpoint;
    a.step = progress.step;
    a.epochs = progress.epochs;
    a.sumOfLoss = progress.sums.loss;
    a.sumOfCorrect = progress.sums.correct;
    a.sumOfRows = progress.sums.rows;
    a.rules = progress.rules;
    if (!progress.last) return a;
    a.hasLast = 1;
    a.metricCount = static_cast<std::int64_t>(progress.last->metrics.size());
    a.hasVal = progress.last->valLoss.has_value();
    a.loss = progress.last->loss;
    a.accuracy = progress.last->accuracy;
    a.valLoss = progress.last->valLoss.value_or(0);
    a.valAccuracy = progress.last->valAccuracy.value_or(0);
    std::ranges::copy(progress.last->metrics, a.metrics.begin());
    std::ranges::copy(progress.last->valMetrics, a.valMetrics.begin());
    return a;
}

Progress progressOf(const Announcement& a) {
    const auto listOf = [&](const auto& values) { return std::vector<double>(values.begin(), values.begin() + a.metricCount); };
    Progress progress;
    progress.step = a.step;
    progress.epochs = static_cast<int>(a.epochs);
    progress.sums = {a.sumOfLoss, a.sumOfCorrect, a.sumOfRows, {}};
    progress.rules = a.rules;
    if (a.hasLast == 0) return progress;
    progress.last = EpochResult{a.loss, a.accuracy, std::nullopt, std::nullopt, listOf(a.metrics), {}};
    if (a.hasVal != 0) {
        progress.last->valLoss = a.valLoss;
        progress.last->valAccuracy = a.valAccuracy;
        progress.last->valMetrics = listOf(a.valMetrics);
    }
    return progress;
}

std::size_t furtherMetrics(const RankOptions& options) { return std::max<std::size_t>(options.model.metrics.size(), 1) - 1; }
// Numbers of EpochSums::metrics.
std::size_t furtherSums(const RankOptions& options) { return MetricSums(options.model).size() - 2; }

// What contradicts the run although the specification's hash is the same; empty when nothing does.
std::string misfit(const Checkpoint& c, const RankOptions& options, const data::Schedule& schedule) {
    const auto differs = [](const char* what, auto theirs, auto ours) {
        return std::string(what) + " " + std::to_string(theirs) + ", this run " + std::to_string(ours);
    };
    if (c.rows != schedule.rows()) return differs("its epochs have rows:", c.rows, schedule.rows());
    if (c.globalBatch != schedule.batch()) return differs("its batches have rows:", c.globalBatch, schedule.batch());
    if (c.seed != options.seed) return differs("its seed is", c.seed, options.seed);
    const std::size_t sums = furtherSums(options), metrics = furtherMetrics(options);
    if (c.sums.metrics.size() != sums) return differs("sums of further metrics:", c.sums.metrics.size(), sums);
    if (c.last && c.last->metrics.size() != metrics) return differs("further metrics:", c.last->metrics.size(), metrics);
    return {};
}

// Rank 0: nothing when there is no checkpoint yet.
Result<std::optional<Progress>> loadCheckpoint(StepProgram& step, const RankOptions& options, const data::Schedule& schedule,
                                               const RankHooks& hooks) {
    const CheckpointStore store(options.checkpoint.folder, options.checkpoint.keep);
    LS_TRY_ASSIGN(auto loaded, store.loadNewest(options.checkpoint.specHash));
    if (!loaded) {
        if (hooks.warning) hooks.warning(makeError("C704", {{"folder", options.checkpoint.folder.string()}}));
        return std::optional<Progress>();
    }
    if (hooks.warning)
        for (const Error& error : loaded->skipped) hooks.warning(error);
    const Checkpoint& c = loaded->checkpoint;
    if (const std::string what = misfit(c, options, schedule); !what.empty())
        return makeError("C703", {{"checkpoint", loaded->id}, {"what", what}});
    LS_TRY(writeStates(step, c.tensors, loaded->id));
    return std::optional<Progress>(Progress{c.step, c.epochs, c.sums, c.last, c.rules});
}

// From rank 0 to everyone: all States in one message.
Result<void> sendStates(StepProgram& step, comm::Group& group, Seconds deadline) {
    auto tensors = stateTensors(step);
    readStates(step, tensors);
    std::vector<std::byte> all;
    for (const StateTensor& tensor : tensors) all.insert(all.end(), tensor.bytes.begin(), tensor.bytes.end());
    LS_TRY(group.broadcast({all, 0, Deadline::in(deadline)}));
    auto next = all.cbegin();
    for (StateTensor& tensor : tensors) {
        std::copy_n(next, tensor.bytes.size(), tensor.bytes.begin());
        next += static_cast<std::ptrdiff_t>(tensor.bytes.size());
    }
    storeStates(step, tensors);
    return {};
}

// Everything that must not differ between ranks.
Digest digestOf(const StepProgram& step, const RankOptions& o, const data::Split& train, const Progress& progress) {
    std::ostringstream text;
    text << o.model.preset << ' ' << o.model.classes << ' ' << o.optimizer.name;
    for (const double value : {o.optimizer.learningRate, o.optimizer.momentum, o.optimizer.beta1, o.optimizer.beta2, o.optimizer.epsilon})
        text << ' ' << formatDouble(value);
    text << ' ' << o.optimizer.nesterov << ' ' << o.data.shuffle << ' ' << o.data.shuffleSeed.value_or(o.seed) << ' ' << o.globalBatch
         << ' ' << o.epochs << ' ' << o.steps.value_or(0) << ' ' << o.seed << ' ' << o.slices.total << ' ' << o.bytesPerPack << ' '
         << graph::nameOf(o.dtype) << ' ' << o.model.policy << ' ' << o.optimizer.dynamicLossScale << ' ' << o.evaluate << ' '
         << o.checkpoint.specHash << ' ' << train.rows << ' ' << toHex(sha256(std::as_bytes(train.labels))) << ' ' << progress.step << ' '
         << toHex(sha256(std::as_bytes(std::span(o.data.order))));
    text << ' ' << toHex(sha256(std::as_bytes(train.targets))) << ' ' << o.data.augment.cropPadding << ' ' << o.data.augment.flip;
    for (const auto* values : {&o.data.normalise.mean, &o.data.normalise.deviation})
        text << ' ' << toHex(sha256(std::as_bytes(std::span(*values))));
    std::vector<std::byte> one(largestState(step));
    for (std::size_t i = 0; i < step.states.size(); ++i) {
        const std::span<std::byte> value = std::span(one).first(step.graph.node(step.states[i]).outputs[0].bytes());
        step.program->readState(i, value);
        text << ' ' << crc32c(value);
    }
    text << ' ' << weightsHashOf(step);
    return sha256(asBytes(text.str()));
}

}  // namespace

Result<Progress> startStates(StepProgram& step, const RankOptions& options, const data::Schedule& schedule, comm::Group& group,
                             const RankHooks& hooks) {
    LS_TRY(writeInitialStates(step, options));
    Progress fresh;
    fresh.sums.metrics.resize(furtherSums(options));
    if (!options.resume) return fresh;
    const comm::GroupInfo info = group.info();
    Announcement announcement;
    std::vector<double> sums(furtherSums(options));
    std::optional<Error> failure;
    if (info.rank == 0) {
        auto loaded = loadCheckpoint(step, options, schedule, hooks);
        if (!loaded.ok()) {
            failure = std::move(loaded).error();
            announcement.origin = Origin::Failed;
        } else if (*loaded) {
            announcement = announce(**loaded);
            sums = (*loaded)->sums.metrics;
        }
    }
    // The others must hear of a failure too: they would wait for the state otherwise.
    auto told = group.broadcast({std::as_writable_bytes(std::span(&announcement, 1)), 0, Deadline::in(options.collectiveDeadline)});
    if (failure) return std::move(*failure);
    if (!told.ok()) return std::move(told).error();
    if (announcement.origin == Origin::Failed) return makeError("R512", {{"rank", std::to_string(info.rank)}});
    if (announcement.origin == Origin::Fresh) return fresh;
    if (info.size > 1) LS_TRY(sendStates(step, group, options.collectiveDeadline));
    if (!sums.empty()) LS_TRY(group.broadcast({std::as_writable_bytes(std::span(sums)), 0, Deadline::in(options.collectiveDeadline)}));
    Progress progress = progressOf(announcement);
    progress.sums.metrics = std::move(sums);
    return progress;
}

Result<void> agree(const StepProgram& step, const RankOptions& options, const data::Split& train, const Progress& progress,
                   comm::Group& group) {
    const comm::GroupInfo info = group.info();
    const auto size = static_cast<std::size_t>(info.size);
    const Digest own = digestOf(step, options, train, progress);
    Digest first = own;
    LS_TRY(group.broadcast({first, 0, Deadline::in(options.collectiveDeadline)}));

    // One number per rank (it differs from rank 0), then one per slice (how many ranks own it).
    std::vector<std::int64_t> votes(size + static_cast<std::size_t>(options.slices.total), 0);
    votes[static_cast<std::size_t>(info.rank)] = own == first ? 0 : 1;
    for (int slice = options.slices.first; slice < options.slices.first + options.slices.count; ++slice)
        if (slice >= 0 && slice < options.slices.total) votes[size + static_cast<std::size_t>(slice)] += 1;
    // Ranks of different plans would send vectors of different lengths: the differing ones are told apart first.
    LS_TRY(group.allReduce(
        {std::as_writable_bytes(std::span(votes).first(size)), comm::Element::I64, Deadline::in(options.collectiveDeadline)}));
    for (std::size_t rank = 0; rank < size; ++rank)
        if (votes[rank] != 0)
            return makeError("R508",
                             {{"rank", std::to_string(rank)}, {"other", "0"}, {"what", "settings, data, weights or checkpoint differ"}});
    LS_TRY(group.allReduce(
        {std::as_writable_bytes(std::span(votes).subspan(size)), comm::Element::I64, Deadline::in(options.collectiveDeadline)}));
    for (std::size_t slice = 0; size + slice < votes.size(); ++slice)
        if (votes[size + slice] != 1)
            return makeError("R511", {{"slice", std::to_string(slice)},
                                      {"slices", std::to_string(options.slices.total)},
                                      {"count", std::to_string(votes[size + slice])}});
    return {};
}

}  // namespace lockstep::train
