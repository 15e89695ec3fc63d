// One authenticated connection: frames in both directions, never blocking. Wire format, version 1, little-endian: a header, then
// `bytes` bytes of payload. Lengths are compared with what is expected and never decide how much memory is used.
#pragma once

#include "words.h"

#include <base/file.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep::comm {

enum class FrameKind : std::uint16_t { Data = 1, Arrived = 2, Bye = 3 };  // never renumber

struct FrameHeader {
    std::uint32_t magic;
    FrameKind kind;
    std::uint16_t reserved;   // 0
    std::uint64_t sequence;   // the collective, from 1
    std::uint64_t operation;  // Data: Operation::word()
    std::uint64_t bytes;      // of payload
    std::int64_t culprit;     // Bye: the rank that made the sender give up, -1 = none
};
static_assert(sizeof(FrameHeader) == 40);

inline constexpr std::uint32_t kFrameMagic = 0x3146534C;  // "LSF1"
inline constexpr std::size_t kByeLimit = 256;

FrameHeader dataHeader(std::uint64_t sequence, const Operation& operation, std::size_t bytes);

struct Farewell {
    int culprit = -1;
    std::string text;  // empty = left in order
};

class TcpPeer {
public:
    TcpPeer(int rank, Fd socket) : m_rank(rank), m_socket(std::move(socket)) {}

    int rank() const { return m_rank; }
    int socket() const { return m_socket.get(); }

    // Reads headers and handles Arrived and Bye until a Data header waits, or nothing more is there. True when something came.
    bool pump();
    // The Data header that waits for its payload to be read.
    const std::optional<FrameHeader>& waiting() const { return m_waiting; }
    // Reads payload of the waiting frame. Bytes read, 0 when none are there now.
    std::size_t readPayload(std::span<std::byte> into);
    void finishFrame() { m_waiting.reset(); }

    // Sends what the socket takes. Header and payload of one frame are sent in this order until `bytes` are done.
    void beginFrame(const FrameHeader& header);
    std::size_t writeFrame(std::span<const std::byte> payload);  // payload bytes sent now
    bool headerSent() const { return m_outgoing.empty(); }
    // A small frame between data frames; dropped when the socket is full. Precondition: no frame is half sent.
    void notify(std::uint64_t sequence);
    void sayGoodbye(const Farewell& farewell);
    void closeSending();

    // Nothing more will come: why, in words.
    const std::optional<std::string>& ended() const { return m_ended; }
    const std::optional<Farewell>& farewell() const { return m_farewell; }
    // The last collective this peer is known to have begun. Any thread.
    std::uint64_t arrived() const { return m_arrived.load(std::memory_order_relaxed); }

private:
    std::size_t receive(std::byte* into, std::size_t size);
    std::size_t send(const void* bytes, std::size_t size);
    void flush();
    void takeHeader();
    void takeGoodbye();

    int m_rank;
    Fd m_socket;
    FrameHeader m_header{};
    std::size_t m_headerHave = 0;
    std::optional<FrameHeader> m_waiting;
    std::string m_goodbye;  // text of a Bye as far as it came
    std::size_t m_goodbyeWanted = 0;
    std::vector<std::byte> m_outgoing;  // header bytes still to send
    std::optional<std::string> m_ended;
    std::optional<Farewell> m_farewell;
    std::atomic<std::uint64_t> m_arrived = 0;
};

}  // namespace lockstep::comm
