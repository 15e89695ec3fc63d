#include <comm/endpoint.h>

#include "sockets.h"

#include <comm/port_owner.h>

#include <netinet/in.h>
#include <cerrno>
#include <charconv>

namespace lockstep::comm {
namespace {

constexpr int kBacklog = 128;

Error refuse(std::string_view address, const std::string& reason) {
    return makeError("N406", {{"address", std::string(address)}, {"reason", reason}});
}

// 0, or the reason (errno) why nobody can listen there.
int tryListen(const SocketAddress& address, Listener& listener) {
    Fd socket(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int on = 1;
    if (!socket.valid()) return errno;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(socket.get(), address.get(), address.length) != 0 || ::listen(socket.get(), kBacklog) != 0) return errno;
    SocketAddress bound;
    bound.length = sizeof bound.storage;
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound.storage), &bound.length) != 0) return errno;
    listener.port = ntohs(bound.family() == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&bound.storage)->sin6_port
                                                     : reinterpret_cast<const sockaddr_in*>(&bound.storage)->sin_port);
    listener.socket = std::move(socket);
    return 0;
}

}  // namespace

std::string Endpoint::text() const {
    const bool brackets = host.find(':') != std::string::npos;
    return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Endpoint> parseEndpoint(std::string_view text) {
    Endpoint endpoint;
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return refuse(text, "it has no port");
    auto host = text.substr(0, colon);
    const auto port = text.substr(colon + 1);
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    else if (host.find_first_of(":[]") != std::string_view::npos)
        return refuse(text, "an IPv6 address is written in brackets, as in [::1]:12345");
    if (host.empty() || host.size() > 253) return refuse(text, "it has no host");
    const auto parsed = std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
    if (parsed.ec != std::errc() || parsed.ptr != port.data() + port.size() || endpoint.port < 0 || endpoint.port > 65535)
        return refuse(text, "its port is not a number from 0 to 65535");
    endpoint.host = host;
    return endpoint;
}

Result<Listener> listenAt(const Endpoint& endpoint) {
    LS_TRY_ASSIGN(const auto addresses, resolve(endpoint));
    int reason = EADDRNOTAVAIL;
    for (const auto& address : addresses) {
        Listener listener;
        reason = tryListen(address, listener);
        if (reason == 0) return listener;
        if (reason == EADDRINUSE) break;
    }
    if (reason != EADDRINUSE)
        return refuse(endpoint.text(), reason == EADDRNOTAVAIL ? "it is not an address of this computer" : systemText(reason));
    const auto owner = findPortOwner(endpoint.port);
    return makeError("N403", {{"port", std::to_string(endpoint.port)},
                              {"host", endpoint.host},
                              {"owner", owner.has_value() ? owner->text() : "a connection that just ended"}});
}

}  // namespace lockstep::comm
