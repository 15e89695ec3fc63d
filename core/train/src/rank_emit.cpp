// What a rank tells of its steps and epochs.
#include "rank_loop.h"

#include <base/units.h>
#include <nn/metric.h>

#include <cmath>

namespace lockstep::train {

using telemetry::Series;

void RankLoop::emit(Series series, double value, double time, std::int16_t rank) {
    m.hooks.sample({time, value, m_progress.step, series, rank, 0});
}

void RankLoop::emitStep(double loss, double gradientNorm, const StepTimes& times) {
    const double time = unixSeconds();
    // Values of the whole run are the same on all ranks; one of them tells.
    if (m_rank == 0) {
        emit(Series::Loss, loss, time, telemetry::kNoRank);
        m_stepSums.read(*m.step.program, m.options.dtype, m_stepValues);
        for (std::size_t i = 0; i < m_metrics.size(); ++i)
            emit(m_metrics[i].step, m_stepSums.value(i, m_stepValues, 1), time, telemetry::kNoRank);
        emit(Series::LearningRate, m_rate, time, telemetry::kNoRank);
        emit(Series::GradientNorm, gradientNorm, time, telemetry::kNoRank);
        if (m.options.optimizer.dynamicLossScale) emitLossScale(time);
    }
    if (!m_alone && m_ownShare > 0) emitRankShare(time);
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

// Means over this rank's rows: its outputs are parts of the mean over all.
void RankLoop::emitRankShare(double time) {
    emit(Series::Loss, scalarOf(*m.step.program, kRankLoss, m.options.dtype) / m_ownShare, time, m_rank);
    numbersOf(*m.step.program, kRankCorrect, m.options.dtype, m_rankValues);
    emit(m_metrics[0].step, nn::metricValue(m_metrics[0].metric, m_rankValues, m_ownShare), time, m_rank);
}

void RankLoop::emitEpoch(const EpochResult& epoch) {
    const double time = unixSeconds();
    if (m_rank == 0) {
        emit(Series::EpochLoss, epoch.loss, time, telemetry::kNoRank);
        if (epoch.valLoss) emit(Series::ValLoss, *epoch.valLoss, time, telemetry::kNoRank);
        for (std::size_t i = 0; i < m_metrics.size(); ++i) {
            emit(m_metrics[i].epoch, i == 0 ? epoch.accuracy : epoch.metrics[i - 1], time, telemetry::kNoRank);
            if (!epoch.valAccuracy) continue;
            emit(m_metrics[i].validation, i == 0 ? *epoch.valAccuracy : epoch.valMetrics[i - 1], time, telemetry::kNoRank);
        }
    }
    emit(Series::BytesSent, static_cast<double>(m.group.info().bytesSent), time, m_rank);
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

}  // namespace lockstep::train
