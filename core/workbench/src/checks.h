// api::Checks over spec, plan and cluster.
#pragma once

#include <api/checks.h>

#include <filesystem>

namespace lockstep::workbench {

class ChecksImpl : public api::Checks {
public:
    explicit ChecksImpl(std::filesystem::path project) : m_project(std::move(project)) {}
    Result<api::SpecView> validate(const api::SpecSource& spec) const override;
    Result<api::PlanView> plan(const api::SpecSource& spec) const override;
    Result<api::DoctorReport> doctor() const override;
    Result<api::HostView> thisHost() const override;
    Result<api::TfConfigReport> tfConfig(const api::TfConfigQuery& query) const override;

private:
    std::filesystem::path m_project;
};

}  // namespace lockstep::workbench
