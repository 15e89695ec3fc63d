#include "commands.h"
#include "flow_session.h"
#include "plan.h"
#include "project_access.h"
#include "spec_arguments.h"
#include "start_detached.h"

#include <unistd.h>

namespace lockstep::cli {
namespace {

constexpr std::size_t kSpecLimit = 1u << 20;

// The text that a client handed over as a memory file.
Result<std::string> readAll(int descriptor) {
    const Fd fd(descriptor);
    std::string text(kSpecLimit + 1, '\0');
    std::size_t used = 0;
    for (;;) {
        const auto count = ::read(fd.get(), text.data() + used, text.size() - used);
        if (count < 0) return makeError("F603", {{"file", "specification"}, {"reason", systemText(errno)}});
        used += static_cast<std::size_t>(count);
        if (count == 0 || used > kSpecLimit) break;
    }
    if (used > kSpecLimit) return makeError("F606", {{"file", "The specification"}, {"size", "more than 1 MiB"}, {"limit", "1 MiB"}});
    text.resize(used);
    return text;
}

class Run : public Command {
public:
    void declare(CLI::App& parser) override {
        m_spec.declare(parser);
        auto* detach = parser.add_flag("-d,--detach", m_detach, "Go on in the background; return when the run trains");
        parser.add_flag("-n,--dry-run", m_dryRun, "Only show the plan (same as lockstep plan)")->excludes(detach);
        parser
            .add_flag("--profile", m_profile,
                      "Time every op and say where the step goes; a Chrome trace per rank is kept in the run's folder")
            ->excludes(detach);
        m_detached.declare(parser);
    }

    Result<int> run(Context& context) override {
        LS_TRY_ASSIGN(const auto source, m_spec.source());
        if (m_dryRun) return printPlan(context, source);
        if (m_detach) {
            LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MayBeNew));
            return reportStart(context, *workbench->commands().start(source));
        }
        control::FlowOptions flow;
        LS_TRY_ASSIGN(flow.project, projectFolder(context, ProjectNeed::MayBeNew));
        control::NewRun what{source.file, source.text, source.overrides};
        if (m_detached.specFd >= 0) {
            LS_TRY_ASSIGN(what.text, readAll(m_detached.specFd));
        }
        flow.what = std::move(what);
        return runInThisProcess(context, std::move(flow), m_detached, m_profile);
    }

private:
    SpecArguments m_spec;
    bool m_detach = false;
    bool m_dryRun = false;
    bool m_profile = false;
    DetachedOptions m_detached;
};

}  // namespace

std::unique_ptr<Command> makeRun() { return std::make_unique<Run>(); }

}  // namespace lockstep::cli
