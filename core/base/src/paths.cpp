#include <base/paths.h>

#include <base/file.h>

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <string>

namespace lockstep {
namespace {

std::filesystem::path fromEnvironment(const char* variable, const char* belowHome) {
    const char* value = std::getenv(variable);
    if (value != nullptr && value[0] == '/') return std::filesystem::path(value) / "lockstep";
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home != nullptr && home[0] != '\0' ? home : "/tmp") / belowHome / "lockstep";
}

}  // namespace

std::filesystem::path runtimeFolder() {
    const char* value = std::getenv("XDG_RUNTIME_DIR");
    if (value != nullptr && value[0] == '/') return std::filesystem::path(value) / "lockstep";
    return "/tmp/lockstep-" + std::to_string(getuid());
}

Result<std::filesystem::path> makeRuntimeFolder() {
    const auto folder = runtimeFolder();
    const auto refuse = [&](std::string reason) { return makeError("F607", {{"folder", folder.string()}, {"reason", std::move(reason)}}); };
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        const int reason = errno;
        std::error_code status;
        std::filesystem::create_directories(folder.parent_path(), status);
        if (status || mkdir(folder.c_str(), 0700) != 0) return refuse(systemText(reason));
    }
    struct stat facts {};
    if (lstat(folder.c_str(), &facts) != 0) return refuse(systemText(errno));
    if (!S_ISDIR(facts.st_mode)) return refuse("it is not a folder");
    if (facts.st_uid != getuid()) return refuse("it belongs to user " + std::to_string(facts.st_uid));
    if ((facts.st_mode & 077) != 0) return refuse("others may enter it");
    return folder;
}

std::filesystem::path configFolder() { return fromEnvironment("XDG_CONFIG_HOME", ".config"); }
std::filesystem::path cacheFolder() { return fromEnvironment("XDG_CACHE_HOME", ".cache"); }
std::filesystem::path stateFolder() { return fromEnvironment("XDG_STATE_HOME", ".local/state"); }

std::filesystem::path programFile() {
    std::error_code status;
    return std::filesystem::read_symlink("/proc/self/exe", status);
}

std::filesystem::path resourcesFolder() {
    if (const char* value = std::getenv("LOCKSTEP_RESOURCES"); value != nullptr && value[0] != '\0') return value;
    const auto bin = programFile().parent_path();
    // An installed program first; a build tree (<source>/build*/bin) else.
    for (const auto& folder : {bin / "../share/lockstep", bin / "../../resources", bin / "../../../resources"}) {
        std::error_code status;
        if (std::filesystem::exists(folder / "presets", status)) return std::filesystem::weakly_canonical(folder, status);
    }
    return bin / "../share/lockstep";
}

}  // namespace lockstep
