#include "plan.h"

#include "commands.h"
#include "project_access.h"
#include "spec_arguments.h"

#include <base/units.h>

namespace lockstep::cli {
namespace {

class Plan : public Command {
public:
    void declare(CLI::App& parser) override {
        m_spec.declare(parser);
        parser.add_option("--fit-memory", m_memory, "Show what would make each rank fit into this much, e.g. 300MiB")->type_name("SIZE");
    }

    Result<int> run(Context& context) override {
        LS_TRY_ASSIGN(const auto source, m_spec.source());
        if (m_memory.empty()) return printPlan(context, source);
        LS_TRY_ASSIGN(const auto bytes, parseBytes(m_memory));
        LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MayBeNew));
        LS_TRY_ASSIGN(const auto ladder, workbench->checks().fitMemory(source, bytes));
        context.output.jsonText(ladder.json);
        context.output.line(ladder.text.substr(0, ladder.text.find_last_not_of('\n') + 1));
        return 0;
    }

private:
    SpecArguments m_spec;
    std::string m_memory;
};

}  // namespace

Result<int> printPlan(Context& context, const api::SpecSource& source) {
    LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MayBeNew));
    LS_TRY_ASSIGN(const auto plan, workbench->checks().plan(source));
    context.output.jsonText(plan.json);
    context.output.line(plan.text.substr(0, plan.text.find_last_not_of('\n') + 1));
    return 0;
}

std::unique_ptr<Command> makePlan() { return std::make_unique<Plan>(); }

}  // namespace lockstep::cli
