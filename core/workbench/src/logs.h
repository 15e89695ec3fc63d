// api::Logs over the log files of run folders.
#pragma once

#include <api/logs.h>

#include <filesystem>

namespace lockstep::workbench {

class LogsImpl : public api::Logs {
public:
    explicit LogsImpl(std::filesystem::path project) : m_project(std::move(project)) {}
    Result<std::vector<api::LogFileInfo>> files(const RunId& run) const override;
    Result<api::LogText> read(const RunId& run, const api::LogQuery& query) const override;
    Result<std::unique_ptr<api::Subscription>> follow(const RunId& run, const api::LogQuery& query,
                                                      std::function<void(const std::vector<api::LogLine>&)> added) const override;

private:
    std::filesystem::path m_project;
};

}  // namespace lockstep::workbench
