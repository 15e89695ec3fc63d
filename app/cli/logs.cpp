#include "commands.h"
#include "project_access.h"
#include "signals.h"

#include <array>
#include <thread>

namespace lockstep::cli {
namespace {

constexpr std::array kRankStyles = {Style::Good, Style::Warn, Style::Bold, Style::Plain};

Json lineObject(const api::LogLine& line) {
    return {{"time", line.time > 0 ? Json(line.time) : Json(nullptr)},
            {"source", line.rank < 0 ? Json("controller") : Json("rank")},
            {"rank", line.rank < 0 ? Json(nullptr) : Json(line.rank)},
            {"text", line.text}};
}

class Logs : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.add_option("RUN", m_run, "Run id, a unique part of it, or last")->required()->type_name("");
        auto* rank = parser.add_option("--rank", m_rank, "Only this rank")->type_name("N")->check(CLI::NonNegativeNumber);
        parser.add_flag("--controller", m_controller, "Only the controller")->excludes(rank);
        parser.add_option("-n,--last", m_last, "At most this many lines, the newest (default: all)")
            ->type_name("N")
            ->check(CLI::PositiveNumber);
        parser.add_flag("-f,--follow", m_follow, "Go on as lines come, until the run has ended");
    }

    Result<int> run(Context& context) override {
        LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MustBeThere));
        LS_TRY_ASSIGN(const auto id, workbench->runs().find(m_run));
        api::LogQuery query;
        query.last = m_last;
        if (m_rank >= 0) query.rank = m_rank;
        if (m_controller) query.rank = api::kController;
        if (m_follow) return follow(context, *workbench, id, query);
        LS_TRY_ASSIGN(const auto text, workbench->logs().read(id, query));
        print(context.output, id, text.lines, query);
        noteCut(context.output, text);
        if (context.output.options().format == Format::Object) printObject(context.output, id, text);
        if (text.lines.empty()) context.output.note("No log lines yet.");
        return 0;
    }

private:
    static void noteCut(Output& output, const api::LogText& text) {
        for (const auto& file : text.cut) output.note("Older lines are in " + file.string());
    }

    static void printObject(Output& output, const RunId& run, const api::LogText& text) {
        Json lines = Json::array();
        for (const auto& line : text.lines) lines.push_back(lineObject(line));
        output.json({{"schema", 1}, {"run", run.value}, {"lines", lines}});
    }

    static void print(Output& output, const RunId& run, const std::vector<api::LogLine>& lines, const api::LogQuery& query) {
        for (const auto& line : lines) {
            Json object{{"schema", 1}, {"run", run.value}};
            object.update(lineObject(line));
            output.event(object);
            if (output.isJson()) continue;
            const std::string source = line.rank < 0 ? "controller" : "rank " + std::to_string(line.rank);
            const auto style = line.rank < 0 ? Style::Dim : kRankStyles[static_cast<std::size_t>(line.rank) % kRankStyles.size()];
            output.line(query.rank ? line.text : output.onStdout(style, source + " |") + " " + line.text);
        }
    }

    static Result<int> follow(Context& context, api::Workbench& workbench, const RunId& run, const api::LogQuery& query) {
        if (context.output.options().format == Format::Object)
            return makeError("X002", {{"what", "--follow gives no single object; use --json=lines"}, {"help", "lockstep logs --help"}});
        SignalWatch signals({SIGINT, SIGTERM});
        // One registration gives the old lines and the new ones: nothing is missed or told twice between the two.
        LS_TRY_ASSIGN(const auto subscription, workbench.logs().follow(run, query, [&](const std::vector<api::LogLine>& lines) {
            print(context.output, run, lines, query);
        }));
        const auto end = workbench.commands().awaitEnd(run);
        while (!end->wait(Seconds(0.2)))
            if (const auto signal = signals.taken()) return 128 + *signal;
        std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the last lines are on their way
        return 0;
    }

    std::string m_run;
    int m_rank = -1;
    bool m_controller = false;
    std::size_t m_last = 0;
    bool m_follow = false;
};

}  // namespace

std::unique_ptr<Command> makeLogs() { return std::make_unique<Logs>(); }

}  // namespace lockstep::cli
