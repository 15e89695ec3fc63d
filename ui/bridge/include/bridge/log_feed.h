// The log lines of one run, live, merged by time; first the newest two million that are there, then what is added.
//
// After open() come reset(), filesChanged(), linesAdded() in portions of ≤ 20 000 lines, loaded(); then what is new, at most every
// 100 ms. A run that can't be read is told by failed() once and tried again every second; then come recovered(), reset() and everything
// anew.
//
// Threads: GUI thread only. Inside: "read-log" and the follower's "follow-log"; close() and the destructor wait for both. The Logs given
// must live longer than the feed.
#pragma once

#include <QObject>  // first: moc 6.4 stumbles over <compare> before any other header

#include <api/logs.h>
#include <bridge/gui_door.h>

#include <QElapsedTimer>
#include <QTimer>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lockstep::bridge {

class LogSession;

class LogFeed : public QObject {
    Q_OBJECT
public:
    explicit LogFeed(api::Logs& logs, QObject* parent = nullptr);
    ~LogFeed() override;

    void open(const RunId& run);
    void close();

    bool isOpen() const { return m_session != nullptr; }
    bool isLoaded() const { return m_loaded; }
    const RunId& run() const { return m_run; }
    const std::vector<api::LogFileInfo>& files() const { return m_files; }
    const std::optional<Error>& problem() const { return m_problem; }

signals:
    void reset();
    // Files that are there, the controller's first; also when one has grown beyond what is read of it.
    void filesChanged(const std::vector<lockstep::api::LogFileInfo>& files);
    void linesAdded(const std::vector<lockstep::api::LogLine>& lines);
    void loaded();
    void failed(const lockstep::Error& error);
    void recovered();

private:
    void knock();
    void drain();
    void takeFiles(const std::vector<api::LogFileInfo>& files);
    void fail(const Error& error);

    api::Logs& m_logs;
    RunId m_run;
    std::vector<api::LogFileInfo> m_files;
    std::optional<Error> m_problem;
    bool m_loaded = false;
    std::uint64_t m_generation = 0;  // of opening; what older sessions posted is dropped
    QTimer m_timer;
    QElapsedTimer m_sinceDelivery;
    GuiDoor m_door{this};
    std::unique_ptr<LogSession> m_session;  // last: its threads use the door
};

}  // namespace lockstep::bridge
