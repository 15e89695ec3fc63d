#include "run_session.h"

#include <base/thread.h>

namespace lockstep::bridge {
namespace {

constexpr Seconds kWatchInterval{0.05};
constexpr auto kRetryEvery = std::chrono::seconds(1);
constexpr std::size_t kPreviewBuckets = 2000;

}  // namespace

RunSession::RunSession(api::Runs& runs, RunId run, SessionCalls calls) : m_runs(runs), m_run(std::move(run)), m_calls(std::move(calls)) {
    m_thread = startThread("read-run", [this](std::stop_token stop) { loop(stop); });
}

RunSession::~RunSession() {
    m_inbox.close();  // a watch that waits for room goes on
    m_thread.request_stop();
    m_thread.join();
    m_watch.reset();
}

void RunSession::wantDetail() {
    const std::scoped_lock lock(m_mutex);
    m_wantDetail = true;
    m_wake.notify_all();
}

void RunSession::loop(std::stop_token stop) {
    readDetail();
    readPreviews(stop);
    while (!stop.stop_requested() && !startWatch()) {
        std::unique_lock lock(m_mutex);
        m_wake.wait_for(lock, stop, kRetryEvery, [] { return false; });
    }
    while (!stop.stop_requested()) {
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, stop, [this] { return m_wantDetail; });
            if (!m_wantDetail) return;
            m_wantDetail = false;
        }
        readDetail();
    }
}

// What hinders is told by the watch, which looks at the same file.
void RunSession::readDetail() {
    if (auto detail = m_runs.detail(m_run); detail.ok()) m_calls.detail(std::move(*detail));
}

void RunSession::readPreviews(std::stop_token stop) {
    const auto keys = m_runs.series(m_run);
    if (!keys.ok()) return;
    for (const auto& key : *keys) {
        if (key.rank != api::kWholeRun) continue;
        if (stop.stop_requested()) return;
        if (auto buckets = m_runs.buckets(m_run, key, {}, kPreviewBuckets); buckets.ok()) m_calls.preview(key, std::move(*buckets));
    }
}

bool RunSession::startWatch() {
    api::WatchOptions options;
    options.choice = api::SeriesChoice::All;
    options.interval = kWatchInterval;
    auto watch = m_runs.watch(m_run, options, [this](const api::RunUpdate& update) {
        if (m_inbox.put(update)) m_calls.arrived();
    });
    if (watch.ok()) {
        m_watch = std::move(*watch);
        return true;
    }
    if (m_toldCode != watch.error().code) m_calls.failed(watch.error());
    m_toldCode = watch.error().code;
    return false;
}

}  // namespace lockstep::bridge
