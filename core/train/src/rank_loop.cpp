#include "rank_loop.h"

#include "rank_parts.h"
#include "states.h"
#include "step_profile.h"

#include <base/units.h>
#include <nn/metric.h>

#include <algorithm>
#include <cmath>

namespace lockstep::train {
namespace {

using std::chrono::steady_clock;
using telemetry::Series;

// What a rank adds to the control sum. Exact in float32 for fewer ranks than kCheckpoint.
constexpr double kStop = 1, kCheckpoint = 4096;

bool stopAsked(double controls) { return std::fmod(controls, kCheckpoint) >= kStop; }
bool checkpointAsked(double controls) { return controls >= kCheckpoint; }

}  // namespace

RankLoop::RankLoop(const Parts& parts, const Progress& progress)
    : m(parts),
      m_progress(progress),
      m_checkpoints(m.options, m.schedule, m.step, m.hooks),
      m_average(m.options.optimizer, m.step),
      m_rules(m.options, m.step, m_checkpoints, m.hooks),
      m_metrics(toldMetrics(m.options.model)),
      m_batchSums(m.options.model, m.options.accumulation > 1 ? "batch_" : "",
                  m.options.reduction == Reduction::Replicas ? "row_loss" : "loss"),
      m_stepSums(m.options.model),
      m_alone(m.group.info().size == 1),
      m_rank(static_cast<std::int16_t>(m.options.rank)),
      m_rates(nn::scheduleOf(m.options.optimizer)),
      m_batches(static_cast<std::uint64_t>(m.options.accumulation)),
      m_slices(m.options.slicesApart ? m.options.slices.count : 1),
      m_rows(rowsOfProgram(m.options)),
      m_targetWidth(targetWidthOf(m.step.graph)),
      m_learningRate(m.options.dtype),
      m_stepNumber(m.options.dtype),
      m_control(m.options.dtype),
      m_count(m.options.dtype),
      m_firstRow(m.options.dtype),
      m_statisticsWeight(m.options.dtype),
      m_keep(m.options.dtype),
      m_statisticsKeep(m.options.dtype),
      m_rowShare(m.options.dtype),
      m_fixedScale(m.options.dtype) {
    m_fixedScale.set(m.options.optimizer.lossScaleFactor.value_or(1));
    m_batchValues.resize(m_batchSums.size());
    m_sliceValues.resize(m_batchSums.size());
    m_stepValues.resize(m_stepSums.size());
    m_rankValues.resize(nn::sumsOf(m_metrics[0].metric));
    m_feeds.places = m.step.feeds;
    setScalars(m_feeds);
    if (m.step.micro) {
        m_microFeeds.places = m.step.micro->feeds;
        setScalars(m_microFeeds);
    }
    // What a checkpoint brought along counts on.
    for (std::size_t i = 0; i < m.step.states.size(); ++i)
        if (m.step.graph.node(m.step.states[i]).name == nn::kSkippedSteps)
            m_skipped = static_cast<std::uint64_t>(scalarState(*m.step.program, i, m.options.dtype));
    if (m.step.evaluation) m_evaluation.emplace(m.options, m.dataset.validation, m.step, m.group);
}

void RankLoop::Feeds::set(int place, const std::byte* bytes) {
    if (place >= 0) pointers[static_cast<std::size_t>(place)] = bytes;
}

void RankLoop::setScalars(Feeds& feeds) {
    feeds.pointers.resize(feeds.places.total);
    feeds.set(feeds.places.learningRate, m_learningRate.bytes());
    feeds.set(feeds.places.step, m_stepNumber.bytes());
    feeds.set(feeds.places.control, m_control.bytes());
    feeds.set(feeds.places.count, m_count.bytes());
    feeds.set(feeds.places.firstRow, m_firstRow.bytes());
    feeds.set(feeds.places.statisticsWeight, m_statisticsWeight.bytes());
    feeds.set(feeds.places.keep, m_keep.bytes());
    feeds.set(feeds.places.statisticsKeep, m_statisticsKeep.bytes());
    feeds.set(feeds.places.rowShare, m_rowShare.bytes());
    feeds.set(feeds.places.lossScale, m_fixedScale.bytes());
}

Result<RankResult> RankLoop::run(data::Feed& feed) {
    LS_TRY(m_rules.check(m_evaluation.has_value()));
    m_checkpoints.prepare();
    m_rules.prepare();
    m_started = steady_clock::now();
    if (m.hooks.phase) m.hooks.phase("first step");
    Next next = Next::Step;
    while (next == Next::Step) {
        const auto asked = steady_clock::now();
        if (!m_inUpdate) m_begin = asked;
        LS_TRY_ASSIGN(const data::StepInput* input, feed.next(Deadline::in(m.options.collectiveDeadline)));
        m_times.inputWait += steady_clock::now() - asked;
        if (input == nullptr) break;
        LS_TRY_ASSIGN(next, oneBatch(*input));
    }
    if (!m_rules.endedBy().empty()) m_endedBy = m_rules.endedBy();
    const bool stopped = next == Next::Stop || m_endedBy == "stop.target";
    if (!stopped && m_endedBy == "stop.time") m_endedBy.clear();  // it was done just then
    // A run that may go on goes on with the weights it had.
    if (!stopped) {
        m_average.replaceWeights();
        m_rules.restoreBest(m_progress.rules);
    }
    m_checkpoints.atEnd(m_progress);
    return result(stopped);
}

double RankLoop::controlToSend() {
    double control = 0;
    if (m.hooks.stop != nullptr && m.hooks.stop->load(std::memory_order_relaxed)) control += kStop;
    if (m.hooks.checkpointNow != nullptr && m.hooks.checkpointNow->load(std::memory_order_relaxed) &&
        m.hooks.checkpointNow->exchange(false))
        control += kCheckpoint;
    // One clock decides for all.
    if (m_rank == 0 && m.options.timeLimit && steady_clock::now() - m_started >= *m.options.timeLimit) {
        m_endedBy = "stop.time";
        control += control >= kStop && control < kCheckpoint ? 0 : kStop;
    }
    return control;
}

// Keras' schedules count batches under accumulation, and the update takes the rate of its last one.
double RankLoop::rateOf(const data::StepRows& rows) const {
    if (const auto rate = m_rules.rateOf(rows.epoch, m_progress.rules)) return *rate;
    return nn::learningRateAt(m_rates, m.options.kerasCompatible ? rows.step - 1 : updatesBefore(rows.step));
}

// Keras' inner optimizer does not count what was skipped.
std::uint64_t RankLoop::updatesBefore(std::uint64_t batch) const {
    const std::uint64_t finished = (batch - 1) / m_batches;
    return finished - std::min(finished, m_skipped);
}

Result<RankLoop::Next> RankLoop::oneBatch(const data::StepInput& input) {
    const auto own = static_cast<double>(input.ownRows), all = static_cast<double>(input.rows.batch.count);
    // Slices of one rank are one replica.
    const auto replicas = m_slices > 1 ? 1.0 : static_cast<double>(m.options.slices.total);
    setPart(input, 0, input.ownRows);
    m_rowShare.set(replicas * own / all);
    const double share = isOfReplicas() ? (input.ownRows > 0 ? 1 / replicas : 0) : own / all;
    m_ownShare += share / static_cast<double>(m_batches);
    m_ownRows += input.ownRows;
    m_inUpdate = true;
    m_stepNumber.set(static_cast<double>(updatesBefore(input.rows.step) + 1));
    m_rate = rateOf(input.rows);
    m_learningRate.set(m_rate);
    if (m_slices > 1) LS_TRY(runSlices(input));
    if (input.rows.step % m_batches == 0) return runStep(input);
    LS_TRY(runMicroStep(input));
    return Next::Step;
}

// The next pass is over `rows` real rows from row `first` of the input on.
void RankLoop::setPart(const data::StepInput& input, std::int64_t first, std::int64_t rows) {
    m_part = first;
    m_count.set(static_cast<double>(rows));
    m_firstRow.set(static_cast<double>(data::rowsOfShare(input.rows.batch.count, m.options.slices).first + first));
    // Keras reads and saves the moving statistics of replica 0.
    const double part = static_cast<double>(rows) / static_cast<double>(input.rows.batch.count);
    m_statisticsWeight.set(isOfReplicas() ? (m.options.slices.first == 0 ? 1 : 0) : part);
}

// What a pass does with the sums before it: the first of an update begins them anew.
void RankLoop::keepFor(const data::StepInput& input, std::int64_t slice) {
    const bool firstBatch = (input.rows.step - 1) % m_batches == 0;
    m_keep.set(firstBatch && slice == 0 ? 0 : 1);
    if (m.step.model.movingStatistics.empty()) return;
    const double fades = firstBatch ? 0 : m.step.model.movingStatistics.front().momentum;
    m_statisticsKeep.set(slice == 0 ? fades : 1);
}

// All slices of the batch but the last, which the step itself takes, or the micro step of a batch that is not the update's last. One
// without a row still brings its share of the regularizers.
Result<void> RankLoop::runSlices(const data::StepInput& input) {
    const auto begin = steady_clock::now();
    const auto rowsOf = [&](std::int64_t slice) { return std::clamp<std::int64_t>(input.ownRows - slice * m_rows, 0, m_rows); };
    std::ranges::fill(m_sliceValues, 0);
    for (std::int64_t slice = 0; slice + 1 < m_slices; ++slice) {
        keepFor(input, slice);
        setPart(input, slice * m_rows, rowsOf(slice));
        fillFeeds(m_microFeeds, input);
        LS_TRY(m.step.micro->program->run({m_microFeeds.pointers}));
        if (!several()) continue;
        m_batchSums.read(*m.step.micro->program, m.options.dtype, m_batchValues);
        for (std::size_t i = 0; i < m_batchValues.size(); ++i) m_sliceValues[i] += m_batchValues[i];
    }
    setPart(input, (m_slices - 1) * m_rows, rowsOf(m_slices - 1));
    m_times.run += steady_clock::now() - begin;
    return {};
}

void RankLoop::fillFeeds(Feeds& feeds, const data::StepInput& input) {
    const auto place = static_cast<std::size_t>(m_part);
    const std::size_t real = graph::sizeOf(m.options.dtype);
    feeds.set(feeds.places.x, input.x + place * static_cast<std::size_t>(m.dataset.train.rowElements()) * real);
    feeds.set(feeds.places.labels, input.labels + place * sizeof(std::int32_t));
    if (input.targets != nullptr) feeds.set(feeds.places.targets, input.targets + place * static_cast<std::size_t>(m_targetWidth) * real);
    feeds.set(feeds.places.weights, input.weights + place * real);
}

// Nothing but the sums changes, so there is nothing to tell, save at the end of an epoch. A rule that ends the run then waits for the
// update: a checkpoint lies between two of them.
Result<void> RankLoop::runMicroStep(const data::StepInput& input) {
    const auto begin = steady_clock::now();
    keepFor(input, m_slices - 1);
    fillFeeds(m_microFeeds, input);
    LS_TRY(m.step.micro->program->run({m_microFeeds.pointers}));
    m_times.run += steady_clock::now() - begin;
    if (m.options.kerasCompatible) m_average.update(input.rows.step / m_batches);
    LS_TRY(addToEpoch(input, *m.step.micro->program));
    if (endsEpoch(input)) LS_TRY(endEpoch(input.rows));
    return {};
}

Result<RankLoop::Next> RankLoop::runStep(const data::StepInput& input) {
    const auto begin = steady_clock::now();
    fillFeeds(m_feeds, input);
    double controls = controlToSend();
    m_control.set(controls);
    LS_TRY(m.step.program->run({m_feeds.pointers}));
    m_times.run += steady_clock::now() - begin;
    if (m.step.collectives) m_times.communication = m.step.collectives->takeTimes();

    const graph::DType dtype = m.options.dtype;
    if (!m_alone) controls = scalarOf(*m.step.program, kControl, dtype);
    const double loss = scalarOf(*m.step.program, "loss", dtype);
    const double gradientNorm = scalarOf(*m.step.program, "gradient_norm", dtype);
    const std::uint64_t step = input.rows.step / m_batches;
    LS_TRY_ASSIGN(const bool skipped, takeLossScale(step, gradientNorm));
    LS_TRY(checkFinite(step, loss, skipped ? 0 : gradientNorm));

    if (!skipped) m_average.update(updatesBefore(input.rows.step));
    m_progress.step = step;
    LS_TRY(addToEpoch(input, *m.step.program));
    m_times.whole = steady_clock::now() - m_begin;
    if (m.hooks.sample) emitStep(loss, gradientNorm, m_times);
    if (m.hooks.progress) m.hooks.progress(step);
    m_times = {};
    m_ownRows = 0;
    m_ownShare = 0;
    m_inUpdate = false;

    if (endsEpoch(input)) LS_TRY(endEpoch(input.rows));
    const bool last = input.rows.step + m_batches > m.schedule.totalSteps();
    if (checkpointAsked(controls)) m_checkpoints.request();
    m_checkpoints.afterStep(m_progress);
    if (!m_rules.endedBy().empty()) return Next::End;
    return stopAsked(controls) && !last ? Next::Stop : Next::Step;
}

// Outputs are the parts of an update's mean: with accumulation of one batch among several or of its slice, and then of this rank alone.
Result<void> RankLoop::addToEpoch(const data::StepInput& input, const exec::Program& program) {
    m_batchSums.read(program, m.options.dtype, m_batchValues);
    for (std::size_t i = 0; i < m_batchValues.size(); ++i) m_batchValues[i] += m_sliceValues[i];
    if (several() && !m_alone)
        LS_TRY(m.group.allReduce(
            {std::as_writable_bytes(std::span(m_batchValues)), comm::Element::F64, Deadline::in(m.options.collectiveDeadline)}));
    const auto rows = static_cast<double>(input.rows.batch.count) * static_cast<double>(m_batches);
    EpochSums& sums = m_progress.sums;
    sums.loss += rows * m_batchValues[0];
    sums.correct += rows * m_batchValues[1];
    for (std::size_t i = 0; i < sums.metrics.size(); ++i) sums.metrics[i] += rows * m_batchValues[i + 2];
    sums.rows += input.rows.batch.count;
    return {};
}

// Whether the dynamic loss scale kept this step from updating. Error R513: no scale will help.
Result<bool> RankLoop::takeLossScale(std::uint64_t step, double gradientNorm) {
    if (!m.options.optimizer.dynamicLossScale) return false;
    const graph::DType dtype = m.options.dtype;
    m_lossScale = scalarOf(*m.step.program, "loss_scale", dtype);
    m_skipped = static_cast<std::uint64_t>(scalarOf(*m.step.program, "skipped_steps", dtype));
    const bool skipped = scalarOf(*m.step.program, "finite", dtype) == 0;
    // Below 1 the loss is made smaller than it is, and still something overflows.
    if (skipped && m_lossScale < 1 && m.options.stopOnNan) LS_TRY(checkFinite(step, 0, gradientNorm));
    return skipped;
}

Result<void> RankLoop::checkFinite(std::uint64_t step, double loss, double gradientNorm) {
    if (!m.options.stopOnNan || (std::isfinite(loss) && std::isfinite(gradientNorm))) return {};
    if (std::isfinite(loss)) return makeError("R513", {{"value", formatDouble(gradientNorm)}, {"step", std::to_string(step)}});
    return lossError(step, loss);
}

EpochResult RankLoop::resultOf(const EpochSums& sums) const {
    const auto rows = static_cast<double>(sums.rows);
    std::vector<double> all = {sums.loss, sums.correct};
    all.insert(all.end(), sums.metrics.begin(), sums.metrics.end());
    EpochResult result{sums.loss / rows, m_batchSums.value(0, all, rows), std::nullopt, std::nullopt, {}, {}};
    for (std::size_t i = 1; i < m_batchSums.metrics(); ++i) result.metrics.push_back(m_batchSums.value(i, all, rows));
    return result;
}

Result<void> RankLoop::endEpoch(const data::StepRows& rows) {
    EpochSums& sums = m_progress.sums;
    EpochResult epoch = resultOf(sums);
    if (m_evaluation) LS_TRY(evaluate(epoch));
    m_progress.last = epoch;
    if (rows.lastOfEpoch) {
        m_progress.epochs = rows.epoch + 1;
        sums = {0, 0, 0, std::vector<double>(sums.metrics.size())};
    }
    if (m.hooks.sample) emitEpoch(epoch);
    if (rows.lastOfEpoch) m_rules.afterEpoch(rows.epoch, m_rate, m_progress);
    return {};
}

Result<void> RankLoop::evaluate(EpochResult& result) {
    if (m.hooks.phase) m.hooks.phase("evaluation");
    LS_TRY_ASSIGN(const Evaluation::Means means, m_evaluation->run());
    if (m.hooks.phase) m.hooks.phase("training");
    result.valLoss = means.loss;
    result.valAccuracy = means.accuracy;
    result.valMetrics = means.metrics;
    return {};
}

RankResult RankLoop::result(bool stopped) const {
    if (m.hooks.finalStates) {
        auto states = stateTensors(m.step);
        readStates(m.step, states);
        m.hooks.finalStates(states);
    }
    if (m.hooks.profile) m.hooks.profile(profileOf(m.step));
    RankResult result;
    result.stopped = stopped;
    result.endedBy = m_endedBy;
    result.steps = m_progress.step;
    result.epochs = m_progress.epochs;
    if (m_progress.last) {
        result.loss = m_progress.last->loss;
        result.accuracy = m_progress.last->accuracy;
        result.valLoss = m_progress.last->valLoss;
        result.valAccuracy = m_progress.last->valAccuracy;
    } else if (m_progress.sums.rows > 0) {
        const EpochResult part = resultOf(m_progress.sums);
        result.loss = part.loss;
        result.accuracy = part.accuracy;
    }
    if (m_metrics[0].step != Series::Accuracy) {
        result.accuracy = std::nan("");
        result.valAccuracy.reset();
    }
    result.weightsHash = weightsHashOf(m.step);
    return result;
}

}  // namespace lockstep::train
