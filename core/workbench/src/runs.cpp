#include "runs.h"

#include "run_view.h"
#include "run_watch.h"

#include <base/file.h>
#include <control/run_flow.h>

#include <ranges>

namespace lockstep::workbench {

Result<RunId> RunsImpl::find(const std::string& text) const {
    // They are in the order of their start.
    if (text == "last")
        if (const auto folders = control::RunFolder::all(m_project); !folders.empty()) return folders.back().run();
    LS_TRY_ASSIGN(const auto folder, control::RunFolder::find(m_project, text));
    return folder.run();
}

Result<std::unique_ptr<store::Reader>> RunsImpl::open(const RunId& run) const {
    LS_TRY_ASSIGN(const auto folder, control::RunFolder::find(m_project, run.value));
    return store::Reader::open(folder.database());
}

Result<std::vector<api::RunSummary>> RunsImpl::list() const {
    std::error_code status;
    // A project without runs/ has no runs yet; without its folder nobody can tell.
    if (!m_project.empty() && !std::filesystem::exists(m_project, status)) return makeError("F635", {{"folder", m_project.string()}});
    std::vector<api::RunSummary> summaries;
    const auto folders = control::RunFolder::all(m_project);
    for (const auto& folder : folders | std::views::reverse) summaries.push_back(m_summaries->summary(folder));
    m_summaries->keepOnly(folders);
    return summaries;
}

Result<api::RunSummary> RunsImpl::summary(const RunId& run) const {
    LS_TRY_ASSIGN(const auto folder, control::RunFolder::find(m_project, run.value));
    return m_summaries->summary(folder);
}

Result<api::RunDetail> RunsImpl::detail(const RunId& run) const {
    LS_TRY_ASSIGN(const auto folder, control::RunFolder::find(m_project, run.value));
    LS_TRY_ASSIGN(const auto reader, store::Reader::open(folder.database()));
    api::RunDetail detail;
    detail.summary = summarize(folder, *reader);
    LS_TRY_ASSIGN(const auto ranks, reader->ranks());
    LS_TRY_ASSIGN(const auto states, reader->states());
    LS_TRY_ASSIGN(const auto events, reader->events());
    detail.ranks = toApi(ranks);
    detail.states = toApi(states);
    detail.events = toApi(events);
    if (auto result = control::storedResult(folder.path()); result.ok()) detail.result = std::move(*result);
    if (auto spec = readFile(folder.spec()); spec.ok()) detail.spec = std::move(*spec);
    return detail;
}

Result<std::vector<api::SeriesKey>> RunsImpl::series(const RunId& run) const {
    LS_TRY_ASSIGN(const auto reader, open(run));
    LS_TRY_ASSIGN(const auto keys, reader->series());
    std::vector<api::SeriesKey> values;
    for (const auto& key : keys) values.push_back({key.name, key.rank});
    return values;
}

Result<std::vector<api::Point>> RunsImpl::points(const RunId& run, const api::SeriesKey& key, const api::StepRange& range) const {
    LS_TRY_ASSIGN(const auto reader, open(run));
    LS_TRY_ASSIGN(const auto points, reader->points({key.name, key.rank}, range.from, range.to));
    return toApi(points);
}

Result<std::vector<api::Bucket>> RunsImpl::buckets(const RunId& run, const api::SeriesKey& key, const api::StepRange& range,
                                                   std::size_t most) const {
    LS_TRY_ASSIGN(const auto reader, open(run));
    LS_TRY_ASSIGN(const auto buckets, reader->buckets({key.name, key.rank}, range.from, range.to, most));
    std::vector<api::Bucket> values;
    for (const auto& bucket : buckets)
        values.push_back(
            {bucket.firstStep, bucket.lastStep, bucket.firstTime, bucket.lastTime, bucket.min, bucket.max, bucket.last, bucket.count});
    return values;
}

Result<std::unique_ptr<api::Subscription>> RunsImpl::watch(const RunId& run, const api::WatchOptions& options,
                                                           std::function<void(const api::RunUpdate&)> changed) const {
    LS_TRY_ASSIGN(auto folder, control::RunFolder::find(m_project, run.value));
    return std::unique_ptr<api::Subscription>(std::make_unique<RunWatch>(std::move(folder), options, std::move(changed)));
}

}  // namespace lockstep::workbench
