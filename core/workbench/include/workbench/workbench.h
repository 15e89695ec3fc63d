// Makes the workbench of one project, and projects themselves.
#pragma once

#include <api/project_catalog.h>
#include <api/projects.h>
#include <api/workbench.h>
#include <base/result.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::workbench {

// How a processor multiplies bfloat16: whether it does, and the measured speed over that of float32.
struct Bfloat16Speed {
    bool products = false;
    double ratio = 0;
};

struct WorkbenchOptions {
    std::filesystem::path project;  // folder; need not be there yet
    std::filesystem::path program;  // the binary `lockstep` that controllers are started from; empty: this program
    std::vector<std::pair<std::string, std::string>> libraries = {};  // of what the program is linked with: names and versions
    // Measures this computer's bfloat16 products, for the doctor and plans that want it; may block for a moment. Empty: they say nothing.
    std::function<Result<Bfloat16Speed>()> bfloat16Speed = {};
};

std::unique_ptr<api::Workbench> makeWorkbench(const WorkbenchOptions& options);

struct CatalogOptions {
    std::filesystem::path program;  // as in WorkbenchOptions
    std::filesystem::path state;    // folder of recent-projects.json; empty: the user's state folder
};

std::unique_ptr<api::ProjectCatalog> makeProjectCatalog(const CatalogOptions& options);

// The nearest folder at or above `start` that holds lockstep.project, else `start` itself.
std::filesystem::path findProject(const std::filesystem::path& start);

// Makes lockstep.project, experiments/ with a first specification, and runs/. What is there already stays as it is.
// Errors: F603/F604; F631, F633 when lockstep.project is there but is none of ours.
Result<api::CreatedProject> createProject(const std::filesystem::path& folder, const std::string& name);

}  // namespace lockstep::workbench
