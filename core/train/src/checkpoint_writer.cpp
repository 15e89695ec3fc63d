#include <train/checkpoint_writer.h>

#include <base/thread.h>

namespace lockstep::train {

CheckpointWriter::CheckpointWriter(CheckpointStore store) : m_store(std::move(store)) {
    m_thread = startThread("checkpoint", [this](std::stop_token) { work(); });
}

CheckpointWriter::~CheckpointWriter() {
    m_end.store(m_submitted + 1);
    m_work.add();
}

void CheckpointWriter::submit() {
    ++m_submitted;
    m_outcomePending = true;
    m_work.add();
}

std::optional<CheckpointWriter::Outcome> CheckpointWriter::take() { return wait(Deadline::in(Seconds(0))); }

std::optional<CheckpointWriter::Outcome> CheckpointWriter::wait(Deadline deadline) {
    if (!m_outcomePending || !m_done.wait(m_submitted, deadline)) return std::nullopt;
    m_outcomePending = false;
    return m_outcome;
}

void CheckpointWriter::work() {
    // The last addition is the destructor's; what was submitted before it is still written.
    for (std::uint32_t next = 1;; ++next) {
        m_work.wait(next, Deadline::never());
        if (m_end.load() == next) return;
        const auto begin = std::chrono::steady_clock::now();
        auto saved = m_store.save(m_snapshot);
        m_outcome = Outcome{m_snapshot.step, saved.ok() ? *saved : std::string(), std::nullopt, std::chrono::steady_clock::now() - begin};
        if (!saved.ok()) m_outcome.error = saved.error();
        m_done.add();
    }
}

}  // namespace lockstep::train
