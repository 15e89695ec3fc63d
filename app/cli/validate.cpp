#include "commands.h"
#include "project_access.h"
#include "spec_arguments.h"

namespace lockstep::cli {
namespace {

class Validate : public Command {
public:
    void declare(CLI::App& parser) override {
        m_spec.declare(parser);
        parser.add_flag("--print", m_print, "Print the specification with every key written out");
    }

    Result<int> run(Context& context) override {
        LS_TRY_ASSIGN(const auto source, m_spec.source());
        LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MayBeNew));
        LS_TRY_ASSIGN(const auto view, workbench->checks().validate(source));
        Json object{{"schema", 1},
                    {"valid", true},
                    {"name", view.name},
                    {"strategy", view.strategy},
                    {"spec_hash", view.hash},
                    {"warnings", view.warnings}};
        if (m_print) object["spec"] = view.resolved;
        context.output.json(object);
        if (m_print)
            context.output.line(view.resolved.substr(0, view.resolved.find_last_not_of('\n') + 1));
        else
            context.output.line(source.file.string() + " is valid: " + view.name + ", " + view.strategy + ".");
        if (!m_print)
            for (const std::string& warning : view.warnings) context.output.line("warning: " + warning);
        return 0;
    }

private:
    SpecArguments m_spec;
    bool m_print = false;
};

}  // namespace

std::unique_ptr<Command> makeValidate() { return std::make_unique<Validate>(); }

}  // namespace lockstep::cli
