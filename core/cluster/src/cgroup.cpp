#include "cgroup.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace lockstep::cluster {
namespace {

// Values at or above this are a kernel's way of saying "none".
constexpr std::uint64_t kUnlimited = 1ull << 60;

std::optional<std::string> firstLine(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string line;
    if (!std::getline(stream, line)) return std::nullopt;
    return line;
}

std::optional<double> numberOf(const std::filesystem::path& file) {
    const auto line = firstLine(file);
    if (!line) return std::nullopt;
    std::istringstream words(*line);
    double value = 0;
    if (!(words >> value)) return std::nullopt;
    return value;
}

void tighten(CgroupLimits& limits, std::optional<double> processors, std::optional<double> bytes) {
    if (processors && *processors > 0) limits.processors = std::min(limits.processors.value_or(*processors), *processors);
    if (bytes && *bytes > 0 && *bytes < static_cast<double>(kUnlimited)) {
        const auto count = static_cast<std::uint64_t>(*bytes);
        limits.bytes = std::min(limits.bytes.value_or(count), count);
    }
}

// The value behind a word in a file of lines "word number".
double fieldOf(const std::filesystem::path& file, const std::string& word) {
    std::ifstream stream(file);
    std::string name;
    for (double value = 0; stream >> name >> value;)
        if (name == word) return value;
    return 0;
}

void tightenFree(CgroupLimits& limits, const std::filesystem::path& limit, const std::filesystem::path& used,
                 const std::filesystem::path& fields, const std::string& inactive) {
    const auto most = numberOf(limit), now = numberOf(used);
    if (!most || !now || *most <= 0 || *most >= static_cast<double>(kUnlimited)) return;
    const auto left = static_cast<std::uint64_t>(std::max(0.0, *most - std::max(0.0, *now - fieldOf(fields, inactive))));
    limits.freeBytes = std::min(limits.freeBytes.value_or(left), left);
}

// "max 100000" or "150000 100000".
std::optional<double> quotaOfVersion2(const std::filesystem::path& file) {
    const auto line = firstLine(file);
    if (!line) return std::nullopt;
    std::istringstream words(*line);
    double quota = 0;
    double period = 0;
    if (!(words >> quota >> period) || period <= 0) return std::nullopt;
    return quota / period;
}

std::optional<double> quotaOfVersion1(const std::filesystem::path& folder) {
    const auto quota = numberOf(folder / "cpu.cfs_quota_us");
    const auto period = numberOf(folder / "cpu.cfs_period_us");
    if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
    return *quota / *period;
}

// A container sees its own group as the root of the mount, whatever path /proc names; so every ancestor counts that exists.
template <class Visit>
void walkUp(const std::filesystem::path& mount, std::string group, Visit visit) {
    while (true) {
        visit(group.empty() ? mount : mount / group.substr(1));
        const std::size_t slash = group.rfind('/');
        if (group.empty() || slash == std::string::npos) return;
        group.resize(slash);
    }
}

}  // namespace

CgroupLimits readCgroupLimits(const std::filesystem::path& root) {
    CgroupLimits limits;
    const std::filesystem::path mounts = root / "sys/fs/cgroup";
    std::ifstream groups(root / "proc/self/cgroup");
    std::string line;
    while (std::getline(groups, line)) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const std::string group = line.substr(second + 1) == "/" ? "" : line.substr(second + 1);
        if (controllers == ",,") {
            walkUp(mounts, group, [&](const auto& folder) {
                tighten(limits, quotaOfVersion2(folder / "cpu.max"), numberOf(folder / "memory.max"));
                tightenFree(limits, folder / "memory.max", folder / "memory.current", folder / "memory.stat", "inactive_file");
            });
        }
        if (controllers.find(",cpu,") != std::string::npos) {
            walkUp(mounts / "cpu", group, [&](const auto& folder) { tighten(limits, quotaOfVersion1(folder), std::nullopt); });
        }
        if (controllers.find(",memory,") != std::string::npos) {
            walkUp(mounts / "memory", group, [&](const auto& folder) {
                tighten(limits, std::nullopt, numberOf(folder / "memory.limit_in_bytes"));
                tightenFree(limits, folder / "memory.limit_in_bytes", folder / "memory.usage_in_bytes", folder / "memory.stat",
                            "total_inactive_file");
            });
        }
    }
    return limits;
}

}  // namespace lockstep::cluster
