// One subcommand = one file = one Command. commands.cpp lists them all.
#pragma once

#include "output.h"

#include <base/result.h>

#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockstep::cli {

// Options every command takes.
struct GlobalOptions {
    std::optional<std::filesystem::path> project;  // --project
    bool noInput = false;                          // --no-input
};

struct Context {
    Output& output;
    GlobalOptions options;
    const CLI::App& root;  // the whole option tree, for completion
};

class Command {
public:
    virtual ~Command() = default;
    // Adds options and arguments to this command's own parser. Bound variables are members.
    virtual void declare(CLI::App& parser) = 0;
    // Exit code (architecture 8), or an error that is printed and gives its own exit code.
    virtual Result<int> run(Context& context) = 0;
};

struct CommandRow {
    std::string_view name;
    std::string_view group;     // heading in --help
    std::string_view summary;   // one line
    std::string_view details;   // more, may be empty
    std::string_view examples;  // one per line
    std::unique_ptr<Command> (*make)();
};

// Every command there is, in the order of --help.
std::span<const CommandRow> commandTable();

// Parses the arguments and runs one command. The process' exit code. Called once, from main().
int runCommandLine(int argc, const char* const* argv);

}  // namespace lockstep::cli
