#include "commands.h"
#include "project_access.h"
#include "run_text.h"

#include <base/units.h>

namespace lockstep::cli {
namespace {

constexpr std::size_t kShownEvents = 5;

class Status : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.add_option("RUN", m_run, "Run id, a unique part of its beginning or end, or last (default: the active runs and the newest)")
            ->type_name("");
    }

    Result<int> run(Context& context) override {
        LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MustBeThere));
        LS_TRY_ASSIGN(const auto details, collect(context.output, workbench->runs()));
        if (context.output.isJson()) {
            printJson(context.output, details);
            return 0;
        }
        if (details.empty()) context.output.note("No runs in " + workbench->project().folder.string() + ". Start one: lockstep run SPEC");
        for (std::size_t i = 0; i < details.size(); ++i) {
            if (i > 0) context.output.line("");
            printText(context.output, details[i]);
        }
        return 0;
    }

private:
    static api::RunDetail broken(const api::RunSummary& summary) {
        api::RunDetail detail;
        detail.summary = summary;
        return detail;
    }

    Result<std::vector<api::RunDetail>> collect(const Output& output, api::Runs& runs) const {
        std::vector<api::RunDetail> details;
        if (!m_run.empty()) {
            LS_TRY_ASSIGN(const auto id, runs.find(m_run));
            LS_TRY_ASSIGN(auto detail, runs.detail(id));
            details.push_back(std::move(detail));
            return details;
        }
        LS_TRY_ASSIGN(const auto all, runs.list());
        for (const auto& run : all) {
            // Scripts get everything; a person wants what is going on.
            if (!output.isJson() && !details.empty() && api::isIdle(run.state)) continue;
            auto detail = runs.detail(run.run);
            details.push_back(detail.ok() ? std::move(*detail) : broken(run));
        }
        return details;
    }

    static void printJson(Output& output, const std::vector<api::RunDetail>& details) {
        Json list = Json::array();
        for (const auto& detail : details) {
            auto object = detailObject(detail);
            Json line{{"schema", 1}};
            line.update(object);
            output.event(line);
            list.push_back(std::move(object));
        }
        if (output.options().format == Format::Object) output.json({{"schema", 1}, {"runs", list}});
    }

    static void printText(Output& output, const api::RunDetail& detail) {
        const auto& run = detail.summary;
        output.line("Run " + output.onStdout(Style::Bold, run.run.value) + "  " + run.name + "  " + stateText(output, run));
        if (!run.cause.empty()) output.line("  " + run.cause);
        if (run.problem) output.warning(*run.problem);
        output.line("  step " + stepText(run) + "  loss " + numberText(run.loss) + "  accuracy " + numberText(run.accuracy) + "  started " +
                    timeText(run.started) + (run.ended > 0 ? "  took " + formatDuration(Seconds(run.ended - run.started)) : ""));
        output.line("  " + run.folder.string());
        if (!detail.ranks.empty()) {
            std::vector<std::vector<std::string>> rows{{"  RANK", "HOST", "DEVICE", "PID", "STATE", "STEP"}};
            for (const auto& rank : detail.ranks)
                rows.push_back({"  " + std::to_string(rank.rank), rank.host, rank.device, std::to_string(rank.pid), rank.state,
                                std::to_string(rank.step)});
            output.line(formatTable(rows));
        }
        const auto first = detail.events.size() > kShownEvents ? detail.events.size() - kShownEvents : 0;
        for (std::size_t i = first; i < detail.events.size(); ++i)
            output.line("  " + timeText(detail.events[i].time) + "  " + detail.events[i].text);
    }

    std::string m_run;
};

}  // namespace

std::unique_ptr<Command> makeStatus() { return std::make_unique<Status>(); }

}  // namespace lockstep::cli
