// Is this computer fit for a run? One line per thing looked at, with the reason and the remedy where something is wrong.
#pragma once

#include <cluster/inventory.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::cluster {

enum class CheckStatus : std::uint8_t { Pass, Warn, Fail, Skipped };
std::string_view nameOf(CheckStatus status);  // "pass", "warn", "fail", "skipped"

struct DoctorCheck {
    std::string name;  // stable: "processor", "memory", "shared_memory", …
    CheckStatus status = CheckStatus::Pass;
    std::string line;  // what was found
    std::string why;   // Warn and Fail: why it matters
    std::string fix;   // Warn and Fail: what to do
    bool operator==(const DoctorCheck&) const = default;
};

struct DoctorOptions {
    std::filesystem::path project = ".";                         // where runs will be kept
    std::vector<std::pair<std::string, std::string>> libraries;  // name and version of what the program is linked with
    std::filesystem::path gpuDriver = "/proc/driver/nvidia/version";
};

// Everything that facts alone decide: system, processor, cores, memory, shared_memory, disk.
std::vector<DoctorCheck> checkFacts(const HostFacts& facts);

// All checks of this computer, in a fixed order. Makes the runtime folder when it is missing; changes nothing else.
std::vector<DoctorCheck> runDoctor(const DoctorOptions& options);

// The worst of them; Skipped counts as Pass.
CheckStatus worstOf(const std::vector<DoctorCheck>& checks);

}  // namespace lockstep::cluster
