// The runs of a project as they are now: one worker thread ("list-runs") looks once a second, what has changed arrives as one batch.
//
// Threads: GUI thread only. The Runs given must live longer than the feed.
#pragma once

#include <api/runs.h>
#include <bridge/gui_door.h>

#include <QObject>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace lockstep::bridge {

struct RunRow {
    api::RunSummary summary;
    std::vector<double> sparkline;  // loss over the whole run, oldest first, at most 64 values; empty while there is none
    bool operator==(const RunRow&) const = default;
};

struct RunListChange {
    std::vector<RunRow> changed;  // new or different, newest run first
    std::vector<RunId> removed;
};

class RunListFeed : public QObject {
    Q_OBJECT
public:
    explicit RunListFeed(api::Runs& runs, QObject* parent = nullptr);
    ~RunListFeed() override;

    // As of the last signal, newest run first.
    const std::vector<RunRow>& rows() const { return m_rows; }
    bool isLoaded() const { return m_loaded; }  // the list has been read at least once
    // Looks now: somebody has just changed a run.
    void refresh();

signals:
    // The first one comes also when there are no runs. rows() holds the new state already.
    void changed(const lockstep::bridge::RunListChange& change);
    // The list can't be read (told once); it is tried again every second.
    void failed(const lockstep::Error& error);
    void recovered();

private:
    struct Known;
    void loop(std::stop_token stop);
    void look(Known& known);
    void take(const RunListChange& change);

    api::Runs& m_runs;
    std::vector<RunRow> m_rows;
    bool m_loaded = false;
    GuiDoor m_door{this};

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    bool m_lookNow = false;
    std::jthread m_thread;  // last: ends before what it uses
};

}  // namespace lockstep::bridge
