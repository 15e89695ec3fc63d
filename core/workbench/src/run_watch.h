// Follows one run's store and calls back with what is new.
#pragma once

#include <api/runs.h>
#include <control/run_folder.h>
#include <store/reader.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace lockstep::workbench {

class RunWatch : public api::Subscription {
public:
    RunWatch(control::RunFolder folder, api::WatchOptions options, std::function<void(const api::RunUpdate&)> changed);
    ~RunWatch() override;

private:
    void loop(std::stop_token stop);
    // The next change; nothing when there is none.
    std::optional<api::RunUpdate> look();
    std::optional<api::RunUpdate> read();
    void readPoints(api::RunUpdate& update);

    const control::RunFolder m_folder;
    const api::WatchOptions m_options;
    const std::function<void(const api::RunUpdate&)> m_changed;

    // Of the thread only.
    std::unique_ptr<store::Reader> m_reader;
    std::optional<std::uint64_t> m_counter;
    std::optional<api::RunSummary> m_told;
    std::int64_t m_events = 0;  // how many were told
    std::map<api::SeriesKey, std::uint64_t> m_nextStep;

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::jthread m_thread;  // last: ends before what it uses
};

}  // namespace lockstep::workbench
