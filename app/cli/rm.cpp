#include "commands.h"
#include "project_access.h"

#include <base/units.h>

namespace lockstep::cli {
namespace {

class Rm : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.add_option("RUN", m_runs, "Run ids, unique parts of them, or last")->required()->type_name("");
        parser.add_flag("-f,--force", m_force, "Do not ask");
        parser.add_flag("-n,--dry-run", m_dryRun, "Only say what would be removed");
    }

    Result<int> run(Context& context) override {
        LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MustBeThere));
        std::vector<api::Removal> removals;
        // All of them are looked at before the first one goes.
        for (const auto& text : m_runs) {
            LS_TRY_ASSIGN(const auto id, workbench->runs().find(text));
            LS_TRY_ASSIGN(auto removal, workbench->commands().inspectRemoval(id));
            removals.push_back(std::move(removal));
        }
        if (!m_dryRun && !m_force) LS_TRY(ask(context, removals));
        Json list = Json::array();
        for (auto& removal : removals) {
            if (!m_dryRun) {
                LS_TRY_ASSIGN(removal, workbench->commands().remove(removal.run));
            }
            list.push_back(
                {{"run", removal.run.value}, {"folder", removal.folder.string()}, {"files", removal.files}, {"bytes", removal.bytes}});
            context.output.line((m_dryRun ? "Would remove run " : "Removed run ") + describe(removal));
        }
        context.output.json({{"schema", 1}, {"dry_run", m_dryRun}, {"removed", list}});
        return 0;
    }

private:
    static std::string describe(const api::Removal& removal) {
        return removal.run.value + " (" + std::to_string(removal.files) + " files, " + formatBytes(removal.bytes) + ")";
    }

    // Nobody to ask: only --force removes.
    static Result<void> ask(const Context& context, const std::vector<api::Removal>& removals) {
        std::string what = removals.size() == 1 ? "run " + describe(removals.front()) : std::to_string(removals.size()) + " runs";
        if (!context.options.noInput && context.output.options().terminal.stdinIsTerminal && !context.output.isJson()) {
            if (context.output.confirm("Remove " + what + " with its curves, logs and checkpoints?", false, false)) return {};
            return makeError("R566", {{"what", what}, {"reason", "The answer was no."}});
        }
        return makeError("R566", {{"what", what}, {"reason", "There is nobody to ask."}});
    }

    std::vector<std::string> m_runs;
    bool m_force = false;
    bool m_dryRun = false;
};

}  // namespace

std::unique_ptr<Command> makeRm() { return std::make_unique<Rm>(); }

}  // namespace lockstep::cli
