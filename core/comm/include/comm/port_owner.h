// Who listens on a TCP port of this computer, for messages.
#pragma once

#include <optional>
#include <string>

namespace lockstep::comm {

struct PortOwner {
    int processId = 0;    // 0 = unknown: another user's process, or one of another container
    std::string command;  // its command line, at most 160 printable characters
    // "process 4711 (nginx -g ...)", "a process of another user"
    std::string text() const;
};

// Empty when nobody listens there.
std::optional<PortOwner> findPortOwner(int port);

}  // namespace lockstep::comm
