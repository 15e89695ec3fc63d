#include "run_commands.h"

#include "run_view.h"
#include "runs.h"
#include "start_job.h"

#include <base/file.h>
#include <control/client.h>
#include <control/run_folder.h>

#include <thread>

namespace lockstep::workbench {
namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(100);
constexpr const char* kUnnamedSpec = "specification.yaml";

// The path as it is when it can't be made absolute: empty, or this process stands in a folder that is gone. Who opens it says so.
std::string wholePath(const std::filesystem::path& path) {
    std::error_code status;
    const auto whole = std::filesystem::absolute(path, status);
    return (status ? path : whole).string();
}

control::StopMode toControl(api::StopMode mode) {
    switch (mode) {
        case api::StopMode::Ask: return control::StopMode::Ask;
        case api::StopMode::Insist: return control::StopMode::Insist;
        case api::StopMode::Kill: return control::StopMode::Kill;
    }
    return control::StopMode::Ask;
}

Result<void> awaitIdle(const RunsImpl& runs, const RunId& run, BackgroundWork& work, std::stop_token stop) {
    while (!stop.stop_requested()) {
        LS_TRY_ASSIGN(const auto summary, runs.summary(run));
        if (summary.problem && !isIdle(summary.state)) return *summary.problem;
        if (isIdle(summary.state)) return {};
        work.setStage(std::string(api::nameOf(summary.state)));
        work.setProgress(summary.step, summary.steps, "steps");
        std::this_thread::sleep_for(kLookEvery);
    }
    return makeError("R568", {{"what", "waiting for run " + run.value}});
}

// The size of what is in the folder; a file that vanishes meanwhile counts nothing.
void measure(api::Removal& removal) {
    std::error_code status;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(removal.folder, status)) {
        std::error_code one;
        if (!entry.is_regular_file(one)) continue;
        ++removal.files;
        if (const auto size = entry.file_size(one); !one) removal.bytes += size;
    }
}

}  // namespace

std::unique_ptr<api::StartJob> RunCommandsImpl::start(const api::SpecSource& spec) {
    // Absolute: the controller may be asked later where it came from. A text without a file gets a name for messages.
    ControllerStart start{m_program, {"run", wholePath(spec.file.empty() ? kUnnamedSpec : spec.file)}, spec.text};
    start.arguments.insert(start.arguments.end(), {"--project", wholePath(m_project)});
    start.arguments.insert(start.arguments.end(), spec.overrides.begin(), spec.overrides.end());
    m_children->reap();
    return std::make_unique<StartJobImpl>(std::move(start), m_children);
}

std::unique_ptr<api::StartJob> RunCommandsImpl::resume(const RunId& run) {
    m_children->reap();
    ControllerStart start{m_program, {"resume", run.value, "--project", wholePath(m_project)}, std::nullopt};
    return std::make_unique<StartJobImpl>(std::move(start), m_children);
}

Result<void> RunCommandsImpl::stop(const RunId& run, api::StopMode mode, const std::string& actor) {
    LS_TRY_ASSIGN(const auto folder, control::RunFolder::find(m_project, run.value));
    LS_TRY_ASSIGN(const auto client, control::Client::connect(folder.run()));
    return client->stop(toControl(mode), actor);
}

Result<void> RunCommandsImpl::checkpoint(const RunId& run, const std::string& actor) {
    LS_TRY_ASSIGN(const auto folder, control::RunFolder::find(m_project, run.value));
    LS_TRY_ASSIGN(const auto client, control::Client::connect(folder.run()));
    return client->checkpoint(actor);
}

std::unique_ptr<api::Job> RunCommandsImpl::awaitEnd(const RunId& run) {
    return std::make_unique<PlainJob>("await-end", [runs = RunsImpl(m_project), run](BackgroundWork& work, std::stop_token stop) {
        return awaitIdle(runs, run, work, stop);
    });
}

Result<api::Removal> RunCommandsImpl::inspectRemoval(const RunId& run) const {
    LS_TRY_ASSIGN(const auto folder, control::RunFolder::find(m_project, run.value));
    const auto reader = store::Reader::open(folder.database());
    const auto ranks = reader.ok() ? (*reader)->ranks() : Result<std::vector<store::RankRow>>(std::vector<store::RankRow>{});
    if (hasController(folder)) return makeError("R561", {{"run", folder.run().value}, {"why", "A controller works on it"}});
    // Ranks outlive their controller for a while.
    if (ranks.ok() && hasLiveRank(*ranks)) return makeError("R561", {{"run", folder.run().value}, {"why", "Ranks of it still train"}});
    api::Removal removal{folder.run(), folder.path(), 0, 0};
    measure(removal);
    return removal;
}

Result<api::Removal> RunCommandsImpl::remove(const RunId& run) {
    LS_TRY_ASSIGN(auto removal, inspectRemoval(run));
    // Out of sight at once: a removal that is interrupted leaves no half of a run in the list.
    const auto aside = removal.folder.parent_path() / (".removed-" + run.value);
    std::error_code status;
    std::filesystem::rename(removal.folder, aside, status);
    if (!status) std::filesystem::remove_all(aside, status);
    if (status) return makeError("F604", {{"file", removal.folder.string()}, {"reason", status.message()}});
    return removal;
}

}  // namespace lockstep::workbench
