// How two ranks prove to each other that they belong together. Wire format, version 1 (never renumber), little-endian:
//
//   connector → acceptor  Greeting   who I am, whom I want, my nonce
//   acceptor → connector  Greeting   the same about itself, and a verdict on the first one
//   connector → acceptor  Proof      HMAC-SHA-256(key, "connector" + both greetings + run)
//                         (after a verdict that refuses: HMAC-SHA-256(key, "refused" + both greetings), and the end)
//   acceptor → connector  Welcome    verdict, HMAC-SHA-256(key, "acceptor" + verdict + both greetings + run)
//
// Every message has one fixed size, so nothing a stranger sends decides how much is read. The nonces are fresh, so a recorded
// handshake proves nothing; the two words keep a proof from being sent back. Words of a verdict are believed only for messages until
// the proof is checked.
#pragma once

#include <base/checksum.h>
#include <comm/group.h>

#include <array>
#include <cstdint>
#include <string>

namespace lockstep::comm {

enum class Verdict : std::uint32_t { Fine = 0, OtherRun = 1, OtherEpoch = 2, OtherSize = 3, OtherRank = 4, OtherKey = 5, Twice = 6 };

struct Greeting {
    std::array<char, 8> magic;
    std::uint64_t epoch;
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t size;
    Verdict verdict;
    std::array<std::byte, 16> run;  // start of the digest of the run's name
    std::array<std::byte, 32> nonce;
};
static_assert(sizeof(Greeting) == 80);

struct Welcome {
    Verdict verdict;
    Digest proof;
};
static_assert(sizeof(Welcome) == 36);

// A greeting with a fresh nonce.
Greeting makeGreeting(const TcpOptions& options, int to);
// Whether the first `count` bytes can be the start of a greeting.
bool looksLikeGreeting(const Greeting& greeting, std::size_t count);
// What the rank of `options` thinks of a greeting it got; `expected` = the rank it must come from, -1 = any higher one.
Verdict judge(const Greeting& greeting, const TcpOptions& options, int expected);

Digest connectorProof(const TcpOptions& options, const Greeting& connector, const Greeting& acceptor);
Digest acceptorProof(const TcpOptions& options, const Greeting& connector, const Greeting& acceptor, Verdict verdict);

// Of a connector that was refused: it holds the key of the acceptor, whatever run it belongs to.
Digest refusalProof(const TcpOptions& options, const Greeting& connector, const Greeting& acceptor);

// N404 as rank `options.rank` reports it; `theirs` is what the peer said of itself.
Error verdictError(Verdict verdict, const TcpOptions& options, const Greeting& theirs, int peer, const std::string& address);
Error strangerError(const TcpOptions& options, int peer, const std::string& address);

}  // namespace lockstep::comm
