#include "plan.h"

#include "commands.h"
#include "project_access.h"
#include "spec_arguments.h"

namespace lockstep::cli {
namespace {

class Plan : public Command {
public:
    void declare(CLI::App& parser) override { m_spec.declare(parser); }

    Result<int> run(Context& context) override {
        LS_TRY_ASSIGN(const auto source, m_spec.source());
        return printPlan(context, source);
    }

private:
    SpecArguments m_spec;
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
