#include "checkpoint_duty.h"

#include <base/units.h>

namespace lockstep::train {
namespace {

using std::chrono::steady_clock;

constexpr Seconds kLongestWrite{120};

}  // namespace

CheckpointDuty::CheckpointDuty(const RankOptions& options, const data::Schedule& schedule, const StepProgram& step, const RankHooks& hooks)
    : m_options(options), m_schedule(schedule), m_step(step), m_hooks(hooks), m_last(steady_clock::now()) {}

void CheckpointDuty::prepare() {
    if (m_options.rank != 0 || m_options.checkpoint.folder.empty()) return;
    CheckpointStore store(m_options.checkpoint.folder, m_options.checkpoint.keep);
    const auto made = store.prepare();
    if (!made.ok() && m_hooks.warning) m_hooks.warning(withContext(made.error(), "preparing the folder of checkpoints"));
    m_writer = std::make_unique<CheckpointWriter>(std::move(store));
    // All buffers exist from here on: taking a copy allocates nothing.
    m_writer->snapshot().tensors = stateTensors(m_step);
    m_writer->snapshot().specHash = m_options.checkpoint.specHash;
}

void CheckpointDuty::afterStep(const Progress& progress) {
    if (!m_writer) return;
    if (const auto outcome = m_writer->take()) report(*outcome);
    const auto& every = m_options.checkpoint.every;
    const bool due = every && steady_clock::now() - m_last >= *every;
    if ((due || m_requested) && m_writer->idle()) take(progress);
}

void CheckpointDuty::fill(Checkpoint& c, const Progress& progress) const {
    c.specHash = m_options.checkpoint.specHash;
    c.step = progress.step;
    c.epochs = progress.epochs;
    const std::uint64_t batches = progress.step * static_cast<std::uint64_t>(m_options.accumulation);
    c.nextRow = static_cast<std::int64_t>(batches % m_schedule.stepsPerEpoch()) * m_schedule.batch();
    c.rows = m_schedule.rows();
    c.globalBatch = m_schedule.batch();
    c.seed = m_options.seed;
    c.sums = progress.sums;
    c.last = progress.last;
    c.rules = progress.rules;
    readStates(m_step, c.tensors);
}

void CheckpointDuty::take(const Progress& progress) {
    fill(m_writer->snapshot(), progress);
    m_writer->submit();
    m_last = steady_clock::now();
    m_requested = false;
}

void CheckpointDuty::atEnd(const Progress& progress) {
    if (!m_writer) return;
    if (const auto outcome = m_writer->wait(Deadline::in(kLongestWrite))) report(*outcome);
    if (m_lastStep == progress.step && progress.step > 0) return;
    if (m_writer->idle()) take(progress);
    if (const auto outcome = m_writer->wait(Deadline::in(kLongestWrite)))
        report(*outcome);
    else if (m_hooks.warning)
        m_hooks.warning(makeError("C705", {{"step", std::to_string(progress.step)}, {"seconds", formatDouble(kLongestWrite.count())}}));
}

void CheckpointDuty::report(const CheckpointWriter::Outcome& outcome) {
    if (outcome.error) {
        if (m_hooks.warning) m_hooks.warning(withContext(*outcome.error, "writing the checkpoint of step " + std::to_string(outcome.step)));
        return;
    }
    m_lastStep = outcome.step;
    if (m_hooks.sample)
        m_hooks.sample({unixSeconds(), outcome.time.count(), outcome.step, telemetry::Series::CheckpointSeconds,
                        static_cast<std::int16_t>(m_options.rank), 0});
    if (m_hooks.checkpointed) m_hooks.checkpointed(outcome.step, outcome.id);
}

}  // namespace lockstep::train
