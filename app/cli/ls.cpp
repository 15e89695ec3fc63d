#include "commands.h"
#include "project_access.h"
#include "run_text.h"

#include <base/units.h>

namespace lockstep::cli {
namespace {

std::string durationText(const api::RunSummary& run) {
    if (run.started <= 0) return "-";
    const auto end = run.ended > 0 ? run.ended : api::isIdle(run.state) ? 0 : unixSeconds();
    return end > run.started ? formatDuration(Seconds(end - run.started)) : "-";
}

class Ls : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.add_option("--state", m_state, "Only runs in this state, e.g. running, completed or unreadable")->type_name("STATE");
        parser.add_option("-n,--limit", m_limit, "At most this many, the newest")->type_name("N")->check(CLI::PositiveNumber);
    }

    Result<int> run(Context& context) override {
        if (!m_state.empty()) {
            const bool known = m_state == api::kUnreadable || api::findRunState(m_state);
            if (!known) return makeError("X002", {{"what", "there is no state \"" + m_state + "\""}, {"help", "lockstep ls --help"}});
        }
        LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MustBeThere));
        LS_TRY_ASSIGN(auto runs, workbench->runs().list());
        if (!m_state.empty()) std::erase_if(runs, [&](const api::RunSummary& run) { return api::nameOf(run) != m_state; });
        if (m_limit > 0 && runs.size() > m_limit) runs.resize(m_limit);
        if (context.output.isJson())
            printJson(context.output, workbench->project(), runs);
        else
            printText(context.output, workbench->project(), runs);
        return 0;
    }

private:
    static void printJson(Output& output, const api::ProjectInfo& project, const std::vector<api::RunSummary>& runs) {
        Json list = Json::array();
        for (const auto& run : runs) {
            auto object = summaryObject(run);
            if (output.options().format == Format::Lines) {
                Json line{{"schema", 1}};
                line.update(object);
                output.json(line);
            }
            list.push_back(std::move(object));
        }
        if (output.options().format == Format::Object) output.json({{"schema", 1}, {"project", project.folder.string()}, {"runs", list}});
    }

    static void printText(Output& output, const api::ProjectInfo& project, const std::vector<api::RunSummary>& runs) {
        if (runs.empty()) {
            output.note("No runs in " + project.folder.string() + ". Start one: lockstep run SPEC");
            return;
        }
        std::vector<std::vector<std::string>> rows{
            {"RUN", "STATE", "NAME", "STRATEGY", "RANKS", "STEP", "LOSS", "ACCURACY", "STARTED", "TIME"}};
        for (const auto& run : runs)
            rows.push_back({run.run.value, std::string(api::nameOf(run)), run.name, run.strategy, std::to_string(run.ranks), stepText(run),
                            numberText(run.loss), numberText(run.accuracy), timeText(run.started), durationText(run)});
        output.line(formatTable(rows));
        for (const auto& run : runs)
            if (run.problem) output.warning(*run.problem);
    }

    std::string m_state;
    std::size_t m_limit = 0;
};

}  // namespace

std::unique_ptr<Command> makeLs() { return std::make_unique<Ls>(); }

}  // namespace lockstep::cli
