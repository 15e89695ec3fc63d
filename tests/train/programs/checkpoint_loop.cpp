// Saves checkpoints 1, 2, 3, … into a folder until it is killed, and writes one byte to its output before each. Argument: folder.
// With "tmpfs" as the second argument it mounts a small file system of its own over the folder first, saves until that is full, and
// prints "<saved> <code of the error> <newest that loads> <temporary files left>"; exit 77 when it may not mount.
#include "checkpoints.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace lockstep;

namespace {

constexpr std::size_t kElements = 50000;

bool mountSmall(const std::string& folder) {
    if (unshare(CLONE_NEWNS) != 0) {
        const uid_t user = getuid();
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
        const int map = ::open("/proc/self/uid_map", O_WRONLY);
        const std::string line = "0 " + std::to_string(user) + " 1";
        if (map < 0 || ::write(map, line.data(), line.size()) < 0) return false;
        ::close(map);
    }
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
    return mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=1500k") == 0;
}

int fillDisk(const std::string& folder) {
    if (!mountSmall(folder)) return 77;
    train::CheckpointStore store(folder, 1000);
    std::uint64_t step = 1;
    for (;; ++step) {
        const auto saved = store.save(test::checkpointOf(step, kElements / 4));
        if (saved.ok()) continue;
        const auto newest = store.loadNewest("abc");
        int temporary = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            temporary += entry.path().native().find(".tmp-") != std::string::npos;
        const bool whole =
            newest.ok() && newest->has_value() && (*newest)->checkpoint == test::checkpointOf((*newest)->checkpoint.step, kElements / 4);
        std::printf("%d %s %d %d\n", static_cast<int>(step - 1), saved.error().code.c_str(),
                    whole ? static_cast<int>((*newest)->checkpoint.step) : -1, temporary);
        return 0;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string folder = argv[1];
    if (argc > 2) return fillDisk(folder);
    train::CheckpointStore store(folder, 2);
    if (!store.prepare().ok()) return 1;
    std::uint64_t step = 1;
    if (const auto newest = store.loadNewest("abc"); newest.ok() && newest->has_value()) step = (*newest)->checkpoint.step + 1;
    for (;; ++step)
        if (::write(STDOUT_FILENO, ".", 1) != 1 || !store.save(test::checkpointOf(step, kElements)).ok()) return 1;
}
