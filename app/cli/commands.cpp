#include "commands.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kHelpers = "Helpers";

constexpr CommandRow kRows[] = {
    {"completion", kHelpers, "Print a completion script for a shell.",
     "Load it in your shell's start file, or put it where the shell looks for completions.",
     "lockstep completion bash > ~/.local/share/bash-completion/completions/lockstep\nlockstep completion zsh > ~/.zfunc/_lockstep",
     makeCompletion},
};

}  // namespace

std::span<const CommandRow> commandTable() { return kRows; }

}  // namespace lockstep::cli
