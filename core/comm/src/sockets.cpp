#include "sockets.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <array>
#include <cstring>

namespace lockstep::comm {
namespace {

void set(int socket, int level, int option, int value) { ::setsockopt(socket, level, option, &value, sizeof value); }

}  // namespace

Result<std::vector<SocketAddress>> resolve(const Endpoint& endpoint) {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int status = ::getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &wanted, &found);
    if (status != 0) return makeError("N406", {{"address", endpoint.text()}, {"reason", ::gai_strerror(status)}});
    std::vector<SocketAddress> addresses;
    for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
        SocketAddress address;
        std::memcpy(&address.storage, at->ai_addr, at->ai_addrlen);
        address.length = at->ai_addrlen;
        addresses.push_back(address);
    }
    ::freeaddrinfo(found);
    return addresses;
}

std::string peerText(int socket) {
    SocketAddress peer;
    peer.length = sizeof peer.storage;
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer.storage), &peer.length) != 0 ||
        ::getnameinfo(peer.get(), peer.length, host.data(), host.size(), port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return "somebody";
    return Endpoint{host.data(), std::stoi(port.data())}.text();
}

void tune(int socket) {
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 5);
    set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 2);
    set(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 11'000);
}

int socketError(int socket) {
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
    return error;
}

}  // namespace lockstep::comm
