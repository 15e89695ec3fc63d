#include "commands.h"
#include "job_line.h"
#include "project_access.h"
#include "run_text.h"

#include <base/units.h>

namespace lockstep::cli {
namespace {

class Stop : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.add_option("RUN", m_run, "Run id, a unique part of it, or last")->required()->type_name("");
        parser.add_flag("--kill", m_kill, "End the ranks at once, without a checkpoint");
        parser.add_flag("--no-wait", m_noWait, "Return as soon as the run has been asked");
        parser.add_option("--timeout", m_timeout, "How long to wait for the end, e.g. 30s (default: 1m)")->type_name("TIME");
    }

    Result<int> run(Context& context) override {
        LS_TRY_ASSIGN(const auto timeout, parseDuration(m_timeout));
        LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MustBeThere));
        LS_TRY_ASSIGN(const auto id, workbench->runs().find(m_run));
        LS_TRY_ASSIGN(const auto before, workbench->runs().summary(id));
        if (api::isFinal(before.state)) return report(context.output, before, "has already ended");
        LS_TRY(workbench->commands().stop(id, m_kill ? api::StopMode::Kill : api::StopMode::Ask, "lockstep stop"));
        if (m_noWait) {
            LS_TRY_ASSIGN(const auto now, workbench->runs().summary(id));
            return report(context.output, now, "has been asked to stop");
        }
        const auto end = workbench->commands().awaitEnd(id);
        if (!watchJob(context.output, *end, timeout)) return makeError("R567", {{"run", id.value}, {"time", formatDuration(timeout)}});
        LS_TRY(end->outcome());
        LS_TRY_ASSIGN(const auto after, workbench->runs().summary(id));
        return report(context.output, after, "has ended");
    }

private:
    static Result<int> report(Output& output, const api::RunSummary& run, const std::string& what) {
        auto object = Json{{"schema", 1}};
        object.update(summaryObject(run));
        output.json(object);
        output.line("Run " + run.run.value + " " + what + ": " + stateText(output, run.state) + " at step " + stepText(run) + ".");
        if (run.state == api::RunState::Stopped) output.note("Go on with: lockstep resume " + run.run.value);
        return 0;
    }

    std::string m_run;
    bool m_kill = false;
    bool m_noWait = false;
    std::string m_timeout = "1m";
};

}  // namespace

std::unique_ptr<Command> makeStop() { return std::make_unique<Stop>(); }

}  // namespace lockstep::cli
