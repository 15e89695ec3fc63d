#include "ref_program.h"

#include <exec_ref/ref_executor.h>

#include <algorithm>

namespace lockstep::exec::ref {
namespace {

class RefExecutor final : public Executor {
public:
    std::string_view name() const override { return "ref"; }

    Support supports(const graph::Node& node, std::span<const graph::TensorType>) const override {
        const auto isInteger = [](const graph::TensorType& type) { return type.dtype == graph::DType::I32; };
        if (node.op != graph::OpKind::Input && node.op != graph::OpKind::State && std::ranges::any_of(node.outputs, isInteger))
            return {false, "results of type i32 are not computed"};
        return {true, {}};
    }

    Result<std::vector<std::unique_ptr<Program>>> compileFamily(std::span<const graph::Graph* const> graphs,
                                                                const CompileOptions& options) override {
        LS_TRY(checkFamily(*this, graphs, options));
        if (options.allow) {
            LS_TRY_ASSIGN(const MemoryReport needed, sizeFamily(graphs, options));
            LS_TRY(options.allow(needed));
        }
        const FamilyStates family = statesOf(graphs);
        auto shared = std::make_shared<SharedStates>(SharedStates{Storage(options.guardBytes), {}});
        for (const auto& state : family.states) shared->places.push_back(shared->storage.allocate(state.bytes));
        std::vector<std::unique_ptr<Program>> programs;
        for (std::size_t i = 0; i < graphs.size(); ++i)
            programs.push_back(std::make_unique<RefProgram>(*graphs[i], options, shared, family.places[i]));
        return programs;
    }

    // Every value has memory of its own here.
    Result<MemoryReport> sizeFamily(std::span<const graph::Graph* const> graphs, const CompileOptions& options) override {
        LS_TRY(checkSizing(*this, graphs, options));
        MemoryReport report = plannedMemory(graphs);
        std::size_t values = 0;
        for (const graph::Graph* graph : graphs) {
            for (const graph::Node& node : graph->nodes()) {
                const bool shares = node.op == graph::OpKind::State || graph::opRow(node.op).updatesState;
                for (const auto& type : node.outputs) values += shares ? 0 : type.bytes();
            }
        }
        report.gradients = std::min(report.gradients, values);
        report.activations = values - report.gradients;
        return report;
    }
};

}  // namespace

std::unique_ptr<Executor> makeRefExecutor() { return std::make_unique<RefExecutor>(); }

}  // namespace lockstep::exec::ref
