#include "trained_command.h"

#include "project_access.h"

#include <base/thread.h>

#include <algorithm>
#include <cctype>

namespace lockstep::cli {
namespace {

std::string problemOfCheckpoint(const std::string& word) {
    const bool number = !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
    return number || word == "latest" || word == "best" ? "" : "must be latest, best or a step";
}

}  // namespace

void TrainedArguments::declare(CLI::App& parser) {
    parser.add_option("RUN", m_run, "Run id, a unique part of it, or last")->required()->type_name("");
    parser.add_option("--checkpoint", m_checkpoint, "latest (default), best (of the callback model_checkpoint) or a step")
        ->check(problemOfCheckpoint)
        ->type_name("WHICH");
    parser.add_option("--threads", m_threads, "Of the kernels (default: all processors)")->check(CLI::Range(1, 1024))->type_name("N");
    // For tests.
    parser.add_option("--executor", m_executor)->check(CLI::IsMember({"cpu", "ref"}))->group("");
}

Result<TrainedRequest> TrainedArguments::request(Context& context) const {
    LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MustBeThere));
    LS_TRY_ASSIGN(const auto id, workbench->runs().find(m_run));
    LS_TRY_ASSIGN(const auto summary, workbench->runs().summary(id));
    if (summary.problem) return *summary.problem;
    if (!api::isIdle(summary.state)) context.output.note("Run " + id.value + " still trains: its newest checkpoint is of an earlier step.");
    TrainedRequest request;
    request.run = summary.folder;
    request.checkpoint = m_checkpoint;
    request.threads = m_threads > 0 ? m_threads : static_cast<int>(usableProcessors().size());
    request.reference = m_executor == "ref";
    std::error_code status;
    request.dataFolder = std::filesystem::current_path(status);
    return request;
}

std::string headOf(Output& output, const Json& result) {
    for (const Json& warning : result["warnings"]) {
        Error error;
        error.code = warning["code"].get<std::string>();
        error.message = warning["message"].get<std::string>();
        error.cause = warning["cause"].get<std::string>();
        error.next = warning["next"].get<std::string>();
        output.warning(error);
    }
    const Json& checkpoint = result["checkpoint"];
    const int epochs = checkpoint["epochs"].get<int>();
    return "Run " + result["run"].get<std::string>() + ", " + (checkpoint["best"].get<bool>() ? "best " : "") + "checkpoint of step " +
           std::to_string(checkpoint["step"].get<std::uint64_t>()) + " (" + std::to_string(epochs) + (epochs == 1 ? " epoch)" : " epochs)");
}

}  // namespace lockstep::cli
