// Small things about TCP sockets.
#pragma once

#include <base/file.h>
#include <base/result.h>
#include <comm/endpoint.h>

#include <sys/socket.h>
#include <string>
#include <vector>

namespace lockstep::comm {

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t length = 0;
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
    int family() const { return storage.ss_family; }
};

// All addresses of a host, in the resolver's order. Error N406.
Result<std::vector<SocketAddress>> resolve(const Endpoint& endpoint);
// "127.0.0.1:4711" of the other end; "somebody" when it is gone.
std::string peerText(int socket);
// No delay, keep-alive, and the time after which unanswered bytes mean that the peer is gone.
void tune(int socket);
// What connecting or sending failed with, in words of errno.
int socketError(int socket);

}  // namespace lockstep::comm
