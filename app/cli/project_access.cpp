#include "project_access.h"

#include "library_versions.h"
#include "precision_probe.h"
#include "rank_memory.h"

#include <workbench/sized_workbench.h>

namespace lockstep::cli {

Result<std::filesystem::path> projectFolder(const Context& context, ProjectNeed need) {
    std::error_code status;
    if (!context.options.project) return workbench::findProject(std::filesystem::current_path(status));
    const auto folder = *context.options.project;
    const bool there = std::filesystem::is_directory(folder, status);
    const bool inTheWay = !there && std::filesystem::exists(folder, status);
    if (inTheWay || (!there && need == ProjectNeed::MustBeThere)) return makeError("F630", {{"folder", folder.string()}});
    return folder;
}

Result<std::unique_ptr<api::Workbench>> openWorkbench(const Context& context, ProjectNeed need) {
    LS_TRY_ASSIGN(const auto folder, projectFolder(context, need));
    return workbench::makeSizedWorkbench({folder, {}, libraryVersions(), [&output = context.output] { return bfloat16Speed(output); }},
                                         makeSizer(false));
}

}  // namespace lockstep::cli
