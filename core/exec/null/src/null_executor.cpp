#include <exec_null/null_executor.h>

#include "null_program.h"

namespace lockstep::exec::null {

Result<std::vector<std::unique_ptr<Program>>> NullExecutor::compileFamily(std::span<const graph::Graph* const> graphs,
                                                                          const CompileOptions& options) {
    LS_TRY(checkFamily(*this, graphs, options));
    if (options.allow) {
        LS_TRY_ASSIGN(const MemoryReport needed, sizeFamily(graphs, options));
        LS_TRY(options.allow(needed));
    }
    const FamilyStates family = statesOf(graphs);
    auto states = std::make_shared<NullProgram::States>();
    for (const auto& state : family.states) states->emplace_back(state.bytes);
    std::vector<std::unique_ptr<Program>> programs;
    for (std::size_t i = 0; i < graphs.size(); ++i)
        programs.push_back(std::make_unique<NullProgram>(*graphs[i], options, m_machine, states, family.places[i], m_charged));
    return programs;
}

}  // namespace lockstep::exec::null
