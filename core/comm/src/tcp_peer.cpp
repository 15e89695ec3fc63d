#include "tcp_peer.h"

#include <sys/socket.h>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace lockstep::comm {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little-endian");
constexpr std::size_t kSendLimit = 128 << 10;  // per call, so that sending and receiving alternate
constexpr std::size_t kReceiveLimit = 256 << 10;

std::span<const std::byte> bytesOf(const FrameHeader& header) { return std::as_bytes(std::span(&header, 1)); }

}  // namespace

FrameHeader dataHeader(std::uint64_t sequence, const Operation& operation, std::size_t bytes) {
    return {kFrameMagic, FrameKind::Data, 0, sequence, operation.word(), bytes, -1};
}

std::size_t TcpPeer::receive(std::byte* into, std::size_t size) {
    if (m_ended.has_value() || size == 0) return 0;
    ssize_t got = 0;
    do got = ::recv(socket(), into, size, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0)
        m_ended = "its connection was closed";
    else if (errno != EAGAIN && errno != EWOULDBLOCK)
        m_ended = "its connection failed: " + systemText(errno);
    return 0;
}

std::size_t TcpPeer::send(const void* bytes, std::size_t size) {
    ssize_t put = 0;
    do put = ::send(socket(), bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (put < 0 && errno == EINTR);
    if (put >= 0) return static_cast<std::size_t>(put);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    const int reason = errno;
    // A goodbye that came before the connection broke says more than the error does.
    pump();
    if (!m_ended.has_value()) m_ended = "its connection failed: " + systemText(reason);
    return 0;
}

bool TcpPeer::pump() {
    bool any = false;
    while (!m_waiting.has_value() && !m_ended.has_value()) {
        if (m_goodbyeWanted > 0) {
            takeGoodbye();
            if (m_goodbyeWanted > 0) return any;
            continue;
        }
        auto* bytes = reinterpret_cast<std::byte*>(&m_header);
        const auto got = receive(bytes + m_headerHave, sizeof m_header - m_headerHave);
        if (got == 0) return any;
        any = true;
        m_headerHave += got;
        if (m_headerHave == sizeof m_header) takeHeader();
    }
    return any;
}

void TcpPeer::takeHeader() {
    m_headerHave = 0;
    if (m_header.magic == kFrameMagic && m_header.kind == FrameKind::Bye && m_header.bytes <= kByeLimit) {
        m_farewell = Farewell{static_cast<int>(m_header.culprit), {}};
        m_goodbyeWanted = m_header.bytes;
        if (m_goodbyeWanted == 0) m_ended = "it left the group";
        return;
    }
    const bool known = m_header.kind == FrameKind::Data || (m_header.kind == FrameKind::Arrived && m_header.bytes == 0);
    if (m_header.magic != kFrameMagic || !known) {
        m_ended = "it sent something that is not a frame";
        return;
    }
    m_arrived.store(std::max(arrived(), m_header.sequence), std::memory_order_relaxed);
    if (m_header.kind == FrameKind::Data) m_waiting = m_header;
}

void TcpPeer::takeGoodbye() {
    std::array<std::byte, kByeLimit> piece;
    const auto got = receive(piece.data(), m_goodbyeWanted);
    m_goodbye.append(reinterpret_cast<const char*>(piece.data()), got);
    m_goodbyeWanted -= got;
    if (m_goodbyeWanted > 0) return;
    m_farewell->text = m_goodbye;
    m_ended = "it gave up (" + m_goodbye + ")";
}

std::size_t TcpPeer::readPayload(std::span<std::byte> into) { return receive(into.data(), std::min(into.size(), kReceiveLimit)); }

void TcpPeer::beginFrame(const FrameHeader& header) {
    const auto bytes = bytesOf(header);
    m_outgoing.insert(m_outgoing.end(), bytes.begin(), bytes.end());
}

void TcpPeer::flush() {
    if (m_outgoing.empty()) return;
    const auto sent = send(m_outgoing.data(), m_outgoing.size());
    m_outgoing.erase(m_outgoing.begin(), m_outgoing.begin() + static_cast<std::ptrdiff_t>(sent));
}

std::size_t TcpPeer::writeFrame(std::span<const std::byte> payload) {
    if (m_outgoing.empty()) return payload.empty() ? 0 : send(payload.data(), std::min(payload.size(), kSendLimit));
    // Header and the first bytes leave together: one segment for a small frame.
    const auto first = payload.first(std::min(payload.size(), kSendLimit));
    iovec parts[2] = {{m_outgoing.data(), m_outgoing.size()}, {const_cast<std::byte*>(first.data()), first.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = first.empty() ? 1 : 2;
    const auto put = ::sendmsg(socket(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put < 0) {
        flush();  // the same error again, handled in one place
        return 0;
    }
    const auto sent = static_cast<std::size_t>(put);
    const auto ofHeader = std::min(sent, m_outgoing.size());
    m_outgoing.erase(m_outgoing.begin(), m_outgoing.begin() + static_cast<std::ptrdiff_t>(ofHeader));
    return sent - ofHeader;
}

void TcpPeer::notify(std::uint64_t sequence) {
    if (!m_outgoing.empty() || m_ended.has_value()) return;
    const FrameHeader header{kFrameMagic, FrameKind::Arrived, 0, sequence, 0, 0, -1};
    const auto sent = send(&header, sizeof header);
    const auto rest = bytesOf(header).subspan(sent);
    if (sent > 0) m_outgoing.assign(rest.begin(), rest.end());
}

void TcpPeer::sayGoodbye(const Farewell& farewell) {
    if (m_ended.has_value()) return;
    const auto text = farewell.text.substr(0, kByeLimit);
    beginFrame({kFrameMagic, FrameKind::Bye, 0, 0, 0, text.size(), farewell.culprit});
    writeFrame(std::as_bytes(std::span(text)));
}

void TcpPeer::closeSending() { ::shutdown(socket(), SHUT_WR); }

}  // namespace lockstep::comm
