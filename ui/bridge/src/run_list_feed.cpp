#include <bridge/run_list_feed.h>

#include <base/thread.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace lockstep::bridge {
namespace {

constexpr auto kLookEvery = std::chrono::seconds(1);
constexpr std::size_t kSparklineValues = 64;

std::vector<double> sparklineOf(const api::Runs& runs, const RunId& run) {
    std::vector<double> values;
    const auto buckets = runs.buckets(run, {"loss", api::kWholeRun}, {}, kSparklineValues);
    if (!buckets.ok()) return values;  // the summary tells the problem
    for (const auto& bucket : *buckets) values.push_back(bucket.last);
    return values;
}

bool isNewer(const RunRow& a, const RunRow& b) { return a.summary.run.value > b.summary.run.value; }

}  // namespace

// What the worker has told so far.
struct RunListFeed::Known {
    std::map<RunId, RunRow> rows;
    bool told = false;
    std::optional<Error> problem;
};

RunListFeed::RunListFeed(api::Runs& runs, QObject* parent) : QObject(parent), m_runs(runs) {
    m_thread = startThread("list-runs", [this](std::stop_token stop) { loop(stop); });
}

RunListFeed::~RunListFeed() { m_thread.request_stop(); }

void RunListFeed::refresh() {
    const std::scoped_lock lock(m_mutex);
    m_lookNow = true;
    m_wake.notify_all();
}

void RunListFeed::loop(std::stop_token stop) {
    Known known;
    while (!stop.stop_requested()) {
        look(known);
        std::unique_lock lock(m_mutex);
        m_wake.wait_for(lock, stop, kLookEvery, [this] { return m_lookNow; });
        m_lookNow = false;
    }
}

void RunListFeed::look(Known& known) {
    const auto list = m_runs.list();
    const auto poster = m_door.poster();
    if (!list.ok()) {
        if (known.problem != list.error()) poster.post([this, error = list.error()] { emit failed(error); });
        known.problem = list.error();
        return;
    }
    if (known.problem) poster.post([this] { emit recovered(); });
    known.problem.reset();
    RunListChange change;
    std::set<RunId> there;
    for (const auto& summary : *list) {
        there.insert(summary.run);
        const auto found = known.rows.find(summary.run);
        if (found != known.rows.end() && found->second.summary == summary) continue;
        RunRow row{summary, sparklineOf(m_runs, summary.run)};
        known.rows[summary.run] = row;
        change.changed.push_back(std::move(row));
    }
    for (const auto& [run, row] : known.rows)
        if (!there.contains(run)) change.removed.push_back(run);
    for (const auto& run : change.removed) known.rows.erase(run);
    if (known.told && change.changed.empty() && change.removed.empty()) return;
    known.told = true;
    poster.post([this, change = std::move(change)] { take(change); });
}

void RunListFeed::take(const RunListChange& change) {
    std::erase_if(m_rows, [&](const RunRow& row) {
        const auto isOf = [&](const RunRow& changed) { return changed.summary.run == row.summary.run; };
        return std::ranges::find(change.removed, row.summary.run) != change.removed.end() || std::ranges::any_of(change.changed, isOf);
    });
    m_rows.insert(m_rows.end(), change.changed.begin(), change.changed.end());
    std::ranges::sort(m_rows, isNewer);
    m_loaded = true;
    emit changed(change);
}

}  // namespace lockstep::bridge
