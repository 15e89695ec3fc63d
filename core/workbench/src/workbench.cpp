#include <workbench/sized_workbench.h>

#include "checks.h"
#include "logs.h"
#include "project_file.h"
#include "run_commands.h"
#include "runs.h"

namespace lockstep::workbench {
namespace {

class WorkbenchImpl : public api::Workbench {
public:
    WorkbenchImpl(const WorkbenchOptions& options, plan::Sizer sizer)
        : m_project(options.project),
          m_runs(options.project),
          m_commands(options.project, options.program),
          m_logs(options.project),
          m_checks(options.project, options.libraries, options.bfloat16Speed, std::move(sizer)) {}

    api::ProjectInfo project() const override {
        const auto info = readProject(m_project);
        if (info.ok()) return *info;
        std::error_code status;
        const auto folder = std::filesystem::weakly_canonical(m_project, status);
        return {m_project, folder.filename().string()};
    }
    api::Runs& runs() override { return m_runs; }
    api::RunCommands& commands() override { return m_commands; }
    api::Logs& logs() override { return m_logs; }
    api::Checks& checks() override { return m_checks; }

private:
    const std::filesystem::path m_project;
    RunsImpl m_runs;
    RunCommandsImpl m_commands;
    LogsImpl m_logs;
    ChecksImpl m_checks;
};

}  // namespace

std::unique_ptr<api::Workbench> makeWorkbench(const WorkbenchOptions& options) { return makeSizedWorkbench(options, {}); }

std::unique_ptr<api::Workbench> makeSizedWorkbench(const WorkbenchOptions& options, plan::Sizer sizer) {
    return std::make_unique<WorkbenchImpl>(options, std::move(sizer));
}

}  // namespace lockstep::workbench
