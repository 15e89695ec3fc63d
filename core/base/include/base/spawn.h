// Starting processes: argv only (no shell), posix_spawn (no fork after threads exist), always a session of their own, no inherited
// descriptor but those named.
#pragma once

#include <base/file.h>
#include <base/result.h>

#include <sys/types.h>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace lockstep {

struct SpawnOptions {
    std::filesystem::path program;                                 // empty: this program itself (/proc/self/exe)
    std::vector<std::string> arguments;                            // without argv[0]
    std::vector<std::pair<std::string, std::string>> environment;  // added to this process' own
    std::filesystem::path output;                                  // stdout and stderr are appended here; empty: /dev/null
    std::vector<std::pair<int, int>> descriptors;                  // (ours, the child's number ≥ 3)
};

// Starts the program as leader of a new session, stdin from /dev/null. The caller reaps it (or lets init do so by leaving first).
// Errors: P801 (program not found), R536 (the system refuses: reason), F602/F604 (output).
Result<pid_t> spawnDetached(const SpawnOptions& options);

}  // namespace lockstep
