// The threads behind one open log: follows the lines, looks for new files, tries again while the run can't be read.
//
// Threads: made and destroyed in the GUI thread; the destructor waits for the threads. takeLines() from the GUI thread.
#pragma once

#include <api/logs.h>
#include <base/error.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace lockstep::bridge {

// Called from threads of the session.
struct LogCalls {
    std::function<void(std::vector<api::LogFileInfo>)> files;
    std::function<void(Error)> failed;  // told once per reason
    std::function<void()> recovered;    // everything comes anew
    std::function<void()> arrived;      // lines wait, or it is known that there are none
};

class LogSession {
public:
    LogSession(api::Logs& logs, RunId run, LogCalls calls);
    ~LogSession();
    LogSession(const LogSession&) = delete;
    LogSession& operator=(const LogSession&) = delete;

    struct Portion {
        std::vector<api::LogLine> lines;
        bool more = false;     // others wait already
        bool started = false;  // the lines that were there have all been handed over, when nothing more waits
    };
    // At most `most` lines, oldest first.
    Portion takeLines(std::size_t most);

private:
    void loop(std::stop_token stop);
    // The files of the run, told when they have changed; false when it can't be read.
    bool look();
    void follow();
    void take(const std::vector<api::LogLine>& lines);

    api::Logs& m_logs;
    const RunId m_run;
    const LogCalls m_calls;

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<std::vector<api::LogLine>> m_waiting;
    std::size_t m_taken = 0;  // of the first that waits
    bool m_started = false;

    // Of the thread only.
    std::optional<Error> m_problem;
    std::vector<api::LogFileInfo> m_told;
    std::unique_ptr<api::Subscription> m_follow;
    std::jthread m_thread;  // last: ends before what it uses
};

}  // namespace lockstep::bridge
