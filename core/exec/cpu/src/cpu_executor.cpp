#include "cpu_program.h"
#include "lowered_ops.h"
#include "lowering.h"

#include <exec/arena.h>
#include <exec_cpu/cpu_executor.h>

#include <algorithm>
#include <new>

namespace lockstep::exec::cpu {
namespace {

class CpuExecutor final : public Executor {
public:
    std::string_view name() const override { return "cpu"; }

    Support supports(const graph::Node& node, std::span<const graph::TensorType> inputs) const override {
        const auto isDouble = [](const graph::TensorType& type) { return type.dtype == graph::DType::F64; };
        if (std::ranges::any_of(node.outputs, isDouble) || std::ranges::any_of(inputs, isDouble))
            return {false, "float64 runs on ref only"};
        const bool isSource = node.op == graph::OpKind::Input || node.op == graph::OpKind::State;
        const auto isInteger = [](const graph::TensorType& type) { return type.dtype == graph::DType::I32; };
        if (!isSource && std::ranges::any_of(node.outputs, isInteger)) return {false, "results of type i32 are not computed"};
        std::string reason = notLowered(node);
        return {reason.empty(), std::move(reason)};
    }

    Result<std::vector<std::unique_ptr<Program>>> compileFamily(std::span<const graph::Graph* const> graphs,
                                                                const CompileOptions& options) override {
        LS_TRY(checkFamily(*this, graphs, options));
        const FamilyStates states = statesOf(graphs);
        const auto family = std::make_shared<Family>(states, options);
        family->team().enter();
        LS_TRY_ASSIGN(auto plans, planPrograms(graphs, *family, options));
        if (options.allow) LS_TRY(options.allow(family->memory()));
        family->allocate();
        for (std::size_t i = 0; i < graphs.size(); ++i)
            for (std::size_t s = 0; s < plans[i].states.size(); ++s)
                plans[i].buffers.placeAt(plans[i].states[s].buffer, family->state(states.places[i][s]));
        std::vector<std::unique_ptr<Program>> programs;
        for (std::size_t i = 0; i < graphs.size(); ++i)
            programs.push_back(std::make_unique<CpuProgram>(std::move(plans[i]), family, options, costOf(*graphs[i])));
        return programs;
    }

    Result<MemoryReport> sizeFamily(std::span<const graph::Graph* const> graphs, const CompileOptions& options) override {
        LS_TRY(checkSizing(*this, graphs, options));
        Family family(statesOf(graphs), options);
        CompileOptions alone = options;
        alone.collectives = nullptr;
        LS_TRY(planPrograms(graphs, family, alone));
        return family.memory();
    }

private:
    // Steps and places of all programs; nothing of the family's memory is taken. Without collectives buckets lie in it, too.
    Result<std::vector<Plan>> planPrograms(std::span<const graph::Graph* const> graphs, Family& family,
                                           const CompileOptions& options) const {
        std::vector<Plan> plans;
        for (const graph::Graph* graph : graphs) {
            LS_TRY_ASSIGN(Plan plan, lower(*graph, family.team()));
            for (const StateSlot& state : plan.states) plan.buffers.lend(state.buffer);
            if (options.guardBytes == 0 && options.collectives != nullptr) LS_TRY(placeBuckets(plan, options.collectives));
            plan.buffers.plan(options.guardBytes);
            plans.push_back(std::move(plan));
        }
        const auto hasConvolutions = [](const graph::Graph* graph) { return !graph->nodesOf(graph::OpKind::Conv2D).empty(); };
        family.planScratch(plans, std::ranges::any_of(graphs, hasConvolutions));
        return plans;
    }

    Result<Plan> lower(const graph::Graph& graph, const Team& team) const {
        Lowering lowering(graph, team, chooseLoops());
        try {
            return lowering.run();
        } catch (const dnnl::error& error) {
            if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
            return refusal(lowering.node(), std::string("oneDNN says: ") + error.what());
        }
    }

    static Result<void> placeBuckets(Plan& plan, Collectives* collectives) {
        for (const Step& step : plan.steps) {
            if (step.kind != StepKind::StartBucket) continue;
            LS_TRY_ASSIGN(const auto memory, collectives->memory(step.bucket, step.bucketBytes));
            if (!memory.empty()) plan.buffers.placeAt(step.bucketBuffer, memory.data());
        }
        return {};
    }

    Error refusal(const graph::Node& node, std::string reason) const {
        return makeError("S407", {{"executor", std::string(name())},
                                  {"op", std::string(graph::opRow(node.op).name)},
                                  {"name", node.name},
                                  {"reason", std::move(reason)}});
    }
};

}  // namespace

std::unique_ptr<Executor> makeCpuExecutor() { return std::make_unique<CpuExecutor>(); }

}  // namespace lockstep::exec::cpu
