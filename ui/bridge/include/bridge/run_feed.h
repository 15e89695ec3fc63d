// One run, live: everything a page shows of it, told by signals in the GUI thread.
//
// After open() comes reset(), then, in this order: opened() with the detail and previewReady() for the main series as soon as they are
// read, valuesAdded() with every point of every series, loaded() when all that was there has come; from then on what is new.
// Values arrive at most every 100 ms; only the points that were there at the start come in portions of ≤ 65 536 without a pause.
// A run that can't be read (deleted, damaged, made by a newer Lockstep, disk gone) is told by failed() once; the feed tries again every
// second; when the run is back come recovered(), reset() and everything anew.
//
// Threads: GUI thread only. Inside: "read-run" (detail, previews, opening) and the watch's "watch-run". close() and the destructor
// wait for both, that is for a read of the disk at most. The Runs given must live longer than the feed.
#pragma once

#include <api/runs.h>
#include <bridge/gui_door.h>

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lockstep::bridge {

class RunSession;

class RunFeed : public QObject {
    Q_OBJECT
public:
    explicit RunFeed(api::Runs& runs, QObject* parent = nullptr);
    ~RunFeed() override;

    // Closes the run that was open. Returns at once; also for a run that is not there yet.
    void open(const RunId& run);
    void close();

    bool isOpen() const { return m_session != nullptr; }
    const RunId& run() const { return m_run; }
    // As of the last signal; empty before.
    const api::RunDetail& detail() const { return m_detail; }  // its summary, ranks and events are kept up to date
    const std::optional<Error>& problem() const { return m_problem; }
    bool isLoaded() const { return m_loaded; }

signals:
    // What was told before is void.
    void reset();
    // Read: specification, states, result. Again whenever the run's state has changed.
    void opened(const lockstep::api::RunDetail& detail);
    // A first picture of a whole-run series, ≤ 2 000 buckets; its points follow in valuesAdded().
    void previewReady(const lockstep::api::SeriesKey& key, const std::vector<lockstep::api::Bucket>& buckets);
    void loaded();
    void summaryChanged(const lockstep::api::RunSummary& summary);
    void ranksChanged(const std::vector<lockstep::api::RankStatus>& ranks);
    void eventsAdded(const std::vector<lockstep::api::RunEvent>& events);
    // In order; each entry takes the place of what came before of its series from step `from` on.
    void valuesAdded(const std::vector<lockstep::api::SeriesPoints>& values);
    void failed(const lockstep::Error& error);
    void recovered();

private:
    void knock();  // something waits in the session's inbox
    void drain();
    void deliver(const api::RunUpdate& update);
    void takeFirst();
    void takeSummary(const api::RunSummary& summary);
    void takeDetail(api::RunDetail detail);
    void fail(const Error& error);

    api::Runs& m_runs;
    RunId m_run;
    api::RunDetail m_detail;
    std::optional<Error> m_problem;
    bool m_loaded = false;
    bool m_voided = false;           // reset() was told and nothing since
    std::uint64_t m_generation = 0;  // of opening; what older sessions posted is dropped
    QTimer m_timer;                  // until the next delivery may come
    QElapsedTimer m_sinceDelivery;
    GuiDoor m_door{this};
    std::unique_ptr<RunSession> m_session;  // last: its threads use the door
};

}  // namespace lockstep::bridge
