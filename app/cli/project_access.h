// Which project a command works on, and the door to it.
#pragma once

#include "command.h"

#include <api/workbench.h>

#include <filesystem>
#include <memory>

namespace lockstep::cli {

enum class ProjectNeed { MustBeThere, MayBeNew };

// --project, else the nearest folder with lockstep.project, else ./. Error F630 when it is not there but must be.
Result<std::filesystem::path> projectFolder(const Context& context, ProjectNeed need);

Result<std::unique_ptr<api::Workbench>> openWorkbench(const Context& context, ProjectNeed need);

}  // namespace lockstep::cli
