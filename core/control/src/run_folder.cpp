#include <control/run_folder.h>

#include <base/file.h>
#include <base/paths.h>

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>

namespace lockstep::control {
namespace {

// When the specification of the run was written: once, at its start.
std::filesystem::file_time_type startOf(const RunFolder& folder) {
    std::error_code status;
    const auto time = std::filesystem::last_write_time(folder.spec(), status);
    return status ? std::filesystem::file_time_type::min() : time;
}

// Ids tell the second; of two runs begun in the same one, "last" must still be the later.
bool isOlder(const RunFolder& a, const RunFolder& b) {
    constexpr std::size_t kSecond = 15;  // "yyyymmdd-hhmmss"
    const std::string_view one = a.run().value, other = b.run().value;
    if (one.substr(0, kSecond) != other.substr(0, kSecond)) return one < other;
    const auto first = startOf(a), second = startOf(b);
    return first != second ? first < second : one < other;
}

}  // namespace

RunFolder::RunFolder(std::filesystem::path project, RunId run) : m_project(std::move(project)), m_run(std::move(run)) {
    std::error_code status;
    const auto absolute = std::filesystem::absolute(m_project.empty() ? "." : m_project, status);
    if (!status) m_project = absolute.lexically_normal();
}

Result<RunFolder> RunFolder::create(const std::filesystem::path& project, const RunId& run) {
    RunFolder folder(project, run);
    LS_TRY(makeFolders(folder.path().parent_path()));
    if (::mkdir(folder.path().c_str(), 0755) != 0) {
        if (errno == EEXIST) return makeError("R532", {{"run", run.value}});
        return makeError("F604", {{"file", folder.path().string()}, {"reason", systemText(errno)}});
    }
    for (const auto& inside : {folder.checkpoints(), folder.logs(), folder.spool()}) LS_TRY(makeFolders(inside));
    return folder;
}

std::vector<RunFolder> RunFolder::all(const std::filesystem::path& project) {
    std::vector<RunFolder> runs;
    std::error_code status;
    for (std::filesystem::directory_iterator entry(project / "runs", status), end; !status && entry != end; entry.increment(status)) {
        const auto name = entry->path().filename().string();
        if (isRunId(name)) runs.emplace_back(project, RunId{name});
    }
    std::ranges::sort(runs, isOlder);
    return runs;
}

Result<RunFolder> RunFolder::find(const std::filesystem::path& project, std::string_view name) {
    std::vector<RunFolder> found;
    auto folders = all(project);
    if (folders.empty()) return noSuchRun(project, name, "There are no runs yet");
    for (auto& folder : folders) {
        const std::string_view run = folder.run().value;
        if (run == name) return folder;
        if (!name.empty() && (run.starts_with(name) || run.ends_with(name))) found.push_back(folder);
    }
    if (found.size() == 1) return found.front();
    const std::string reason =
        found.empty() ? "None of the runs there is called so" : std::to_string(found.size()) + " runs there begin or end so";
    return noSuchRun(project, name, reason);
}

Error noSuchRun(const std::filesystem::path& project, std::string_view name, std::string reason) {
    return makeError(
        "R531", {{"run", std::string(name)},
                 {"folder", (project / "runs").string()},
                 {"reason", std::move(reason)},
                 {"next", RunFolder::all(project).empty() ? "Start one with: lockstep run SPEC." : "List the runs with: lockstep ls."}});
}

std::filesystem::path RunFolder::log(int rank) const { return logs() / ("rank-" + std::to_string(rank) + ".log"); }

std::filesystem::path RunFolder::socket() const { return runtimeFolder() / ("r-" + m_run.shortHex() + ".sock"); }

std::string sharedMemoryName(const RunId& run, std::uint64_t epoch) {
    return "/lockstep-" + std::to_string(::getuid()) + "-" + run.shortHex() + "-" + std::to_string(epoch);
}

}  // namespace lockstep::control
