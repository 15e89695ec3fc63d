#include "run_watch.h"

#include "run_view.h"

#include <base/thread.h>

namespace lockstep::workbench {

RunWatch::RunWatch(control::RunFolder folder, api::WatchOptions options, std::function<void(const api::RunUpdate&)> changed)
    : m_folder(std::move(folder)), m_options(std::move(options)), m_changed(std::move(changed)) {
    m_thread = startThread("watch-run", [this](std::stop_token stop) { loop(stop); });
}

RunWatch::~RunWatch() { m_thread.request_stop(); }

void RunWatch::loop(std::stop_token stop) {
    while (!stop.stop_requested()) {
        if (const auto update = look()) m_changed(*update);
        std::unique_lock lock(m_mutex);
        m_wake.wait_for(lock, stop, m_options.interval, [] { return false; });
    }
}

std::optional<api::RunUpdate> RunWatch::look() {
    if (!m_reader) {
        auto reader = store::Reader::open(m_folder.database());
        if (!reader.ok()) {
            // Not there yet, or damaged: told once, tried again.
            api::RunUpdate update{summarizeBroken(m_folder, reader.error()), {}, {}, {}};
            if (m_told == update.summary) return std::nullopt;
            m_told = update.summary;
            return update;
        }
        m_reader = std::move(*reader);
    }
    const auto counter = m_reader->changeCounter();
    const bool same = counter.ok() && m_counter == *counter;
    // A controller that dies changes nothing in its store.
    if (same && m_told && (api::isIdle(m_told->state) || hasController(m_folder))) return std::nullopt;
    if (counter.ok()) m_counter = *counter;
    return read();
}

std::optional<api::RunUpdate> RunWatch::read() {
    api::RunUpdate update;
    update.summary = summarize(m_folder, *m_reader);
    if (const auto ranks = m_reader->ranks(); ranks.ok()) update.ranks = toApi(*ranks);
    // Events are only ever added: their ids are 1, 2, 3, …
    if (const auto events = m_reader->events(m_events); events.ok()) {
        m_events += static_cast<std::int64_t>(events->size());
        update.events = toApi(*events);
    }
    readPoints(update);
    if (m_told == update.summary && update.events.empty() && update.points.empty()) return std::nullopt;
    m_told = update.summary;
    return update;
}

void RunWatch::readPoints(api::RunUpdate& update) {
    for (const auto& key : m_options.series) {
        auto& next = m_nextStep[key];
        const auto points = m_reader->points({key.name, key.rank}, next);
        if (!points.ok() || points->empty()) continue;
        next = points->back().step + 1;
        update.points.push_back({key, toApi(*points)});
    }
}

}  // namespace lockstep::workbench
