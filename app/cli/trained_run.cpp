#include "trained_run.h"

#include "rank_setup.h"

#include <base/units.h>
#include <cluster/inventory.h>
#include <control/data_facts.h>
#include <control/keras_model.h>
#include <control/run_folder.h>

#include <algorithm>
#include <charconv>

namespace lockstep::cli {
namespace {

TrainedRequest requestOf(const Json& json) {
    return {json.at("run").get<std::string>(),
            json.at("checkpoint").get<std::string>(),
            json.at("data").get<std::vector<std::string>>(),
            json.at("data_folder").get<std::string>(),
            json.at("threads").get<int>(),
            json.at("reference").get<bool>()};
}

// <project>/runs/<id>
control::RunFolder folderOf(const std::filesystem::path& path) {
    return {path.parent_path().parent_path(), RunId{path.filename().string()}};
}

std::string stepsOf(const std::vector<train::CheckpointInfo>& listed) {
    std::string steps;
    for (const auto& info : listed) steps += (steps.empty() ? "" : ", ") + std::to_string(info.step);
    return steps;
}

Error none(const TrainedRun& run) { return makeError("C706", {{"run", run.request.run.filename().string()}}); }

Error notThat(const TrainedRun& run, const std::string& which, std::string reason) {
    return makeError("C707", {{"run", run.request.run.filename().string()}, {"which", which}, {"reason", std::move(reason)}});
}

Result<void> takeNewest(TrainedRun& run, const std::filesystem::path& folder) {
    const train::CheckpointStore store(folder);
    LS_TRY_ASSIGN(auto loaded, store.loadNewest(spec::specHash(run.spec)));
    if (!loaded) return none(run);
    run.checkpoint = loaded->id;
    run.weights = std::move(loaded->checkpoint);
    run.skipped = std::move(loaded->skipped);
    return {};
}

Result<void> takeStep(TrainedRun& run, const std::filesystem::path& folder) {
    const auto listed = train::CheckpointStore(folder).list();
    if (listed.empty()) return none(run);
    const std::string& word = run.request.checkpoint;
    std::uint64_t step = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), step);
    const auto found = std::ranges::find(listed, step, &train::CheckpointInfo::step);
    if (status != std::errc() || end != word.data() + word.size() || found == listed.end())
        return notThat(run, "of step " + word, "It keeps those of these steps: " + stepsOf(listed) + ".");
    LS_TRY_ASSIGN(run.weights, train::readCheckpoint(folder / (found->id + ".lsc")));
    run.checkpoint = found->id;
    const std::string wanted = spec::specHash(run.spec);
    if (run.weights.specHash == wanted) return {};
    return makeError("C702", {{"checkpoint", run.checkpoint}, {"found", run.weights.specHash}, {"wanted", wanted}});
}

Result<void> takeCheckpoint(TrainedRun& run, const control::RunFolder& folder) {
    if (run.request.checkpoint == "latest") return takeNewest(run, folder.checkpoints());
    if (run.request.checkpoint != "best") return takeStep(run, folder.checkpoints());
    const auto best = folder.path() / kBestFolder;
    if (train::CheckpointStore(best).list().empty())
        return notThat(run, "of a best epoch", "Only a run with the callback model_checkpoint keeps one.");
    return takeNewest(run, best);
}

// As the plan says, so that the data itself may be gone.
Result<plan::DataFacts> factsOf(const TrainedRun& run, const control::RunFolder& folder) {
    LS_TRY_ASSIGN(const std::string text, readFile(folder.plan()));
    LS_TRY_ASSIGN(const plan::Plan plan, plan::parsePlan(text));
    if (plan.data) return *plan.data;
    return control::readDataFacts(run.spec);
}

}  // namespace

Json toJson(const TrainedRequest& request) {
    return {{"run", request.run.string()}, {"checkpoint", request.checkpoint},
            {"data", request.data},        {"data_folder", request.dataFolder.string()},
            {"threads", request.threads},  {"reference", request.reference}};
}

Result<TrainedRun> openTrainedRun(const Json& request) {
    TrainedRun run;
    run.request = requestOf(request);
    const control::RunFolder folder = folderOf(run.request.run);
    LS_TRY_ASSIGN(run.spec, spec::loadRunSpec(folder.spec()));
    LS_TRY(control::resolveModel(run.spec));
    LS_TRY(takeCheckpoint(run, folder));
    LS_TRY_ASSIGN(run.facts, factsOf(run, folder));
    run.options.model = spec::modelOptionsOf(run.spec, {run.facts.rowShape, run.facts.classes, run.facts.targetWidth});
    run.options.normalise = control::normalisationOf(run.spec);
    run.options.compile.threads = run.request.threads;
    run.executor = makeExecutor(run.request.reference);
    return run;
}

Result<train::Inference> TrainedRun::inference(std::int64_t rows) const {
    train::InferenceOptions guarded = options;
    guarded.compile.allow = [&](const exec::MemoryReport& report) -> Result<void> {
        const std::uint64_t available = cluster::availableMemory();
        if (report.total() <= available) return {};
        return makeError("M901", {{"what", "a forward pass of " + std::to_string(std::min(rows, options.rowsAtOnce)) + " rows"},
                                  {"size", formatBytes(report.total())},
                                  {"reason", formatBytes(available) + " are available here."}});
    };
    return train::Inference::create(guarded, rows, weights, checkpoint, *executor);
}

Json TrainedRun::toJson() const {
    Json warnings = Json::array();
    for (const Error& error : skipped) warnings.push_back(errorObject(error));
    return {
        {"run", request.run.filename().string()},
        {"checkpoint", {{"id", checkpoint}, {"step", weights.step}, {"epochs", weights.epochs}, {"best", request.checkpoint == "best"}}},
        {"warnings", std::move(warnings)}};
}

}  // namespace lockstep::cli
