// Addresses of ranks ("host:port", "[::1]:port") and the sockets that listen there. Thread safe.
#pragma once

#include <base/file.h>
#include <base/result.h>

#include <string>
#include <string_view>

namespace lockstep::comm {

struct Endpoint {
    std::string host;  // name or number, without brackets
    int port = 0;
    std::string text() const;
    bool operator==(const Endpoint&) const = default;
};

// Error N406 names what is wrong. Port 0 is allowed: it stands for "any free one" when listening.
Result<Endpoint> parseEndpoint(std::string_view text);

struct Listener {
    Fd socket;     // bound, listening, non-blocking, closed on exec
    int port = 0;  // the real one when any was asked for
};

// Errors: N403 (taken: by which process), N406 (not an address of this computer, unknown name). A host name is looked up by the
// system's resolver, which has its own time-outs.
Result<Listener> listenAt(const Endpoint& endpoint);

}  // namespace lockstep::comm
