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

    Result<std::unique_ptr<Program>> compile(const graph::Graph& graph, const CompileOptions& options) override {
        LS_TRY(graph::verify(graph));
        for (const auto& node : graph.nodes()) {
            std::vector<graph::TensorType> types;
            for (const auto input : node.inputs) types.push_back(graph.type(input));
            Support support = supports(node, types);
            if (support.supported && node.op == graph::OpKind::AllReduce && options.collectives == nullptr)
                support = {false, "the program was compiled without collectives"};
            if (!support.supported)
                return makeError("S407", {{"executor", "ref"},
                                          {"op", std::string(graph::opRow(node.op).name)},
                                          {"name", node.name},
                                          {"reason", support.reason}});
        }
        return std::unique_ptr<Program>(std::make_unique<RefProgram>(graph, options));
    }
};

}  // namespace

std::unique_ptr<Executor> makeRefExecutor() { return std::make_unique<RefExecutor>(); }

}  // namespace lockstep::exec::ref
