#include "commands.h"
#include "flow_session.h"
#include "project_access.h"
#include "start_detached.h"

namespace lockstep::cli {
namespace {

class Resume : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.add_option("RUN", m_run, "Run id, a unique part of it, or last")->required()->type_name("");
        parser.add_flag("-d,--detach", m_detach, "Go on in the background; return when the run trains");
        m_detached.declare(parser);
    }

    Result<int> run(Context& context) override {
        LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MustBeThere));
        LS_TRY_ASSIGN(const auto id, workbench->runs().find(m_run));
        if (m_detach) return reportStart(context, *workbench->commands().resume(id));
        control::FlowOptions flow;
        LS_TRY_ASSIGN(flow.project, projectFolder(context, ProjectNeed::MustBeThere));
        flow.what = control::ResumeRun{id.value};
        return runInThisProcess(context, std::move(flow), m_detached);
    }

private:
    std::string m_run;
    bool m_detach = false;
    DetachedOptions m_detached;
};

}  // namespace

std::unique_ptr<Command> makeResume() { return std::make_unique<Resume>(); }

}  // namespace lockstep::cli
