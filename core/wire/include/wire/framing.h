// Frames on a stream socket: 8 bytes of header (magic "LS", version, type, length: little endian) and a payload of at most 16 MiB.
// Used between a rank and its agent. A peer that sends anything else is dropped with N411. One reader and one writer per socket; each
// by one thread at a time.
#pragma once

#include <base/clock.h>
#include <base/result.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::wire {

inline constexpr std::uint8_t kFrameVersion = 1;
inline constexpr std::uint32_t kFrameLimit = 16u << 20;

struct Frame {
    std::uint8_t type = 0;
    std::string payload;
    bool operator==(const Frame&) const = default;
};

// Whole header and payload; errors N411 (gone, or not taken before the deadline).
Result<void> writeFrame(int fd, const Frame& frame, Deadline deadline);

// The bytes of a frame as they travel.
std::string encodeFrame(const Frame& frame);

// Takes a stream apart. Never reads more than it was fed.
class FrameParser {
public:
    void feed(std::string_view bytes);
    // The next whole frame, nothing when more bytes are needed, N411 when the stream is not ours.
    Result<std::optional<Frame>> next();

private:
    std::string m_bytes;
    std::size_t m_used = 0;
};

// Reads what is there without waiting. False: the peer has closed.
Result<bool> readAvailable(int fd, FrameParser& parser);

}  // namespace lockstep::wire
