// The threads behind one open run: reads its detail and previews, starts the watch, tries again while that fails.
//
// Threads: made and destroyed in the GUI thread; the destructor waits for the threads.
#pragma once

#include "run_inbox.h"

#include <api/runs.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace lockstep::bridge {

// Called from threads of the session.
struct SessionCalls {
    std::function<void(api::RunDetail)> detail;
    std::function<void(api::SeriesKey, std::vector<api::Bucket>)> preview;
    std::function<void(Error)> failed;  // the watch could not be started; told once per reason
    std::function<void()> arrived;      // something waits in the inbox
};

class RunSession {
public:
    RunSession(api::Runs& runs, RunId run, SessionCalls calls);
    ~RunSession();
    RunSession(const RunSession&) = delete;
    RunSession& operator=(const RunSession&) = delete;

    RunInbox& inbox() { return m_inbox; }
    // Reads the detail once more.
    void wantDetail();

private:
    void loop(std::stop_token stop);
    void readDetail();
    void readPreviews(std::stop_token stop);
    bool startWatch();

    api::Runs& m_runs;
    const RunId m_run;
    const SessionCalls m_calls;
    RunInbox m_inbox;
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    bool m_wantDetail = false;
    // Of the thread until it has ended.
    std::string m_toldCode;
    std::unique_ptr<api::Subscription> m_watch;
    std::jthread m_thread;  // last: ends before what it uses
};

}  // namespace lockstep::bridge
