#include "commands.h"

#include <workbench/workbench.h>

namespace lockstep::cli {
namespace {

// As a shell takes it.
std::string shellWord(const std::string& folder) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,@%";
    if (folder.find_first_not_of(plain) == std::string::npos) return folder;
    std::string text = "'";
    for (const char letter : folder) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return text + "'";
}

class Init : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.add_option("DIR", m_folder, "Folder of the new project; made when it is not there")->required()->type_name("");
        parser.add_option("--name", m_name, "Name of the project (default: that of the folder)")->type_name("NAME");
    }

    Result<int> run(Context& context) override {
        std::error_code status;
        const auto here = std::filesystem::current_path(status);
        auto folder = std::filesystem::absolute(m_folder, status).lexically_normal();
        if (!folder.has_filename()) folder = folder.parent_path();  // "." and a trailing slash
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
        context.output.note("Next: " + (folder == here ? "" : "cd " + shellWord(m_folder) + " && ") +
                            "lockstep run experiments/mnist.yaml");
        return 0;
    }

private:
    std::string m_folder;
    std::string m_name;
};

}  // namespace

std::unique_ptr<Command> makeInit() { return std::make_unique<Init>(); }

}  // namespace lockstep::cli
