#include "commands.h"
#include "project_access.h"

#include <base/paths.h>

#include <unistd.h>

#include <cerrno>

namespace lockstep::cli {
namespace {

class Studio : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.add_option("PROJECT", m_project, "Project folder (default: --project, else the nearest one above)");
        parser.add_option("--screenshot", m_screenshots, "Write a picture of every page into this folder and end")->type_name("DIR");
    }

    // Takes this process' place, so that the caller sees the window's own exit code.
    Result<int> run(Context& context) override {
        auto folder = m_project;
        if (folder.empty()) {
            LS_TRY_ASSIGN(folder, projectFolder(context, ProjectNeed::MayBeNew));
        }
        const auto program = programFile().parent_path() / "lockstep-studio";
        std::vector<std::string> words{program.string()};
        if (!m_screenshots.empty()) words.insert(words.end(), {"--screenshot", m_screenshots.string()});
        words.push_back(folder.string());
        std::vector<char*> arguments;
        for (auto& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        execv(program.c_str(), arguments.data());
        return makeError("P801", {{"program", program.string()}, {"what", "the window"}, {"package", "lockstep-studio"}});
    }

private:
    std::filesystem::path m_project;
    std::filesystem::path m_screenshots;
};

}  // namespace

std::unique_ptr<Command> makeStudio() { return std::make_unique<Studio>(); }

}  // namespace lockstep::cli
