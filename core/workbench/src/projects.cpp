#include <workbench/workbench.h>

#include "project_file.h"

#include <base/file.h>

#include <nlohmann/json.hpp>

namespace lockstep::workbench {
namespace {

constexpr std::uint64_t kProjectFileLimit = 1u << 20;
constexpr int kProjectSchema = 1;

constexpr const char* kFirstExperiment =
    "# A first run: a small network learns handwritten digits on two devices of this computer.\n"
    "#   lockstep plan experiments/mnist.yaml     where everything would run\n"
    "#   lockstep run experiments/mnist.yaml      train\n"
    "# Any key can be changed on the command line: lockstep run experiments/mnist.yaml training.epochs=1\n"
    "schema: 1\n"
    "name: mnist\n"
    "strategy: MirroredStrategy\n"
    "cluster:\n"
    "  hosts:\n"
    "    - {name: here, address: localhost, devices: [\"cpu:0\", \"cpu:1\"]}\n"
    "  oversubscribe: true      # also on a computer with one core\n"
    "model: {preset: mlp}\n"
    "data: {dataset: mnist}\n"
    "training:\n"
    "  global_batch_size: 32    # rows of one step over all devices, as in Keras\n"
    "  epochs: 3\n"
    "  optimizer: {name: adam, learning_rate: 0.001}\n";

Result<void> writeIfAbsent(api::CreatedProject& made, const std::filesystem::path& relative, std::string_view content) {
    const auto path = made.project.folder / relative;
    std::error_code status;
    if (std::filesystem::exists(path, status)) return {};
    LS_TRY(replaceFile(path, content));
    made.files.push_back(relative);
    return {};
}

}  // namespace

std::filesystem::path projectFile(const std::filesystem::path& folder) { return folder / "lockstep.project"; }

Result<api::ProjectInfo> readProject(const std::filesystem::path& folder) {
    const auto file = projectFile(folder);
    LS_TRY_ASSIGN(const auto text, readFile(file, kProjectFileLimit));
    const auto object = nlohmann::json::parse(text, nullptr, false);
    const bool numbered = object.is_object() && object.contains("schema") && object["schema"].is_number_integer();
    if (numbered && object["schema"] > kProjectSchema)
        return makeError("F633", {{"file", file.string()}, {"schema", object["schema"].dump()}, {"known", std::to_string(kProjectSchema)}});
    const bool ours = numbered && object["schema"] == kProjectSchema && object.contains("name") && object["name"].is_string();
    if (!ours) return makeError("F631", {{"file", file.string()}});
    return api::ProjectInfo{folder, object["name"].get<std::string>()};
}

std::filesystem::path findProject(const std::filesystem::path& start) {
    std::error_code status;
    const auto from = std::filesystem::absolute(start, status);
    for (auto folder = from;; folder = folder.parent_path()) {
        if (std::filesystem::is_regular_file(projectFile(folder), status)) return folder;
        if (folder == folder.parent_path()) return start;
    }
}

Result<api::CreatedProject> createProject(const std::filesystem::path& folder, const std::string& name) {
    api::CreatedProject made;
    std::error_code status;
    if (std::filesystem::exists(projectFile(folder), status)) {
        LS_TRY_ASSIGN(made.project, readProject(folder));
        made.origin = api::ProjectOrigin::AlreadyThere;
        return made;
    }
    made.project = {folder, name};
    LS_TRY(makeFolders(folder / "experiments"));
    LS_TRY(makeFolders(folder / "runs"));
    LS_TRY(writeIfAbsent(made, "experiments/mnist.yaml", kFirstExperiment));
    // Last, so that a folder counts as a project only when everything is there.
    LS_TRY(writeIfAbsent(made, "lockstep.project", nlohmann::ordered_json{{"schema", kProjectSchema}, {"name", name}}.dump(2) + "\n"));
    return made;
}

}  // namespace lockstep::workbench
