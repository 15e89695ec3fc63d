#include "commands.h"
#include "project_access.h"
#include "report_text.h"

#include <cstdlib>

namespace lockstep::cli {
namespace {

class TfConfig : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.require_subcommand(1);
        auto* check = parser.add_subcommand("check", "Check one or more TF_CONFIG texts, alone and against each other");
        check->fallthrough();
        check->footer("Examples:\n  lockstep tfconfig check\n  lockstep tfconfig check --host a=a.json --host b=b.json --json");
        check->add_option("--host", m_hosts, "A machine and the file with its TF_CONFIG; once per task")
            ->type_name("NAME=FILE")
            ->expected(1)
            ->take_all();
        check->add_option("--case", m_case, "One file with all tasks and what is known around them (tasks, context)")->type_name("FILE");
    }

    Result<int> run(Context& context) override {
        LS_TRY_ASSIGN(const auto query, makeQuery());
        LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MayBeNew));
        LS_TRY_ASSIGN(const auto report, workbench->checks().tfConfig(query));
        Json findings = Json::array();
        for (const auto& finding : report.findings) {
            Json object{{"code", finding.code},
                        {"severity", api::nameOfVerdict(finding.severity)},
                        {"task", finding.task < 0 ? Json(nullptr) : Json(finding.task)},
                        {"machine", finding.machine.empty() ? Json(nullptr) : Json(finding.machine)},
                        {"line", finding.line > 0 ? Json(finding.line) : Json(nullptr)},
                        {"column", finding.column > 0 ? Json(finding.column) : Json(nullptr)},
                        {"message", finding.message},
                        {"next", finding.next}};
            context.output.event(object);
            findings.push_back(std::move(object));
            context.output.line(findingText(context.output, finding));
        }
        if (context.output.options().format == Format::Object)
            context.output.json({{"verdict", api::nameOfVerdict(report.verdict)}, {"findings", findings}});
        if (report.findings.empty()) context.output.line("ok");
        return report.exitCode;
    }

private:
    Result<api::TfConfigQuery> makeQuery() const {
        api::TfConfigQuery query;
        query.caseFile = m_case;
        for (const auto& pair : m_hosts) {
            const auto equals = pair.find('=');
            if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size())
                return makeError("X002",
                                 {{"what", "--host takes NAME=FILE, not \"" + pair + "\""}, {"help", "lockstep tfconfig check --help"}});
            query.hosts.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
        }
        if (!query.hosts.empty() && !m_case.empty())
            return makeError("X002", {{"what", "--host and --case exclude each other"}, {"help", "lockstep tfconfig check --help"}});
        if (!query.hosts.empty() || !m_case.empty()) return query;
        const char* text = std::getenv("TF_CONFIG");
        if (text == nullptr)
            return makeError("X002", {{"what", "there is nothing to check: TF_CONFIG is not set and neither --host nor --case is given"},
                                      {"help", "lockstep tfconfig check --help"}});
        query.text = text;
        return query;
    }

    std::vector<std::string> m_hosts;
    std::string m_case;
};

}  // namespace

std::unique_ptr<Command> makeTfConfig() { return std::make_unique<TfConfig>(); }

}  // namespace lockstep::cli
