// Who listens on a TCP port of this computer (from /proc; processes of other users show without name unless we are root).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lockstep::cluster {

struct PortOwner {
    int port = 0;
    int pid = 0;          // 0: the process can't be seen
    std::string command;  // "python train.py", at most 120 bytes; empty with pid 0
    std::string user;     // name, else the number
    bool operator==(const PortOwner&) const = default;
};

// nullopt: nobody listens. `proc` is /proc but in tests. Never fails: what can't be read stays unknown.
std::optional<PortOwner> findPortOwner(int port, const std::filesystem::path& proc = "/proc");

// "python train.py (pid 4711, ana)", "a process of user 1000"
std::string describe(const PortOwner& owner);

}  // namespace lockstep::cluster
