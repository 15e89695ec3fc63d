// Follows one run's store and calls back with what is new.
#pragma once

#include <api/runs.h>
#include <base/clock.h>
#include <control/run_folder.h>
#include <store/reader.h>

#include <sys/types.h>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace lockstep::workbench {

class RunWatch : public api::Subscription {
public:
    RunWatch(control::RunFolder folder, const api::WatchOptions& options, std::function<void(const api::RunUpdate&)> changed);
    ~RunWatch() override;

private:
    using FileIdentity = std::pair<dev_t, ino_t>;

    void loop(std::stop_token stop);
    // The next change; nothing when there is none.
    std::optional<api::RunUpdate> look();
    std::optional<api::RunUpdate> open();
    bool isBeingMade();
    std::optional<api::RunUpdate> broken(const Error& problem);
    std::optional<api::RunUpdate> read();
    Result<void> readPoints(api::RunUpdate& update);
    // Once a second: whether the file that is read still is the run's.
    std::optional<Error> lost();
    bool controllerMayHaveGone();

    const control::RunFolder m_folder;
    const api::SeriesChoice m_choice;
    const Seconds m_interval;
    std::vector<telemetry::SeriesKey> m_series;
    const std::function<void(const api::RunUpdate&)> m_changed;

    // Of the thread only.
    std::unique_ptr<store::Reader> m_reader;
    std::optional<FileIdentity> m_file;
    std::optional<std::uint64_t> m_counter;
    std::optional<api::RunSummary> m_told;
    api::UpdateKind m_next = api::UpdateKind::First;
    std::int64_t m_events = 0;  // how many were told
    store::ReadMarks m_marks;
    bool m_more = false;                              // points are left that the last update had no room for
    Deadline m_beingMade = Deadline::in(Seconds(5));  // a run's folder is there a moment before its store
    Deadline m_retryAt = Deadline::in(Seconds(0));
    Deadline m_fileLookAt = Deadline::in(Seconds(0));
    Deadline m_controllerLookAt = Deadline::in(Seconds(0));

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::jthread m_thread;  // last: ends before what it uses
};

}  // namespace lockstep::workbench
