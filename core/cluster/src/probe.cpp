#include "cgroup.h"

#include <base/thread.h>
#include <cluster/inventory.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace lockstep::cluster {
namespace {

// "model name : x" of /proc/cpuinfo, "NAME=x" of /etc/os-release: the value of the first line that begins with the key.
std::string valueOf(const char* file, const std::string& key, char separator) {
    std::ifstream stream(file);
    std::string line;
    while (std::getline(stream, line)) {
        const std::size_t at = line.find(separator);
        if (!line.starts_with(key) || at == std::string::npos) continue;
        std::string value = line.substr(at + 1);
        value.erase(0, value.find_first_not_of(" \t\""));
        value.erase(value.find_last_not_of(" \t\"") + 1);
        return value;
    }
    return {};
}

std::uint64_t memoryValue(const std::string& key) {
    std::istringstream words(valueOf("/proc/meminfo", key, ':'));
    std::uint64_t kibibytes = 0;
    words >> kibibytes;
    return kibibytes * 1024;
}

std::string instructionSet() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512dq");
    if (avx512) {
        const bool vnni = __builtin_cpu_supports("avx512vnni");
        const bool bf16 = vnni && __builtin_cpu_supports("avx512bf16");
        const bool amx =
            bf16 && __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-int8") && __builtin_cpu_supports("amx-bf16");
        return amx ? "avx512_core_amx" : bf16 ? "avx512_core_bf16" : vnni ? "avx512_core_vnni" : "avx512_core";
    }
    if (__builtin_cpu_supports("avx2")) return __builtin_cpu_supports("avxvnni") ? "avx2_vnni" : "avx2";
    if (__builtin_cpu_supports("avx")) return "avx";
    return __builtin_cpu_supports("sse4.1") ? "sse41" : "none";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "none";
#endif
}

// Physical core of a processor, as a number that is unique on this host; -1 when the kernel doesn't say.
std::vector<int> physicalCores(const std::vector<int>& processors) {
    std::map<std::pair<int, int>, int> numbers;
    std::vector<int> cores;
    for (const int processor : processors) {
        const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/";
        int package = 0;
        int core = 0;
        if (!(std::ifstream(folder + "physical_package_id") >> package) || !(std::ifstream(folder + "core_id") >> core)) return {};
        const auto next = static_cast<int>(numbers.size());
        cores.push_back(numbers.try_emplace({package, core}, next).first->second);
    }
    return cores;
}

std::uint64_t freeBytes(const char* folder, bool total) {
    struct statvfs facts {};
    if (statvfs(folder, &facts) != 0) return 0;
    return static_cast<std::uint64_t>(facts.f_frsize) * (total ? facts.f_blocks : facts.f_bavail);
}

void probeMemory(HostFacts& facts, const CgroupLimits& limits) {
    facts.memoryBytes = memoryValue("MemTotal");
    facts.availableBytes = memoryValue("MemAvailable");
    if (limits.bytes && *limits.bytes < facts.memoryBytes) {
        facts.memoryBytes = *limits.bytes;
        facts.availableBytes = std::min(facts.availableBytes, *limits.bytes);
    }
    if (limits.freeBytes) facts.availableBytes = std::min(facts.availableBytes, *limits.freeBytes);
    facts.shmBytes = freeBytes("/dev/shm", true);
    facts.diskFreeBytes = freeBytes(".", false);
}

void probeProcessors(HostFacts& facts, const CgroupLimits& limits) {
    facts.processorName = valueOf("/proc/cpuinfo", "model name", ':');
    if (facts.processorName.empty()) facts.processorName = "unknown processor";
    facts.isa = instructionSet();
    facts.processors = usableProcessors();
    // A quota of 1.5 processors lets one thread run undisturbed; two would be held back in turn.
    if (limits.processors) {
        const auto quota = static_cast<std::size_t>(std::max(1.0, std::floor(*limits.processors + 0.01)));
        if (quota < facts.processors.size()) facts.processors.resize(quota);
    }
    facts.coreOf = physicalCores(facts.processors);
    facts.physicalCores = static_cast<int>(std::set<int>(facts.coreOf.begin(), facts.coreOf.end()).size());
}

}  // namespace

std::uint64_t availableMemory() {
    std::uint64_t bytes = memoryValue("MemAvailable");
    if (const auto free = readCgroupLimits().freeBytes) bytes = std::min(bytes, *free);
    std::uint64_t pages = 0, unused = 0, data = 0;
    // size resident shared text lib data, in pages.
    std::ifstream("/proc/self/statm") >> pages >> unused >> unused >> unused >> unused >> data;
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const auto tighten = [&](int what, std::uint64_t used) {
        rlimit limit{};
        if (getrlimit(static_cast<__rlimit_resource>(what), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
        bytes = std::min<std::uint64_t>(bytes, limit.rlim_cur > used ? limit.rlim_cur - used : 0);
    };
    tighten(RLIMIT_AS, pages * page);
    tighten(RLIMIT_DATA, data * page);
    return bytes;
}

std::uint64_t outOfMemoryKills() {
    std::ifstream counters("/proc/vmstat");
    std::string name;
    for (std::uint64_t value = 0; counters >> name >> value;)
        if (name == "oom_kill") return value;
    return 0;
}

HostFacts probeThisHost() {
    HostFacts facts;
    facts.name = "here";
    facts.address = "localhost";
    std::array<char, 256> hostname{};
    if (gethostname(hostname.data(), hostname.size() - 1) == 0) facts.hostname = hostname.data();
    struct utsname kernel {};
    if (uname(&kernel) == 0) {
        const std::string pretty = valueOf("/etc/os-release", "PRETTY_NAME", '=');
        facts.system = (pretty.empty() ? std::string(kernel.sysname) : pretty) + ", kernel " + kernel.release;
    }
    const CgroupLimits limits = readCgroupLimits();
    probeProcessors(facts, limits);
    probeMemory(facts, limits);
    const std::size_t count = facts.processors.size();
    facts.devices.push_back(
        {"cpu", facts.processorName + ", " + std::to_string(count) + (count == 1 ? " core" : " cores"), facts.memoryBytes});
    return facts;
}

}  // namespace lockstep::cluster
