#include "recorder.h"

#include <base/log.h>
#include <base/units.h>

#include <unistd.h>

namespace lockstep::control {
namespace {

using namespace std::chrono_literals;

constexpr auto kProgress = 100ms;
constexpr auto kRanks = 1s;

}  // namespace

Recorder::Recorder(const FlowOptions& options, const Asked& asked, Planned& planned, Launched& launched, StatusBoard& board, Time begin)
    : m_options(options), m_asked(asked), m_planned(planned), m_launched(launched), m_board(board), m_begin(begin) {
    m_progress.run = asked.folder.run();
    m_progress.steps = asked.spec.training.steps.value_or(0);
    m_progress.epochs = asked.spec.training.epochs;
}

void Recorder::check(const Result<void>& stored) {
    if (!stored.ok() && !m_broken) {
        log(LogLevel::Error, stored.error().message);
        warning(withContext(stored.error(), "storing the run; it goes on"));
    }
    m_broken = !stored.ok();
}

void Recorder::state(const EnterState& state) {
    m_progress.state = state.state;
    m_cause = state.cause;
    check(m_planned.writer->setState(state.state, state.cause, state.actor));
    if (m_options.listener != nullptr) m_options.listener->onState(state.state, state.cause);
}

void Recorder::phase(const PhaseEnded& phase) {
    check(
        m_planned.writer->addEvent({unixSeconds(), "phase", -1, 0, phase.name, "{\"seconds\":" + formatDouble(phase.took.count()) + "}"}));
    if (m_options.listener != nullptr) m_options.listener->onPhase(phase.name, phase.took);
}

void Recorder::event(store::Event event) {
    if (event.time == 0) event.time = unixSeconds();
    check(m_planned.writer->addEvent(event));
    if (m_options.listener != nullptr) m_options.listener->onEvent(event);
}

void Recorder::warning(const Error& warning) {
    if (m_options.listener != nullptr) m_options.listener->onWarning(warning);
}

void Recorder::rank(const store::RankRow& row) { check(m_planned.writer->setRank(row)); }

void Recorder::notice(std::span<const telemetry::Sample> samples) {
    for (const auto& sample : samples) {
        if (sample.series == telemetry::Series::SamplesPerSecond && sample.rank != telemetry::kNoRank) m_rates[sample.rank] = sample.value;
        if (sample.rank != telemetry::kNoRank) continue;
        if (sample.series == telemetry::Series::Loss) m_progress.loss = sample.value;
        if (sample.series == telemetry::Series::Accuracy) m_progress.accuracy = sample.value;
    }
    if (m_rates.empty()) return;
    double sum = 0;
    for (const auto& [rank, rate] : m_rates) sum += rate;
    m_progress.samplesPerSecond = sum;
}

void Recorder::samples(std::span<const telemetry::Sample> samples, std::uint64_t position) {
    notice(samples);
    if (samples.empty()) return;
    check(m_planned.writer->append(telemetry::toBatches(samples), sampleSource(m_launched.epoch), position));
}

void Recorder::eventsStored(std::uint64_t count) {
    if (count <= m_launched.storedEvents) return;
    m_launched.storedEvents = count;
    check(m_planned.writer->append({}, eventSource(m_launched.epoch), count));
}

// The ranks know it once they have seen the data; readers of the store want it too.
void Recorder::keepSteps(std::uint64_t steps) {
    if (steps == 0 || steps == m_keptSteps) return;
    m_keptSteps = m_progress.steps = steps;
    check(m_planned.writer->setMeta("steps", std::to_string(steps)));
}

void Recorder::heartbeat(const Supervisor& supervisor, Time now, bool last) {
    if (!last && now - m_lastProgress < kProgress) return;
    m_lastProgress = now;
    m_progress.step = supervisor.step();
    keepSteps(supervisor.steps());
    if (!m_asked.spec.training.steps && m_progress.steps > 0 && m_progress.step > 0)
        m_progress.epoch = static_cast<int>((m_progress.step - 1) * static_cast<std::uint64_t>(m_progress.epochs) / m_progress.steps) + 1;
    m_progress.seconds = Seconds(now - m_begin).count();
    if (m_options.listener != nullptr) m_options.listener->onProgress(m_progress);
    RunStatus status;
    status.run = m_progress.run;
    status.folder = m_asked.folder.path();
    status.state = m_progress.state;
    status.cause = m_cause;
    status.controllerPid = ::getpid();
    status.step = m_progress.step;
    status.steps = m_progress.steps;
    status.ranks = supervisor.ranks();
    m_board.set(status);
    if (last || now - m_lastRanks >= kRanks) {
        m_lastRanks = now;
        for (const auto& row : status.ranks) rank(row);
    }
    check(m_planned.writer->flush());
}

}  // namespace lockstep::control
