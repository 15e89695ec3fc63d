#include "handshake.h"

#include <base/ids.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace lockstep::comm {
namespace {

static_assert(std::endian::native == std::endian::little, "messages are little-endian");
constexpr std::array<char, 8> kMagic = {'L', 'S', 'C', 'O', 'M', 'M', '1', '\n'};

std::array<std::byte, 16> runTag(const std::string& run) {
    const auto digest = sha256(asBytes(run));
    std::array<std::byte, 16> tag{};
    std::copy_n(digest.begin(), tag.size(), tag.begin());
    return tag;
}

template <class T>
void append(std::string& text, const T& value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

Digest prove(const TcpOptions& options, std::string message, const Greeting& connector, const Greeting& acceptor) {
    append(message, connector);
    append(message, acceptor);
    message += options.run;
    return hmacSha256(asBytes(options.key), asBytes(message));
}

Error refuse(const TcpOptions& options, int peer, const std::string& address, const std::string& reason, const std::string& cause) {
    return makeError("N404", {{"self", "Rank " + std::to_string(options.rank)},
                              {"peer", (peer < 0 ? "somebody" : "rank " + std::to_string(peer)) + " at " + address},
                              {"reason", reason},
                              {"cause", cause}});
}

}  // namespace

Greeting makeGreeting(const TcpOptions& options, int to) {
    Greeting greeting{kMagic,
                      options.epoch,
                      static_cast<std::uint32_t>(options.rank),
                      static_cast<std::uint32_t>(to),
                      static_cast<std::uint32_t>(options.size),
                      Verdict::Fine,
                      runTag(options.run),
                      {}};
    // 32 hex digits of the system's random source would be enough; their digest fills all bytes.
    greeting.nonce = sha256(asBytes(randomHex(32)));
    return greeting;
}

bool looksLikeGreeting(const Greeting& greeting, std::size_t count) {
    return std::memcmp(greeting.magic.data(), kMagic.data(), std::min(count, kMagic.size())) == 0;
}

Verdict judge(const Greeting& greeting, const TcpOptions& options, int expected) {
    if (greeting.run != runTag(options.run)) return Verdict::OtherRun;
    if (greeting.epoch != options.epoch) return Verdict::OtherEpoch;
    if (greeting.size != static_cast<std::uint32_t>(options.size)) return Verdict::OtherSize;
    const auto from = static_cast<std::int64_t>(greeting.from);
    const bool known = expected >= 0 ? from == expected : from > options.rank && from < options.size;
    if (!known || greeting.to != static_cast<std::uint32_t>(options.rank)) return Verdict::OtherRank;
    return Verdict::Fine;
}

Digest connectorProof(const TcpOptions& options, const Greeting& connector, const Greeting& acceptor) {
    return prove(options, "lockstep comm 1 connector", connector, acceptor);
}

Digest acceptorProof(const TcpOptions& options, const Greeting& connector, const Greeting& acceptor, Verdict verdict) {
    std::string label = "lockstep comm 1 acceptor";
    append(label, verdict);
    return prove(options, label, connector, acceptor);
}

Digest refusalProof(const TcpOptions& options, const Greeting& connector, const Greeting& acceptor) {
    std::string message = "lockstep comm 1 refused";
    append(message, connector);
    append(message, acceptor);
    return hmacSha256(asBytes(options.key), asBytes(message));
}

Error verdictError(Verdict verdict, const TcpOptions& options, const Greeting& theirs, int peer, const std::string& address) {
    const auto number = [](auto value) { return std::to_string(value); };
    const std::string mixed = "An earlier run still holds the address, or the ranks were started from different specifications.";
    switch (verdict) {
        case Verdict::OtherRun: return refuse(options, peer, address, "they belong to different runs", mixed);
        case Verdict::OtherEpoch:
            return refuse(options, peer, address, "their epochs are " + number(options.epoch) + " and " + number(theirs.epoch), mixed);
        case Verdict::OtherSize:
            return refuse(options, peer, address, "their groups have " + number(options.size) + " and " + number(theirs.size) + " ranks",
                          mixed);
        case Verdict::OtherRank:
            return refuse(options, peer, address, "it is rank " + number(theirs.from) + " and looks for rank " + number(theirs.to),
                          "The addresses of the ranks are mixed up, or stand in another order.");
        case Verdict::Twice:
            return refuse(options, peer, address, "another process has joined as rank " + number(options.rank),
                          "The rank was started twice.");
        case Verdict::OtherKey:
        case Verdict::Fine: break;
    }
    return refuse(options, peer, address, "their keys differ", "The two were started by different users, or with different key files.");
}

Error strangerError(const TcpOptions& options, int peer, const std::string& address) {
    return refuse(options, peer, address, "it doesn't speak this program's protocol", "Another program listens at that address.");
}

}  // namespace lockstep::comm
