#include "background_work.h"

#include <base/thread.h>

namespace lockstep::workbench {

BackgroundWork::BackgroundWork(std::string threadName, Body body) {
    m_progress.started = unixSeconds();
    m_thread = startThread(std::move(threadName), [this, body = std::move(body)](std::stop_token stop) {
        auto outcome = body(*this, stop);
        const bool cancelled = !outcome.ok() && outcome.error().code == "R568";
        finish(std::move(outcome), cancelled);
    });
}

BackgroundWork::~BackgroundWork() { m_thread.request_stop(); }

void BackgroundWork::finish(Result<void> outcome, bool cancelled) {
    const std::scoped_lock lock(m_mutex);
    m_progress.state = outcome.ok() ? api::JobState::Succeeded : cancelled ? api::JobState::Cancelled : api::JobState::Failed;
    m_progress.ended = unixSeconds();
    m_outcome = std::move(outcome);
    m_ended.notify_all();
}

void BackgroundWork::setStage(std::string stage) {
    const std::scoped_lock lock(m_mutex);
    m_progress.stage = std::move(stage);
}

void BackgroundWork::setProgress(std::uint64_t done, std::uint64_t total, std::string unit) {
    const std::scoped_lock lock(m_mutex);
    m_progress.done = done;
    m_progress.total = total;
    m_progress.unit = std::move(unit);
}

api::JobProgress BackgroundWork::progress() const {
    const std::scoped_lock lock(m_mutex);
    return m_progress;
}

void BackgroundWork::cancel() { m_thread.request_stop(); }

bool BackgroundWork::wait(Seconds atMost) {
    std::unique_lock lock(m_mutex);
    return m_ended.wait_for(lock, atMost, [this] { return m_outcome.has_value(); });
}

Result<void> BackgroundWork::outcome() const {
    const std::scoped_lock lock(m_mutex);
    return m_outcome.value_or(makeError("X001", {{"what", "the outcome of a job that has not ended was asked for"}}));
}

}  // namespace lockstep::workbench
