// Projects a person works with: the recent ones, opening and making one. A workbench is the door to one of them.
//
// Threads: one at a time. Kept in $XDG_STATE_HOME/lockstep/recent-projects.json, replaced atomically; of two windows that change it at
// once the later one wins.
#pragma once

#include <api/projects.h>
#include <api/workbench.h>
#include <base/error.h>
#include <base/result.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::api {

struct RecentProject {
    ProjectInfo project;           // the name it had when it was last open, unless it can be read now
    double opened = 0;             // Unix seconds
    std::optional<Error> problem;  // it can't be opened now; errors of open()
    bool operator==(const RecentProject&) const = default;
};

class ProjectCatalog {
public:
    virtual ~ProjectCatalog() = default;

    // The one opened last comes first; at most 20. Reads the project file of each.
    virtual std::vector<RecentProject> recent() const = 0;
    // Errors: F630 (no such folder), F636 (a file), F632 (no lockstep.project in it), F631 (lockstep.project is none of ours), F633 (made
    // by a newer Lockstep), F602, F606. A project on a read-only disk opens; what writes into it fails with F604.
    virtual Result<std::unique_ptr<Workbench>> open(const std::filesystem::path& folder) = 0;
    // Makes the project unless it is there already, then opens it. Errors: as open(), F604 (also a read-only disk), F605.
    virtual Result<std::unique_ptr<Workbench>> create(const std::filesystem::path& folder, const std::string& name) = 0;
    // Takes it off the list; the folder stays. Errors: F604, F605.
    virtual Result<void> forget(const std::filesystem::path& folder) = 0;
    // Why the last open() or create() could not be kept in the list; the project is open nevertheless.
    virtual std::optional<Error> problem() const = 0;
};

}  // namespace lockstep::api
