// A project is a folder with a file lockstep.project, experiments/ and runs/ (architecture 9).
#pragma once

#include <base/result.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::api {

struct ProjectInfo {
    std::filesystem::path folder;
    std::string name;
    bool operator==(const ProjectInfo&) const = default;
};

enum class ProjectOrigin : std::uint8_t { Created, AlreadyThere };

struct CreatedProject {
    ProjectInfo project;
    ProjectOrigin origin{};
    std::vector<std::filesystem::path> files;  // made now, relative to the folder
};

}  // namespace lockstep::api
