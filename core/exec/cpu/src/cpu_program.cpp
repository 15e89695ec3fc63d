#include "cpu_program.h"

#include "flush_denormals.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <numeric>

namespace lockstep::exec::cpu {

Family::Family(const FamilyStates& states, const CompileOptions& options)
    : m_team(std::max(options.threads, 1), options.processors), m_guardBytes(options.guardBytes) {
    for (const auto& state : states.states)
        m_stateBuffers.push_back(m_states.add(state.bytes, state.isSlot ? Category::Slot : Category::Weight, Lifetime::Forever));
    m_states.plan(m_guardBytes);
}

namespace {

// Measured with seven models, batches 32 and 128 (tests/bench/memory_bench): what a process grows by beyond the planned blocks. Code of
// oneDNN and of this program that a first step touches, the threads' stacks, and per step its description with oneDNN's kernel.
constexpr std::size_t kCodeBytes = std::size_t{13} << 20;
constexpr std::size_t kConvolutionCodeBytes = std::size_t{3} << 20;
constexpr std::size_t kBytesPerStep = 8 << 10;

}  // namespace

void Family::planScratch(std::span<const Plan> plans, bool hasConvolutions) {
    m_libraryBytes = kCodeBytes + (hasConvolutions ? kConvolutionCodeBytes : 0);
    for (const Plan& plan : plans) m_libraryBytes += plan.steps.size() * kBytesPerStep;
    const auto total = [](const CategoryBytes& bytes) { return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0}); };
    for (const Plan& plan : plans) {
        if (total(plan.buffers.bytes()) > total(m_scratchBytes)) m_scratchBytes = plan.buffers.bytes();
        m_bucketBytes += plan.buffers.givenBytes(Category::Gradient);
    }
}

void Family::allocate() {
    m_stateArena.emplace(m_states.bytes(), m_guardBytes > 0 ? Buffers::kGuard : std::byte{0});
    m_states.bind(*m_stateArena);
    m_scratch.emplace(m_scratchBytes, std::byte{0});
}

MemoryReport Family::memory() const {
    const auto of = [](const CategoryBytes& bytes, Category category) { return bytes[static_cast<std::size_t>(category)]; };
    return {of(m_states.bytes(), Category::Weight),
            of(m_states.bytes(), Category::Slot),
            of(m_scratchBytes, Category::Gradient) + m_bucketBytes,
            of(m_scratchBytes, Category::Activation),
            of(m_scratchBytes, Category::Workspace),
            m_libraryBytes};
}

CpuProgram::CpuProgram(Plan plan, std::shared_ptr<Family> family, const CompileOptions& options, CostReport cost)
    : m_plan(std::move(plan)), m_family(std::move(family)), m_collectives(options.collectives), m_timeOps(options.timeOps), m_cost(cost) {
    // Guards must stand as long as the program lives, which shared memory would not let them.
    if (options.guardBytes > 0) m_own.emplace(m_plan.buffers.bytes(), Buffers::kGuard);
    m_plan.buffers.bind(m_own ? *m_own : m_family->scratch());
    if (m_timeOps)
        for (const auto& step : m_plan.steps) m_times.push_back({step.name, 0, 0});
}

Result<void> CpuProgram::run(const StepInputs& inputs) {
    m_family->team().enter();
    const FlushDenormals flush;
    for (std::size_t i = 0; i < m_plan.feeds.size(); ++i) m_plan.buffers.setFeed(m_plan.feeds[i], inputs.feeds[i]);
    int threads = 0;
    for (std::size_t i = 0; i < m_plan.steps.size(); ++i) {
        Step& step = m_plan.steps[i];
        if (step.condition && *reinterpret_cast<const float*>(m_plan.buffers.pointers()[*step.condition]) == 0.0F) continue;
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
    if (status == dnnl_out_of_memory) throw std::bad_alloc();
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

}  // namespace lockstep::exec::cpu
