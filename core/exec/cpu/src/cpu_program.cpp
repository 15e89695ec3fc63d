#include "cpu_program.h"

#include "flush_denormals.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace lockstep::exec::cpu {

CpuProgram::CpuProgram(Plan plan, std::unique_ptr<Team> team, const CompileOptions& options, CostReport cost)
    : m_plan(std::move(plan)), m_team(std::move(team)), m_collectives(options.collectives), m_timeOps(options.timeOps), m_cost(cost) {
    m_plan.buffers.allocate(options.guardBytes);
    if (m_timeOps)
        for (const auto& step : m_plan.steps) m_times.push_back({step.name, 0, 0});
}

Result<void> CpuProgram::run(const StepInputs& inputs) {
    m_team->enter();
    const FlushDenormals flush;
    for (std::size_t i = 0; i < m_plan.feeds.size(); ++i) m_plan.buffers.setFeed(m_plan.feeds[i], inputs.feeds[i]);
    int threads = 0;
    for (std::size_t i = 0; i < m_plan.steps.size(); ++i) {
        Step& step = m_plan.steps[i];
        if (step.threads != threads) {
            threads = step.threads;
            omp_set_num_threads(threads);
        }
        if (!m_timeOps) {
            LS_TRY(runStep(step));
            continue;
        }
        const auto before = std::chrono::steady_clock::now();
        LS_TRY(runStep(step));
        m_times[i].seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
        ++m_times[i].calls;
    }
    return {};
}

Result<void> CpuProgram::runStep(Step& step) {
    const Pointers pointers = m_plan.buffers.pointers();
    switch (step.kind) {
        case StepKind::StartBucket:
            return m_collectives->start(step.bucket, {pointers[step.bucketBuffer], step.bucketBytes}, graph::DType::F32);
        case StepKind::WaitBucket: return m_collectives->wait(step.bucket);
        case StepKind::Compute: break;
    }
    const dnnl_status_t status = step.run(pointers);
    if (status == dnnl_success) return {};
    return makeError("X001", {{"what", "oneDNN answered " + std::to_string(status) + " to " + step.name}});
}

std::span<const std::byte> CpuProgram::output(std::string_view name) const {
    const auto found = std::ranges::find(m_plan.outputs, name, &OutputSlot::name);
    if (found == m_plan.outputs.end()) return {};
    return {m_plan.buffers.pointers()[found->buffer], found->bytes};
}

void CpuProgram::readState(std::size_t index, std::span<std::byte> into) const {
    std::memcpy(into.data(), m_plan.buffers.pointers()[m_plan.states[index].buffer], into.size());
}

void CpuProgram::writeState(std::size_t index, std::span<const std::byte> from) {
    std::memcpy(m_plan.buffers.pointers()[m_plan.states[index].buffer], from.data(), from.size());
}

MemoryReport CpuProgram::memory() const {
    const Buffers& buffers = m_plan.buffers;
    return {buffers.bytes(Category::Weight), buffers.bytes(Category::Slot), buffers.bytes(Category::Gradient),
            buffers.bytes(Category::Activation), buffers.bytes(Category::Workspace)};
}

}  // namespace lockstep::exec::cpu
