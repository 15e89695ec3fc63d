// api::Checks over spec, plan and cluster.
#pragma once

#include <api/checks.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::workbench {

class ChecksImpl : public api::Checks {
public:
    // Libraries: name and version, for the doctor's report.
    ChecksImpl(std::filesystem::path project, std::vector<std::pair<std::string, std::string>> libraries)
        : m_project(std::move(project)), m_libraries(std::move(libraries)) {}
    Result<api::SpecView> validate(const api::SpecSource& spec) const override;
    Result<api::PlanView> plan(const api::SpecSource& spec) const override;
    Result<api::DoctorReport> doctor() const override;
    Result<api::HostView> thisHost() const override;
    Result<api::TfConfigReport> tfConfig(const api::TfConfigQuery& query) const override;

private:
    std::filesystem::path m_project;
    std::vector<std::pair<std::string, std::string>> m_libraries;
};

}  // namespace lockstep::workbench
