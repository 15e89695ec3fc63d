// api::RunCommands: controllers as processes, talked to by control::Client.
#pragma once

#include "start_job.h"

#include <api/run_commands.h>
#include <store/run_state.h>

#include <filesystem>
#include <vector>

namespace lockstep::workbench {

class RunCommandsImpl : public api::RunCommands {
public:
    RunCommandsImpl(std::filesystem::path project, std::filesystem::path program)
        : m_project(std::move(project)), m_program(std::move(program)) {}

    std::unique_ptr<api::StartJob> start(const api::SpecSource& spec) override;
    std::unique_ptr<api::StartJob> resume(const RunId& run) override;
    Result<void> stop(const RunId& run, api::StopMode mode, const std::string& actor) override;
    Result<void> checkpoint(const RunId& run, const std::string& actor) override;
    std::unique_ptr<api::Job> awaitEnd(const RunId& run) override;
    Result<api::Removal> inspectRemoval(const RunId& run) const override;
    Result<api::Removal> remove(const RunId& run) override;

private:
    std::filesystem::path m_project;
    std::filesystem::path m_program;
    std::shared_ptr<Children> m_children = std::make_shared<Children>();
};

}  // namespace lockstep::workbench
