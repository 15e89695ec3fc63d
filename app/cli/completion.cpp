// `lockstep completion SHELL`: made from the option tree, so it never lags behind --help.
#include "commands.h"

#include <algorithm>
#include <vector>

namespace lockstep::cli {
namespace {

struct Entry {
    std::string name;
    std::string summary;
    std::vector<std::string> flags;  // "--json"
    std::vector<std::string> words;  // nested subcommands
};

std::vector<std::string> flagsOf(const CLI::App& app) {
    std::vector<std::string> flags;
    for (const auto* option : app.get_options())
        for (const auto& name : option->get_lnames()) flags.push_back("--" + name);
    std::ranges::sort(flags);
    return flags;
}

std::vector<Entry> entriesOf(const CLI::App& root) {
    std::vector<Entry> entries;
    for (const auto* app : root.get_subcommands([](const CLI::App*) { return true; })) {
        Entry entry{app->get_name(), app->get_description(), flagsOf(*app), {}};
        for (const auto* nested : app->get_subcommands([](const CLI::App*) { return true; })) {
            entry.words.push_back(nested->get_name());
            for (const auto& flag : flagsOf(*nested)) entry.flags.push_back(flag);
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string namesOf(const std::vector<Entry>& entries) {
    std::vector<std::string> names;
    for (const auto& entry : entries) names.push_back(entry.name);
    return joined(names);
}

// A description inside single quotes of a shell.
std::string quotable(std::string text) {
    std::erase_if(text, [](char c) { return c == '\'' || c == '[' || c == ']' || c == ':'; });
    return text;
}

std::string bash(const std::vector<Entry>& entries, const std::vector<std::string>& common) {
    std::string text =
        "# bash completion for lockstep\n"
        "_lockstep() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} choices=\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "    choices=\"" +
        namesOf(entries) + " " + joined(common) +
        "\"\n"
        "  else\n"
        "    case $command in\n";
    for (const auto& entry : entries)
        text += "      " + entry.name + ") choices=\"" + joined(entry.words) + " " + joined(entry.flags) + "\" ;;\n";
    text +=
        "    esac\n"
        "    choices=\"$choices " +
        joined(common) +
        "\"\n"
        "  fi\n"
        "  mapfile -t COMPREPLY < <(compgen -W \"$choices\" -- \"$word\")\n"
        "}\n"
        "complete -o default -o bashdefault -F _lockstep lockstep";
    return text;
}

std::string zsh(const std::vector<Entry>& entries, const std::vector<std::string>& common) {
    std::string text =
        "#compdef lockstep\n"
        "_lockstep() {\n"
        "  if (( CURRENT == 2 )); then\n"
        "    local -a commands=(\n";
    for (const auto& entry : entries) text += "      '" + entry.name + ":" + quotable(entry.summary) + "'\n";
    text +=
        "    )\n"
        "    _describe command commands\n"
        "    return\n"
        "  fi\n"
        "  case $words[2] in\n";
    for (const auto& entry : entries)
        text += "    " + entry.name + ") compadd -- " + joined(entry.words) + " " + joined(entry.flags) + " ;;\n";
    text +=
        "  esac\n"
        "  compadd -- " +
        joined(common) +
        "\n"
        "  _files\n"
        "}\n"
        "compdef _lockstep lockstep";
    return text;
}

std::string fish(const std::vector<Entry>& entries, const std::vector<std::string>& common) {
    std::string text = "# fish completion for lockstep";
    for (const auto& entry : entries) {
        text += "\ncomplete -c lockstep -n __fish_use_subcommand -f -a " + entry.name + " -d '" + quotable(entry.summary) + "'";
        const auto inside = "\ncomplete -c lockstep -n '__fish_seen_subcommand_from " + entry.name + "' ";
        if (!entry.words.empty()) text += inside + "-f -a '" + joined(entry.words) + "'";
        for (const auto& flag : entry.flags) text += inside + "-l " + flag.substr(2);
    }
    for (const auto& flag : common) text += "\ncomplete -c lockstep -l " + flag.substr(2);
    return text;
}

class Completion : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.add_option("SHELL", m_shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}))->type_name("");
    }

    Result<int> run(Context& context) override {
        const auto entries = entriesOf(context.root);
        const auto common = flagsOf(context.root);
        const auto script = m_shell == "bash" ? bash(entries, common) : m_shell == "zsh" ? zsh(entries, common) : fish(entries, common);
        context.output.line(script);
        context.output.json({{"schema", 1}, {"shell", m_shell}, {"script", script}});
        return 0;
    }

private:
    std::string m_shell;
};

}  // namespace

std::unique_ptr<Command> makeCompletion() { return std::make_unique<Completion>(); }

}  // namespace lockstep::cli
