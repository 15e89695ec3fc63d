#include "commands.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kRoles = "Roles";
constexpr std::string_view kHelpers = "Helpers";

constexpr CommandRow kRows[] = {
    {"worker", kRoles, "Be one task of a cluster, started by hand: TF_CONFIG says which.",
     "Start one per entry of the cluster, with the same specification. Task 0 keeps the run; all print its id and the hash of the weights.",
     "lockstep worker resources/presets/mnist-multi-worker.yaml", makeWorker},
    {"agent", kRoles, "Be the agent of this computer: start ranks, watch them, keep their telemetry.",
     "lockstep run starts one when there is none; it leaves 10 s after its last run.", "lockstep agent --print\nlockstep agent", makeAgent},
    {"completion", kHelpers, "Print a completion script for a shell.",
     "Load it in your shell's start file, or put it where the shell looks for completions.",
     "lockstep completion bash > ~/.local/share/bash-completion/completions/lockstep\nlockstep completion zsh > ~/.zfunc/_lockstep",
     makeCompletion},
};

}  // namespace

std::span<const CommandRow> commandTable() { return kRows; }

}  // namespace lockstep::cli
