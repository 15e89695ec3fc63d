#include "commands.h"
#include "project_access.h"

namespace lockstep::cli {
namespace {

Style styleOf(api::CheckStatus status) {
    switch (status) {
        case api::CheckStatus::Pass: return Style::Good;
        case api::CheckStatus::Warn: return Style::Warn;
        case api::CheckStatus::Fail: return Style::Bad;
        case api::CheckStatus::Skipped: return Style::Dim;
    }
    return Style::Plain;
}

class Doctor : public Command {
public:
    void declare(CLI::App&) override {}

    Result<int> run(Context& context) override {
        LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MayBeNew));
        LS_TRY_ASSIGN(const auto report, workbench->checks().doctor());
        Json checks = Json::array();
        for (const auto& line : report.lines) {
            Json object{{"check", line.name},
                        {"status", api::nameOfStatus(line.status)},
                        {"found", line.found},
                        {"why", line.why},
                        {"fix", line.fix}};
            context.output.event(object);
            checks.push_back(std::move(object));
            print(context.output, line);
        }
        if (context.output.options().format == Format::Object)
            context.output.json({{"schema", 1}, {"verdict", api::nameOfStatus(report.worst)}, {"checks", checks}});
        return report.exitCode;
    }

private:
    static void print(Output& output, const api::DoctorLine& line) {
        const std::string word(api::nameOfStatus(line.status));
        output.line(output.onStdout(styleOf(line.status), word) + std::string(9 - word.size(), ' ') + line.name + ": " + line.found);
        if (!line.why.empty()) output.line("         why: " + line.why);
        if (!line.fix.empty()) output.line("         fix: " + line.fix);
    }
};

}  // namespace

std::unique_ptr<Command> makeDoctor() { return std::make_unique<Doctor>(); }

}  // namespace lockstep::cli
