// A compiled CPU program: placed buffers and the list of steps.
#pragma once

#include "steps.h"
#include "team.h"

#include <exec/executor.h>

#include <memory>

namespace lockstep::exec::cpu {

class CpuProgram final : public Program {
public:
    CpuProgram(Plan plan, std::unique_ptr<Team> team, const CompileOptions& options, CostReport cost);

    Result<void> run(const StepInputs& inputs) override;
    std::span<const std::byte> output(std::string_view name) const override;
    void readState(std::size_t index, std::span<std::byte> into) const override;
    void writeState(std::size_t index, std::span<const std::byte> from) override;
    MemoryReport memory() const override;
    CostReport cost() const override { return m_cost; }
    std::vector<OpTime> times() const override { return m_times; }
    bool intact() const override { return m_plan.buffers.intact(); }

private:
    Result<void> runStep(Step& step);

    Plan m_plan;
    std::unique_ptr<Team> m_team;
    Collectives* m_collectives;
    bool m_timeOps;
    CostReport m_cost;
    std::vector<OpTime> m_times;  // by step
};

}  // namespace lockstep::exec::cpu
