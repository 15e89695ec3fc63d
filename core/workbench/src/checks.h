// api::Checks over spec, plan and cluster.
#pragma once

#include <api/checks.h>
#include <plan/plan.h>
#include <spec/run_spec.h>
#include <workbench/workbench.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::workbench {

class ChecksImpl : public api::Checks {
public:
    // Libraries: name and version, for the doctor's report. Speed and sizer: may be none.
    ChecksImpl(std::filesystem::path project, std::vector<std::pair<std::string, std::string>> libraries,
               std::function<Result<Bfloat16Speed>()> bfloat16Speed, plan::Sizer sizer)
        : m_project(std::move(project)),
          m_libraries(std::move(libraries)),
          m_bfloat16Speed(std::move(bfloat16Speed)),
          m_sizer(std::move(sizer)) {}
    Result<api::SpecSummary> describe(const api::SpecSource& spec) const override;
    Result<api::SpecView> validate(const api::SpecSource& spec) const override;
    Result<api::PlanView> plan(const api::SpecSource& spec) const override;
    Result<api::MemoryLadderView> fitMemory(const api::SpecSource& spec, std::uint64_t bytes) const override;
    Result<api::DoctorReport> doctor() const override;
    Result<api::HostView> thisHost() const override;
    Result<api::TfConfigReport> tfConfig(const api::TfConfigQuery& query) const override;

private:
    // What a plan says about 16 bits.
    Result<std::vector<std::string>> precisionNotes(const spec::RunSpec& spec, const plan::DataFacts& facts) const;

    std::filesystem::path m_project;
    std::vector<std::pair<std::string, std::string>> m_libraries;
    std::function<Result<Bfloat16Speed>()> m_bfloat16Speed;
    plan::Sizer m_sizer;
};

}  // namespace lockstep::workbench
