// The thread and the bookkeeping behind an api::Job.
#pragma once

#include <api/job.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace lockstep::workbench {

class BackgroundWork {
public:
    // Runs on the work's own thread; looks at the token at least every 200 ms.
    using Body = std::function<Result<void>(BackgroundWork& work, std::stop_token stop)>;

    BackgroundWork(std::string threadName, Body body);
    ~BackgroundWork();
    BackgroundWork(const BackgroundWork&) = delete;
    BackgroundWork& operator=(const BackgroundWork&) = delete;

    // From the body.
    void setStage(std::string stage);
    void setProgress(std::uint64_t done, std::uint64_t total, std::string unit);

    // As api::Job.
    api::JobProgress progress() const;
    void cancel();
    bool wait(Seconds atMost);
    Result<void> outcome() const;

private:
    void finish(Result<void> outcome, bool cancelled);

    mutable std::mutex m_mutex;
    std::condition_variable m_ended;
    api::JobProgress m_progress;
    std::optional<Result<void>> m_outcome;
    std::jthread m_thread;  // last: ends before what it uses
};

// A job that is nothing but its work.
class PlainJob : public api::Job {
public:
    PlainJob(std::string threadName, BackgroundWork::Body body) : m_work(std::move(threadName), std::move(body)) {}
    api::JobProgress progress() const override { return m_work.progress(); }
    void cancel() override { m_work.cancel(); }
    bool wait(Seconds atMost) override { return m_work.wait(atMost); }
    Result<void> outcome() const override { return m_work.outcome(); }

private:
    BackgroundWork m_work;
};

}  // namespace lockstep::workbench
