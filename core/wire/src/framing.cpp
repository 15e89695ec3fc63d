#include <wire/framing.h>

#include <base/file.h>

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <array>
#include <cerrno>
#include <cstring>

namespace lockstep::wire {
namespace {

constexpr std::size_t kHeader = 8;
constexpr std::size_t kReadPiece = 64u << 10;

Error gone(std::string reason) { return makeError("N411", {{"reason", std::move(reason)}}); }

std::array<char, kHeader> makeHeader(const Frame& frame) {
    const auto size = static_cast<std::uint32_t>(frame.payload.size());
    return {'L',
            'S',
            static_cast<char>(kFrameVersion),
            static_cast<char>(frame.type),
            static_cast<char>(size & 0xFF),
            static_cast<char>(size >> 8 & 0xFF),
            static_cast<char>(size >> 16 & 0xFF),
            static_cast<char>(size >> 24)};
}

std::uint32_t sizeOf(const char* header) {
    std::uint32_t size = 0;
    for (int i = 3; i >= 0; --i) size = size << 8 | static_cast<unsigned char>(header[4 + i]);
    return size;
}

}  // namespace

std::string encodeFrame(const Frame& frame) {
    const auto header = makeHeader(frame);
    return std::string(header.data(), header.size()) + frame.payload;
}

Result<void> writeFrame(int fd, const Frame& frame, Deadline deadline) {
    if (frame.payload.size() > kFrameLimit) return gone("a message is larger than 16 MiB");
    const std::string bytes = encodeFrame(frame);
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const auto put = ::send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put > 0) {
            sent += static_cast<std::size_t>(put);
            continue;
        }
        if (put < 0 && errno == EINTR) continue;
        if (put < 0 && errno != EAGAIN) return gone(systemText(errno));
        pollfd wait{fd, POLLOUT, 0};
        const int ready = ::poll(&wait, 1, deadline.pollTimeout());
        if (ready == 0) return gone("it does not read");
        if (ready < 0 && errno != EINTR) return gone(systemText(errno));
    }
    return {};
}

void FrameParser::feed(std::string_view bytes) {
    if (m_used > 0 && m_used * 2 >= m_bytes.size()) {
        m_bytes.erase(0, m_used);
        m_used = 0;
    }
    m_bytes += bytes;
}

Result<std::optional<Frame>> FrameParser::next() {
    const std::size_t left = m_bytes.size() - m_used;
    if (left < kHeader) return std::optional<Frame>();
    const char* header = m_bytes.data() + m_used;
    if (header[0] != 'L' || header[1] != 'S') return gone("what it sends are not our frames");
    if (static_cast<std::uint8_t>(header[2]) != kFrameVersion)
        return gone("it speaks version " + std::to_string(static_cast<std::uint8_t>(header[2])) + ", this program " +
                    std::to_string(kFrameVersion));
    const std::uint32_t size = sizeOf(header);
    if (size > kFrameLimit) return gone("it announces a message larger than 16 MiB");
    if (left < kHeader + size) return std::optional<Frame>();
    Frame frame{static_cast<std::uint8_t>(header[3]), m_bytes.substr(m_used + kHeader, size)};
    m_used += kHeader + size;
    return std::optional<Frame>(std::move(frame));
}

Result<bool> readAvailable(int fd, FrameParser& parser) {
    std::array<char, kReadPiece> piece;
    for (;;) {
        const auto got = ::recv(fd, piece.data(), piece.size(), MSG_DONTWAIT);
        if (got > 0) {
            parser.feed(std::string_view(piece.data(), static_cast<std::size_t>(got)));
            if (static_cast<std::size_t>(got) < piece.size()) return true;
            continue;
        }
        if (got == 0) return false;
        if (errno == EINTR) continue;
        if (errno == EAGAIN) return true;
        if (errno == ECONNRESET) return false;
        return gone(systemText(errno));
    }
}

}  // namespace lockstep::wire
