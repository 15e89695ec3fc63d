// A compiled CPU program: placed buffers and the list of steps. What it shares with the other programs of its family is a Family.
#pragma once

#include "steps.h"
#include "team.h"

#include <exec/executor.h>

#include <memory>
#include <optional>

namespace lockstep::exec::cpu {

class Family {
public:
    // Plans the states; nothing is taken yet.
    Family(const FamilyStates& states, const CompileOptions& options);

    Team& team() { return m_team; }
    // Plans scratch for whichever of these runs. Precondition: they are planned. From then on memory() is known.
    void planScratch(std::span<const Plan> plans, bool hasConvolutions);
    // Takes the memory.
    void allocate();
    // By FamilyStates::states. Precondition of what follows: allocate().
    std::byte* state(std::size_t index) const { return m_states.pointers()[m_stateBuffers[index]]; }
    const Arena& scratch() const { return *m_scratch; }
    MemoryReport memory() const;
    bool intact() const { return m_states.intact(); }

private:
    Team m_team;
    std::size_t m_guardBytes;
    Buffers m_states;
    std::vector<BufferId> m_stateBuffers;
    CategoryBytes m_scratchBytes{};
    std::size_t m_libraryBytes = 0;
    std::size_t m_bucketBytes = 0;  // in memory of the collectives
    std::optional<Arena> m_stateArena, m_scratch;
};

class CpuProgram final : public Program {
public:
    CpuProgram(Plan plan, std::shared_ptr<Family> family, const CompileOptions& options, CostReport cost);

    Result<void> run(const StepInputs& inputs) override;
    std::span<const std::byte> output(std::string_view name) const override;
    void readState(std::size_t index, std::span<std::byte> into) const override;
    void writeState(std::size_t index, std::span<const std::byte> from) override;
    MemoryReport memory() const override { return m_family->memory(); }
    CostReport cost() const override { return m_cost; }
    std::vector<OpTime> times() const override { return m_times; }
    bool intact() const override { return m_plan.buffers.intact() && m_family->intact(); }

private:
    Result<void> runStep(Step& step);

    Plan m_plan;
    std::shared_ptr<Family> m_family;
    std::optional<Arena> m_own;  // with guards only
    Collectives* m_collectives;
    bool m_timeOps;
    CostReport m_cost;
    std::vector<OpTime> m_times;  // by step
};

}  // namespace lockstep::exec::cpu
