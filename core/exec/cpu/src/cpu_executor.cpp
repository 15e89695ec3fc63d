#include "cpu_program.h"
#include "lowering.h"

#include <exec/arena.h>
#include <exec_cpu/cpu_executor.h>

#include <algorithm>

namespace lockstep::exec::cpu {
namespace {

std::vector<graph::TensorType> inputTypes(const graph::Graph& graph, const graph::Node& node) {
    std::vector<graph::TensorType> types;
    for (const auto input : node.inputs) types.push_back(graph.type(input));
    return types;
}

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
        return {true, {}};
    }

    Result<std::unique_ptr<Program>> compile(const graph::Graph& graph, const CompileOptions& options) override {
        LS_TRY(graph::verify(graph));
        for (const auto& node : graph.nodes()) {
            const Support support = supports(node, inputTypes(graph, node));
            if (!support.supported) return refusal(node, support.reason);
            if (node.op == graph::OpKind::AllReduce && options.collectives == nullptr)
                return refusal(node, "the program was compiled without collectives");
        }
        auto team = std::make_unique<Team>(std::max(options.threads, 1), options.processors);
        team->enter();
        Lowering lowering(graph, *team, chooseLoops());
        try {
            Plan plan = lowering.run();
            if (options.guardBytes == 0) LS_TRY(placeBuckets(plan, options.collectives));
            return std::unique_ptr<Program>(std::make_unique<CpuProgram>(std::move(plan), std::move(team), options, costOf(graph)));
        } catch (const dnnl::error& error) {
            return refusal(lowering.node(), std::string("oneDNN says: ") + error.what());
        }
    }

private:
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
