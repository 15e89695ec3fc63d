#include "rank_loop.h"

#include "rank_parts.h"
#include "states.h"
#include "step_profile.h"

#include <base/units.h>

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
      m_alone(m.group.info().size == 1),
      m_rank(static_cast<std::int16_t>(m.options.rank)),
      m_rates(nn::scheduleOf(m.options.optimizer)),
      m_batches(static_cast<std::uint64_t>(m.options.accumulation)),
      m_slices(m.options.slicesApart ? m.options.slices.count : 1),
      m_rows(rowsOfProgram(m.options)),
      m_learningRate(m.options.dtype),
      m_stepNumber(m.options.dtype),
      m_control(m.options.dtype),
      m_count(m.options.dtype),
      m_firstRow(m.options.dtype),
      m_statisticsWeight(m.options.dtype),
      m_keep(m.options.dtype) {
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
}

Result<RankResult> RankLoop::run(data::Feed& feed) {
    m_checkpoints.prepare();
    if (m.hooks.phase) m.hooks.phase("first step");
    for (;;) {
        const auto asked = steady_clock::now();
        if (m_ownRows == 0) m_begin = asked;
        LS_TRY_ASSIGN(const data::StepInput* input, feed.next(Deadline::in(m.options.collectiveDeadline)));
        m_times.inputWait += steady_clock::now() - asked;
        if (input == nullptr) break;
        LS_TRY_ASSIGN(const Next next, oneBatch(*input));
        if (next == Next::Step) continue;
        m_checkpoints.atEnd(m_progress);
        return result(true);
    }
    m_checkpoints.atEnd(m_progress);
    return result(false);
}

double RankLoop::controlToSend() {
    double control = 0;
    if (m.hooks.stop != nullptr && m.hooks.stop->load(std::memory_order_relaxed)) control += kStop;
    if (m.hooks.checkpointNow != nullptr && m.hooks.checkpointNow->load(std::memory_order_relaxed) &&
        m.hooks.checkpointNow->exchange(false))
        control += kCheckpoint;
    return control;
}

Result<RankLoop::Next> RankLoop::oneBatch(const data::StepInput& input) {
    setPart(input, 0, input.ownRows);
    const std::uint64_t finished = (input.rows.step - 1) / m_batches;
    // Keras' inner optimizer does not count what was skipped.
    const std::uint64_t updates = finished - std::min(finished, m_skipped);
    m_stepNumber.set(static_cast<double>(updates + 1));
    m_rate = nn::learningRateAt(m_rates, updates);
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
    m_statisticsWeight.set(static_cast<double>(rows) / static_cast<double>(input.rows.batch.count));
}

// All slices of the batch but the last, which the step itself takes. One without a row still brings its share of the regularizers.
Result<void> RankLoop::runSlices(const data::StepInput& input) {
    const auto begin = steady_clock::now();
    const auto rowsOf = [&](std::int64_t slice) { return std::clamp<std::int64_t>(input.ownRows - slice * m_rows, 0, m_rows); };
    for (std::int64_t slice = 0; slice + 1 < m_slices; ++slice) {
        m_keep.set(slice == 0 ? 0 : 1);
        setPart(input, slice * m_rows, rowsOf(slice));
        fillFeeds(m_microFeeds, input);
        LS_TRY(m.step.micro->program->run({m_microFeeds.pointers}));
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
    feeds.set(feeds.places.weights, input.weights + place * real);
}

// Nothing but the sums changes, so there is nothing to tell, save at the end of an epoch.
Result<void> RankLoop::runMicroStep(const data::StepInput& input) {
    const auto begin = steady_clock::now();
    m_keep.set(input.rows.step % m_batches == 1 ? 0 : 1);
    fillFeeds(m_microFeeds, input);
    m_ownRows += input.ownRows;
    LS_TRY(m.step.micro->program->run({m_microFeeds.pointers}));
    m_times.run += steady_clock::now() - begin;
    addToEpoch(input, *m.step.micro->program);
    if (endsEpoch(input)) LS_TRY(endEpoch(input.rows));
    return {};
}

Result<RankLoop::Next> RankLoop::runStep(const data::StepInput& input) {
    const auto begin = steady_clock::now();
    fillFeeds(m_feeds, input);
    m_ownRows += input.ownRows;
    double controls = controlToSend();
    m_control.set(controls);
    LS_TRY(m.step.program->run({m_feeds.pointers}));
    m_times.run += steady_clock::now() - begin;
    if (m.step.collectives) m_times.communication = m.step.collectives->takeTimes();

    const graph::DType dtype = m.options.dtype;
    if (!m_alone) controls = scalarOf(*m.step.program, kControl, dtype);
    const double loss = scalarOf(*m.step.program, "loss", dtype), correct = scalarOf(*m.step.program, "correct", dtype);
    const double gradientNorm = scalarOf(*m.step.program, "gradient_norm", dtype);
    const std::uint64_t step = input.rows.step / m_batches;
    LS_TRY_ASSIGN(const bool skipped, takeLossScale(step, gradientNorm));
    LS_TRY(checkFinite(step, loss, skipped ? 0 : gradientNorm));

    m_progress.step = step;
    addToEpoch(input, *m.step.program);
    m_times.whole = steady_clock::now() - m_begin;
    if (m.hooks.sample) emitStep(input, loss, correct, gradientNorm, m_times);
    if (m.hooks.progress) m.hooks.progress(step);
    m_times = {};
    m_ownRows = 0;

    if (endsEpoch(input)) LS_TRY(endEpoch(input.rows));
    const bool last = input.rows.step + m_batches > m.schedule.totalSteps();
    if (checkpointAsked(controls)) m_checkpoints.request();
    m_checkpoints.afterStep(m_progress);
    return stopAsked(controls) && !last ? Next::Stop : Next::Step;
}

// Outputs are the parts of an update's mean: with accumulation of one batch among several.
void RankLoop::addToEpoch(const data::StepInput& input, const exec::Program& program) {
    const bool several = m_batches > 1;
    const auto rows = static_cast<double>(input.rows.batch.count) * static_cast<double>(m_batches);
    m_progress.sums.loss += rows * scalarOf(program, several ? "batch_loss" : "loss", m.options.dtype);
    m_progress.sums.correct += rows * scalarOf(program, several ? "batch_correct" : "correct", m.options.dtype);
    m_progress.sums.rows += input.rows.batch.count;
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

// All ranks see the same sum and come here at the same step, so they can find out together whose part it was.
Error RankLoop::lossError(std::uint64_t step, double loss) {
    const comm::GroupInfo info = m.group.info();
    std::vector<std::int64_t> bad(static_cast<std::size_t>(info.size), 0);
    const double own = m_alone ? loss : scalarOf(*m.step.program, kRankLoss, m.options.dtype);
    bad[static_cast<std::size_t>(info.rank)] = std::isfinite(own) ? 0 : 1;
    // Without an answer the sum's own failure is what counts.
    const auto asked =
        m.group.allReduce({std::as_writable_bytes(std::span(bad)), comm::Element::I64, Deadline::in(m.options.collectiveDeadline)});
    std::string ranks;
    for (std::size_t rank = 0; asked.ok() && rank < bad.size(); ++rank)
        if (bad[rank] != 0) ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
    return makeError(
        "R503",
        {{"value", formatDouble(loss)}, {"step", std::to_string(step)}, {"rank", ranks.empty() ? std::to_string(info.rank) : ranks}});
}

void RankLoop::emit(Series series, double value, double time, std::int16_t rank) {
    m.hooks.sample({time, value, m_progress.step, series, rank, 0});
}

void RankLoop::emitStep(const data::StepInput& input, double loss, double correct, double gradientNorm, const StepTimes& times) {
    const double time = unixSeconds();
    // Values of the whole run are the same on all ranks; one of them tells.
    if (m_rank == 0) {
        emit(Series::Loss, loss, time, telemetry::kNoRank);
        emit(Series::Accuracy, correct, time, telemetry::kNoRank);
        emit(Series::LearningRate, m_rate, time, telemetry::kNoRank);
        emit(Series::GradientNorm, gradientNorm, time, telemetry::kNoRank);
        if (m.options.optimizer.dynamicLossScale) emitLossScale(time);
    }
    if (!m_alone && input.ownRows > 0) emitRankShare(input, time);
    emit(Series::StepSeconds, times.whole.count(), time, m_rank);
    emit(Series::SamplesPerSecond, static_cast<double>(m_ownRows) / times.whole.count(), time, m_rank);
    emit(Series::InputWaitSeconds, times.inputWait.count(), time, m_rank);
    emit(Series::ComputeSeconds, (times.run - times.communication.waiting).count(), time, m_rank);
    emit(Series::CommunicationSeconds, times.communication.communication.count(), time, m_rank);
    emit(Series::CommunicationWaitSeconds, times.communication.waiting.count(), time, m_rank);
}

void RankLoop::emitLossScale(double time) {
    emit(Series::LossScale, m_lossScale, time, telemetry::kNoRank);
    emit(Series::SkippedSteps, static_cast<double>(m_skipped), time, telemetry::kNoRank);
}

// Means over this rank's rows: its outputs are weighted by the rows of the whole batch.
void RankLoop::emitRankShare(const data::StepInput& input, double time) {
    const double scale = static_cast<double>(input.rows.batch.count) / static_cast<double>(input.ownRows);
    emit(Series::Loss, scale * scalarOf(*m.step.program, kRankLoss, m.options.dtype), time, m_rank);
    emit(Series::Accuracy, scale * scalarOf(*m.step.program, kRankCorrect, m.options.dtype), time, m_rank);
}

Result<void> RankLoop::endEpoch(const data::StepRows& rows) {
    const auto count = static_cast<double>(m_progress.sums.rows);
    EpochResult epoch{m_progress.sums.loss / count, m_progress.sums.correct / count, std::nullopt, std::nullopt};
    if (m_evaluation) LS_TRY(evaluate(epoch));
    m_progress.last = epoch;
    if (rows.lastOfEpoch) {
        m_progress.epochs = rows.epoch + 1;
        m_progress.sums = {};
    }
    if (!m.hooks.sample) return {};
    const double time = unixSeconds();
    if (m_rank == 0) {
        emit(Series::EpochLoss, epoch.loss, time, telemetry::kNoRank);
        emit(Series::EpochAccuracy, epoch.accuracy, time, telemetry::kNoRank);
        if (epoch.valLoss) emit(Series::ValLoss, *epoch.valLoss, time, telemetry::kNoRank);
        if (epoch.valAccuracy) emit(Series::ValAccuracy, *epoch.valAccuracy, time, telemetry::kNoRank);
    }
    emit(Series::BytesSent, static_cast<double>(m.group.info().bytesSent), time, m_rank);
    return {};
}

Result<void> RankLoop::evaluate(EpochResult& result) {
    if (m.hooks.phase) m.hooks.phase("evaluation");
    LS_TRY_ASSIGN(const Evaluation::Means means, m_evaluation->run());
    if (m.hooks.phase) m.hooks.phase("training");
    result.valLoss = means.loss;
    result.valAccuracy = means.accuracy;
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
    result.steps = m_progress.step;
    result.epochs = m_progress.epochs;
    if (m_progress.last) {
        result.loss = m_progress.last->loss;
        result.accuracy = m_progress.last->accuracy;
        result.valLoss = m_progress.last->valLoss;
        result.valAccuracy = m_progress.last->valAccuracy;
    } else if (m_progress.sums.rows > 0) {
        result.loss = m_progress.sums.loss / static_cast<double>(m_progress.sums.rows);
        result.accuracy = m_progress.sums.correct / static_cast<double>(m_progress.sums.rows);
    }
    result.weightsHash = weightsHashOf(m.step);
    return result;
}

}  // namespace lockstep::train
