#include "commands.h"

#include <workbench/workbench.h>

namespace lockstep::cli {
namespace {

class Init : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.add_option("DIR", m_folder, "Folder of the new project; made when it is not there")->required()->type_name("");
        parser.add_option("--name", m_name, "Name of the project (default: that of the folder)")->type_name("NAME");
    }

    Result<int> run(Context& context) override {
        std::error_code status;
        const auto folder = std::filesystem::absolute(m_folder, status).lexically_normal();
        LS_TRY_ASSIGN(const auto made, workbench::createProject(folder, m_name.empty() ? folder.filename().string() : m_name));
        const bool created = made.origin == api::ProjectOrigin::Created;
        Json files = Json::array();
        for (const auto& file : made.files) files.push_back(file.string());
        context.output.json(
            {{"schema", 1}, {"folder", folder.string()}, {"name", made.project.name}, {"created", created}, {"files", files}});
        if (!created) {
            context.output.line("Project " + made.project.name + " is already in " + folder.string() + "; nothing was changed.");
            return 0;
        }
        context.output.line("Made project " + made.project.name + " in " + folder.string());
        for (const auto& file : made.files) context.output.line("  " + file.string());
        context.output.note("Next: cd " + m_folder + " && lockstep run experiments/mnist.yaml");
        return 0;
    }

private:
    std::string m_folder;
    std::string m_name;
};

}  // namespace

std::unique_ptr<Command> makeInit() { return std::make_unique<Init>(); }

}  // namespace lockstep::cli
