// api::Runs over run folders and their stores.
#pragma once

#include "summary_cache.h"

#include <api/runs.h>
#include <control/run_folder.h>
#include <store/reader.h>

#include <filesystem>
#include <memory>

namespace lockstep::workbench {

class RunsImpl : public api::Runs {
public:
    explicit RunsImpl(std::filesystem::path project) : m_project(std::move(project)) {}

    Result<RunId> find(const std::string& text) const override;
    Result<std::vector<api::RunSummary>> list() const override;
    Result<api::RunSummary> summary(const RunId& run) const override;
    Result<api::RunDetail> detail(const RunId& run) const override;
    Result<std::vector<api::SeriesKey>> series(const RunId& run) const override;
    Result<std::vector<api::Point>> points(const RunId& run, const api::SeriesKey& key, const api::StepRange& range) const override;
    Result<std::vector<api::Bucket>> buckets(const RunId& run, const api::SeriesKey& key, const api::StepRange& range,
                                             std::size_t most) const override;
    Result<std::unique_ptr<api::Subscription>> watch(const RunId& run, const api::WatchOptions& options,
                                                     std::function<void(const api::RunUpdate&)> changed) const override;

private:
    Result<std::unique_ptr<store::Reader>> open(const RunId& run) const;

    std::filesystem::path m_project;
    std::shared_ptr<SummaryCache> m_summaries = std::make_shared<SummaryCache>();  // shared by copies
};

}  // namespace lockstep::workbench
