#include <exec_null/null_executor.h>

#include "null_program.h"

namespace lockstep::exec::null {

Result<std::unique_ptr<Program>> NullExecutor::compile(const graph::Graph& graph, const CompileOptions& options) {
    LS_TRY(verify(graph));
    const auto reduces = graph.nodesOf(graph::OpKind::AllReduce);
    if (!reduces.empty() && options.collectives == nullptr) {
        return makeError("S407", {{"executor", "null"},
                                  {"op", "all_reduce"},
                                  {"name", graph.node(reduces[0]).name},
                                  {"reason", "nothing was given to sum over ranks with"}});
    }
    return std::unique_ptr<Program>(std::make_unique<NullProgram>(graph, options, m_machine, m_charged));
}

}  // namespace lockstep::exec::null
