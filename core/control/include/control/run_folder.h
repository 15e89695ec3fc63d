// Names of everything one run keeps: <project>/runs/<run id>/…. Values; only create() touches the disk.
#pragma once

#include <base/ids.h>
#include <base/result.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::control {

class RunFolder {
public:
    RunFolder(std::filesystem::path project, RunId run);

    // Makes the folder and those inside it. Errors: F604; R532 when the run is already there.
    static Result<RunFolder> create(const std::filesystem::path& project, const RunId& run);
    // The run's folder; `name` is a run id or an unambiguous beginning or end of one. Error R531 names what was looked for.
    static Result<RunFolder> find(const std::filesystem::path& project, std::string_view name);
    // All runs of a project, oldest first.
    static std::vector<RunFolder> all(const std::filesystem::path& project);

    const RunId& run() const { return m_run; }
    const std::filesystem::path& project() const { return m_project; }
    std::filesystem::path path() const { return m_project / "runs" / m_run.value; }
    std::filesystem::path spec() const { return path() / "spec.yaml"; }
    std::filesystem::path plan() const { return path() / "plan.json"; }
    std::filesystem::path database() const { return path() / "run.db"; }
    std::filesystem::path checkpoints() const { return path() / "checkpoints"; }
    std::filesystem::path logs() const { return path() / "logs"; }
    std::filesystem::path log(int rank) const;  // logs/rank-N.log
    std::filesystem::path controllerLog() const { return logs() / "controller.log"; }
    std::filesystem::path spool() const { return path() / "spool"; }
    // The controller's socket: RT/r-<8 hex>.sock. There only while a controller runs.
    std::filesystem::path socket() const;

private:
    std::filesystem::path m_project;
    RunId m_run;
};

// Error R531, with the next step that fits: a project may have no runs at all.
Error noSuchRun(const std::filesystem::path& project, std::string_view name, std::string reason);

// Name of the shared memory in which the ranks of a run on one host meet: "/lockstep-<uid>-<8 hex>-<epoch>".
std::string sharedMemoryName(const RunId& run, std::uint64_t epoch);

}  // namespace lockstep::control
