// Limits a container or a service puts on this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace lockstep::cluster {

struct CgroupLimits {
    std::optional<double> processors;  // CPU time per time
    std::optional<std::uint64_t> bytes;
    std::optional<std::uint64_t> freeBytes;  // of them not in use; pages of files that can be given back are not in use
};

// The tightest limits on the way from this process' group to the root, versions 1 and 2. `root` is "/" but in tests.
CgroupLimits readCgroupLimits(const std::filesystem::path& root = "/");

}  // namespace lockstep::cluster
