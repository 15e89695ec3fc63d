#include <cluster/doctor.h>

#include <base/file.h>
#include <base/paths.h>
#include <base/units.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::cluster {
namespace {

constexpr std::uint64_t kGibi = 1ull << 30;
constexpr std::uint64_t kMebi = 1ull << 20;
// Two ranks of the largest shipped model need about 400 MiB; the shared buffers of a run about 60 MiB.
constexpr std::uint64_t kMemoryWanted = kGibi;
constexpr std::uint64_t kSharedWanted = 256 * kMebi;
constexpr std::uint64_t kDiskWanted = kGibi;
constexpr std::uint64_t kDiskNeeded = 100 * kMebi;
constexpr rlim_t kFilesWanted = 1024;

DoctorCheck pass(std::string name, std::string line) { return {std::move(name), CheckStatus::Pass, std::move(line), "", ""}; }

DoctorCheck trouble(CheckStatus status, std::string name, std::string line, std::string why, std::string fix) {
    return {std::move(name), status, std::move(line), std::move(why), std::move(fix)};
}

DoctorCheck checkProcessor(const HostFacts& facts) {
    const std::string line = facts.processorName + ", " + facts.isa;
    if (facts.isa.starts_with("avx2") || facts.isa.starts_with("avx512")) return pass("processor", line);
    return trouble(CheckStatus::Warn, "processor", line, "Without AVX2 the kernels run several times slower.",
                   "Use a newer computer for long runs.");
}

DoctorCheck checkCores(const HostFacts& facts) {
    const std::size_t count = facts.processors.size();
    std::string line = std::to_string(count) + " usable, " + std::to_string(facts.physicalCores) + " physical";
    if (count == 0) {
        return trouble(CheckStatus::Fail, "cores", std::move(line), "No processor may be used.",
                       "Look at the affinity and the limits of the container.");
    }
    if (count == 1) {
        return trouble(CheckStatus::Warn, "cores", std::move(line), "Two replicas would share one core.",
                       "Use one device, or set cluster.oversubscribe: true.");
    }
    return pass("cores", std::move(line));
}

DoctorCheck checkAmount(std::string name, std::string line, std::uint64_t have, std::uint64_t wanted, std::uint64_t needed, std::string why,
                        std::string fix) {
    if (have >= wanted) return pass(std::move(name), std::move(line));
    return trouble(have >= needed ? CheckStatus::Warn : CheckStatus::Fail, std::move(name), std::move(line), std::move(why),
                   std::move(fix));
}

DoctorCheck checkFiles() {
    struct rlimit limit {};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return trouble(CheckStatus::Warn, "open_files", "unknown", "The limit can't be read.", "Look at ulimit -n.");
    const std::string line = limit.rlim_cur == RLIM_INFINITY ? "no limit" : std::to_string(limit.rlim_cur) + " at once";
    if (limit.rlim_cur >= kFilesWanted) return pass("open_files", line);
    return trouble(CheckStatus::Warn, "open_files", line, "Every rank needs about 20 files and sockets.", "Raise it: ulimit -n 4096.");
}

DoctorCheck checkRuntimeFolder() {
    // Sockets add up to 16 characters to the folder.
    constexpr std::size_t kLongest = 107 - 17;
    const auto folder = makeRuntimeFolder();
    if (!folder.ok())
        return trouble(CheckStatus::Fail, "runtime_folder", folder.error().message, folder.error().cause, folder.error().next);
    if (folder->string().size() > kLongest) {
        return trouble(CheckStatus::Fail, "runtime_folder", folder->string(), "Paths of sockets can't be longer than 107 characters.",
                       "Set XDG_RUNTIME_DIR to a shorter folder.");
    }
    return pass("runtime_folder", folder->string());
}

DoctorCheck checkKey() {
    const auto file = configFolder() / "key";
    struct stat facts {};
    if (lstat(file.c_str(), &facts) != 0) return pass("key", file.string() + ": made at first use");
    if (S_ISREG(facts.st_mode) && facts.st_uid == getuid() && (facts.st_mode & 077) == 0) return pass("key", file.string());
    return trouble(CheckStatus::Fail, "key",
                   file.string() + (S_ISREG(facts.st_mode) ? " is open to others or belongs to another user" : " is no file"),
                   "Connections between ranks are authenticated with it.", "Remove it; a new one is made at first use.");
}

DoctorCheck checkCache() {
    const auto folder = cacheFolder();
    const auto made = makeFolders(folder, 0700);
    if (made.ok() && access(folder.c_str(), W_OK) == 0) return pass("cache", folder.string());
    return trouble(CheckStatus::Fail, "cache", folder.string() + " can't be written", "Unpacked data is kept there.",
                   "Mend its permissions or set XDG_CACHE_HOME.");
}

DoctorCheck checkProject(const std::filesystem::path& project) {
    std::error_code problem;
    const auto folder = std::filesystem::weakly_canonical(project, problem);
    const auto runs = project / "runs";  // may lie on another disk
    for (const auto& needed : {project, std::filesystem::exists(runs, problem) ? runs : project})
        if (access(needed.c_str(), W_OK | X_OK) != 0) {
            const auto reason = systemText(errno);
            return trouble(CheckStatus::Fail, "project",
                           std::filesystem::weakly_canonical(needed, problem).string() + " can't be written: " + reason,
                           "Runs are kept there.", "Use a project in a folder that can be written (--project).");
        }
    return pass("project", folder.string());
}

DoctorCheck checkGpu(const std::filesystem::path& driver) {
    std::string line;
    std::getline(std::ifstream(driver), line);
    if (line.empty()) return {"gpu", CheckStatus::Skipped, "no GPU found", "", ""};
    return {"gpu", CheckStatus::Skipped, "a GPU driver is loaded, but this build uses processors only", "", ""};
}

}  // namespace

std::string_view nameOf(CheckStatus status) {
    constexpr std::array<std::string_view, 4> kNames = {"pass", "warn", "fail", "skipped"};
    return kNames[static_cast<std::size_t>(status)];
}

std::vector<DoctorCheck> checkFacts(const HostFacts& facts) {
    std::vector<DoctorCheck> checks;
    checks.push_back(pass("system", facts.system + ", host " + facts.hostname));
    checks.push_back(checkProcessor(facts));
    checks.push_back(checkCores(facts));
    checks.push_back(checkAmount("memory", formatBytes(facts.availableBytes) + " free of " + formatBytes(facts.memoryBytes),
                                 facts.availableBytes, kMemoryWanted, kMemoryWanted / 4, "A rank that runs out of memory is killed.",
                                 "End other programs or use a smaller batch."));
    checks.push_back(checkAmount("shared_memory", "/dev/shm has " + formatBytes(facts.shmBytes), facts.shmBytes, kSharedWanted,
                                 kSharedWanted / 4, "Ranks of one host exchange gradients there.",
                                 "Enlarge it (container: --shm-size=1g), or set distribution.transport: tcp."));
    checks.push_back(checkAmount("disk", formatBytes(facts.diskFreeBytes) + " free", facts.diskFreeBytes, kDiskWanted, kDiskNeeded,
                                 "Checkpoints and curves need room.", "Free some space or use --project on another disk."));
    return checks;
}

std::vector<DoctorCheck> runDoctor(const DoctorOptions& options) {
    HostFacts facts = probeThisHost();
    std::error_code problem;
    const auto space = std::filesystem::space(options.project, problem);
    if (!problem) facts.diskFreeBytes = space.available;
    std::vector<DoctorCheck> checks = checkFacts(facts);
    checks.push_back(checkFiles());
    checks.push_back(checkRuntimeFolder());
    checks.push_back(checkKey());
    checks.push_back(checkCache());
    checks.push_back(checkProject(options.project));
    for (const auto& [name, version] : options.libraries) checks.push_back(pass("library_" + name, name + " " + version));
    checks.push_back(checkGpu(options.gpuDriver));
    return checks;
}

CheckStatus worstOf(const std::vector<DoctorCheck>& checks) {
    CheckStatus worst = CheckStatus::Pass;
    for (const DoctorCheck& check : checks) {
        if (check.status != CheckStatus::Skipped) worst = std::max(worst, check.status);
    }
    return worst;
}

}  // namespace lockstep::cluster
