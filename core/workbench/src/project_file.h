// lockstep.project: {"schema": 1, "name": "…"}.
#pragma once

#include <api/projects.h>
#include <base/result.h>

#include <filesystem>

namespace lockstep::workbench {

std::filesystem::path projectFile(const std::filesystem::path& folder);
// Errors F602, F606, F631, F633 (a newer schema).
Result<api::ProjectInfo> readProject(const std::filesystem::path& folder);

}  // namespace lockstep::workbench
