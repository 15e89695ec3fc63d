// Connects each rank with each other one: a higher rank calls a lower one. One thread, one poll: nobody who is slow or silent holds up
// the others.
#include "handshake.h"
#include "sockets.h"
#include "tcp_group.h"

#include <comm/streams.h>

#include <poll.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

namespace lockstep::comm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kHandshakeLimit = std::chrono::seconds(5);  // for somebody who called
constexpr auto kRefusedFor = std::chrono::seconds(2);      // a refusal may come from an earlier run that is just ending
constexpr auto kProvenFor = std::chrono::seconds(1);       // the same of somebody who called and holds our key
constexpr auto kRetryAfter = std::chrono::milliseconds(20);
constexpr std::size_t kMostCallers = 64;
constexpr std::size_t kShortestKey = 16;
constexpr int kMostRanks = 256;

// A connection on its way. Reads exactly `wanted` bytes at a time, never more.
struct Attempt {
    enum class Stage { Connecting, Greeting, Proof, Welcome, Refusal };
    Fd socket;
    Stage stage = Stage::Greeting;
    bool called = false;  // we called them
    int peer = -1;
    std::string address;
    Greeting mine{};
    Greeting theirs{};
    Digest proof{};
    Welcome welcome{};
    std::size_t have = 0;
    Clock::time_point giveUpAt = Clock::time_point::max();
};

enum class Step { Wait, Drop, Done };

}  // namespace

// Who is connected: each with each, or rank 0 with each other one.
enum class Shape { Mesh, Star };

class TcpJoin {
public:
    TcpJoin(const TcpOptions& options, Shape shape)
        : m_options(options),
          m_shape(shape),
          m_connected(static_cast<std::size_t>(options.size)),
          m_calls(static_cast<std::size_t>(options.size)) {}

    // The sockets by rank; none for this rank and those it has nothing to do with.
    Result<std::vector<Fd>> run(Fd listener) {
        m_listener = std::move(listener);
        for (int peer = 0; peer < m_options.rank; ++peer) {
            if (!wanted(peer)) continue;
            LS_TRY_ASSIGN(const auto endpoint, parseEndpoint(m_options.addresses[static_cast<std::size_t>(peer)]));
            LS_TRY_ASSIGN(call(peer).addresses, resolve(endpoint));
            call(peer).text = endpoint.text();
        }
        while (!missing().empty()) {
            if (m_options.deadline.passed()) return tooLate();
            callWhoIsMissing();
            waitForEvents();
            LS_TRY(advanceAll());
        }
        return std::move(m_connected);
    }

    std::vector<int> missing() const {
        std::vector<int> ranks;
        for (int rank = 0; rank < m_options.size; ++rank)
            if (wanted(rank) && !m_connected[static_cast<std::size_t>(rank)].valid()) ranks.push_back(rank);
        return ranks;
    }

    Error tooLate() const {
        for (const int rank : missing())
            if (const auto& finding = m_calls[static_cast<std::size_t>(rank)].finding) return *finding;
        return missingError(missing(), otherRanks(missing(), m_options.size), Clock::now() - m_start);
    }

private:
    // What is known about a rank: where to call it, and what went wrong with it last.
    struct Call {
        std::vector<SocketAddress> addresses;
        std::string text;
        std::size_t next = 0;
        bool underWay = false;
        Clock::time_point notBefore{};
        std::optional<Error> finding;
        std::optional<Clock::time_point> refusedSince;  // by us or by them, when we called
        std::optional<Clock::time_point> provenSince;   // somebody with our key calls as this rank and belongs elsewhere
        bool hopeless = false;
    };

    bool wanted(int peer) const { return peer != m_options.rank && (m_shape == Shape::Mesh || peer == 0 || m_options.rank == 0); }
    Call& call(int rank) { return m_calls[static_cast<std::size_t>(rank)]; }
    Fd& connected(int rank) { return m_connected[static_cast<std::size_t>(rank)]; }

    void callWhoIsMissing() {
        for (int peer = 0; peer < m_options.rank; ++peer) {
            auto& target = call(peer);
            if (!wanted(peer) || connected(peer).valid() || target.underWay || Clock::now() < target.notBefore) continue;
            const auto& address = target.addresses[target.next++ % target.addresses.size()];
            Attempt attempt;
            attempt.socket = Fd(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
            attempt.called = true;
            attempt.peer = peer;
            attempt.address = target.text;
            attempt.stage = Attempt::Stage::Connecting;
            target.notBefore = Clock::now() + kRetryAfter;
            if (!attempt.socket.valid()) continue;
            if (::connect(attempt.socket.get(), address.get(), address.length) != 0 && errno != EINPROGRESS) continue;
            target.underWay = true;
            m_attempts.push_back(std::move(attempt));
        }
    }

    void waitForEvents() const {
        std::vector<pollfd> sockets = {{m_listener.get(), POLLIN, 0}};
        for (const auto& attempt : m_attempts)
            sockets.push_back(
                {attempt.socket.get(), static_cast<short>(attempt.stage == Attempt::Stage::Connecting ? POLLOUT : POLLIN), 0});
        const int limit = m_options.deadline.pollTimeout();
        ::poll(sockets.data(), sockets.size(), limit < 0 ? 20 : std::min(limit, 20));
    }

    void acceptCallers() {
        while (true) {
            Attempt attempt;
            attempt.socket = Fd(::accept4(m_listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
            if (!attempt.socket.valid()) return;
            attempt.address = peerText(attempt.socket.get());
            attempt.giveUpAt = Clock::now() + kHandshakeLimit;
            const auto callers = std::ranges::count(m_attempts, false, &Attempt::called);
            if (static_cast<std::size_t>(callers) >= kMostCallers) m_attempts.erase(std::ranges::find(m_attempts, false, &Attempt::called));
            m_attempts.push_back(std::move(attempt));
        }
    }

    Result<void> advanceAll() {
        acceptCallers();
        for (auto& attempt : m_attempts) {
            auto step = advance(attempt);
            if (step == Step::Wait && Clock::now() >= attempt.giveUpAt) step = Step::Drop;
            if (step == Step::Wait) continue;
            if (attempt.called) call(attempt.peer).underWay = false;
            if (step == Step::Done) {
                tune(attempt.socket.get());
                connected(attempt.peer) = std::move(attempt.socket);
            } else {
                attempt.socket.reset();
            }
        }
        std::erase_if(m_attempts, [](const Attempt& attempt) { return !attempt.socket.valid(); });
        for (const int rank : missing()) {
            const auto& target = call(rank);
            const bool refusedLong = target.refusedSince.has_value() && Clock::now() - *target.refusedSince > kRefusedFor;
            if (target.hopeless || refusedLong) return *target.finding;
        }
        return {};
    }

    // Handles all that has arrived for this attempt.
    Step advance(Attempt& attempt) {
        while (true) {
            Step step = Step::Wait;
            switch (attempt.stage) {
                case Attempt::Stage::Connecting:
                    step = finishConnect(attempt);
                    if (attempt.stage == Attempt::Stage::Connecting) return step;
                    continue;
                case Attempt::Stage::Greeting: step = read(attempt, &attempt.theirs, sizeof attempt.theirs); break;
                case Attempt::Stage::Refusal:
                case Attempt::Stage::Proof: step = read(attempt, &attempt.proof, sizeof attempt.proof); break;
                case Attempt::Stage::Welcome: step = read(attempt, &attempt.welcome, sizeof attempt.welcome); break;
            }
            if (attempt.stage == Attempt::Stage::Greeting && !looksLikeGreeting(attempt.theirs, attempt.have)) return stranger(attempt);
            if (step != Step::Done) return step;
            attempt.have = 0;
            step = attempt.called ? answerAsConnector(attempt) : answerAsAcceptor(attempt);
            if (step != Step::Wait) return step;
        }
    }

    Step finishConnect(Attempt& attempt) {
        pollfd writable{attempt.socket.get(), POLLOUT, 0};
        if (::poll(&writable, 1, 0) == 0) return Step::Wait;
        if (socketError(attempt.socket.get()) != 0) return Step::Drop;
        attempt.mine = makeGreeting(m_options, attempt.peer);
        if (!write(attempt, attempt.mine)) return Step::Drop;
        attempt.stage = Attempt::Stage::Greeting;
        return Step::Wait;
    }

    static Step read(Attempt& attempt, void* into, std::size_t wanted) {
        const auto got = ::recv(attempt.socket.get(), static_cast<char*>(into) + attempt.have, wanted - attempt.have, MSG_DONTWAIT);
        if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? Step::Wait : Step::Drop;
        if (got == 0) return Step::Drop;
        attempt.have += static_cast<std::size_t>(got);
        return attempt.have == wanted ? Step::Done : Step::Wait;
    }

    // Messages are far smaller than an empty socket's buffer.
    template <class T>
    static bool write(const Attempt& attempt, const T& message) {
        return ::send(attempt.socket.get(), &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(sizeof message);
    }

    Step refused(const Attempt& attempt, int peer, Error why) {
        if (peer < 0 || peer >= m_options.size || peer == m_options.rank) return Step::Drop;
        auto& target = call(peer);
        target.finding = std::move(why);
        if (attempt.called && !target.refusedSince.has_value()) target.refusedSince = Clock::now();
        if (attempt.called) target.notBefore = Clock::now() + 10 * kRetryAfter;
        return Step::Drop;
    }

    Step stranger(const Attempt& attempt) {
        return attempt.called ? refused(attempt, attempt.peer, strangerError(m_options, attempt.peer, attempt.address)) : Step::Drop;
    }

    Step refused(const Attempt& attempt, int peer, Verdict verdict) {
        return refused(attempt, peer, verdictError(verdict, m_options, attempt.theirs, peer, attempt.address));
    }

    Step answerAsConnector(Attempt& attempt) {
        if (attempt.stage == Attempt::Stage::Greeting) {
            const auto mine = judge(attempt.theirs, m_options, attempt.peer);
            if (attempt.theirs.verdict != Verdict::Fine) write(attempt, refusalProof(m_options, attempt.mine, attempt.theirs));
            if (mine != Verdict::Fine) return refused(attempt, attempt.peer, mine);
            if (attempt.theirs.verdict != Verdict::Fine) return refused(attempt, attempt.peer, attempt.theirs.verdict);
            attempt.stage = Attempt::Stage::Welcome;
            return write(attempt, connectorProof(m_options, attempt.mine, attempt.theirs)) ? Step::Wait : Step::Drop;
        }
        const auto expected = acceptorProof(m_options, attempt.mine, attempt.theirs, attempt.welcome.verdict);
        if (!equalDigests(expected, attempt.welcome.proof)) return refused(attempt, attempt.peer, Verdict::OtherKey);
        if (attempt.welcome.verdict != Verdict::Fine) return refused(attempt, attempt.peer, attempt.welcome.verdict);
        return Step::Done;
    }

    Step answerAsAcceptor(Attempt& attempt) {
        if (attempt.stage == Attempt::Stage::Greeting) {
            const auto verdict = judge(attempt.theirs, m_options, -1);
            attempt.mine = makeGreeting(m_options, static_cast<int>(attempt.theirs.from));
            attempt.mine.verdict = verdict;
            if (!write(attempt, attempt.mine)) return Step::Drop;
            attempt.stage = verdict == Verdict::Fine ? Attempt::Stage::Proof : Attempt::Stage::Refusal;
            if (verdict != Verdict::Fine) refused(attempt, claimed(attempt), verdict);
            return Step::Wait;
        }
        if (attempt.stage == Attempt::Stage::Refusal) return hearRefused(attempt);
        attempt.peer = static_cast<int>(attempt.theirs.from);
        if (!equalDigests(connectorProof(m_options, attempt.theirs, attempt.mine), attempt.proof)) {
            write(attempt, Welcome{Verdict::OtherKey, {}});
            return refused(attempt, attempt.peer, Verdict::OtherKey);
        }
        const auto verdict = connected(attempt.peer).valid() && !closed(connected(attempt.peer)) ? Verdict::Twice : Verdict::Fine;
        const Welcome welcome{verdict, acceptorProof(m_options, attempt.theirs, attempt.mine, verdict)};
        if (!write(attempt, welcome) || verdict != Verdict::Fine) return Step::Drop;
        return Step::Done;
    }

    // A caller that can't join and proves that it holds our key is no stranger: when it keeps calling, its place will not be filled.
    Step hearRefused(const Attempt& attempt) {
        const int peer = claimed(attempt);
        if (peer < 0 || !equalDigests(refusalProof(m_options, attempt.theirs, attempt.mine), attempt.proof)) return Step::Drop;
        auto& target = call(peer);
        if (!target.provenSince.has_value()) target.provenSince = Clock::now();
        if (!target.finding.has_value()) refused(attempt, peer, attempt.mine.verdict);
        target.hopeless = target.finding.has_value() && Clock::now() - *target.provenSince > kProvenFor;
        return Step::Drop;
    }

    int claimed(const Attempt& attempt) const {
        const auto from = attempt.theirs.from;
        return from < static_cast<std::uint32_t>(m_options.size) ? static_cast<int>(from) : -1;
    }

    static bool closed(const Fd& socket) {
        char byte = 0;
        const auto got = ::recv(socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
    }

    const TcpOptions& m_options;
    const Shape m_shape;
    Fd m_listener;
    std::vector<Fd> m_connected;
    std::vector<Call> m_calls;
    std::vector<Attempt> m_attempts;
    Clock::time_point m_start = Clock::now();
};

namespace {

Result<void> check(const TcpOptions& options) {
    const auto refuse = [](const std::string& what) { return makeError("X001", {{"what", "joining a group: " + what}}); };
    if (options.size < 1 || options.size > kMostRanks) return refuse("TCP serves 1 to " + std::to_string(kMostRanks) + " ranks");
    if (options.rank < 0 || options.rank >= options.size) return refuse("no rank " + std::to_string(options.rank));
    if (options.addresses.size() != static_cast<std::size_t>(options.size)) return refuse("one address per rank is needed");
    if (options.key.size() < kShortestKey) return refuse("the key is too short");
    return {};
}

// The listening socket of the options, or one at the address of this rank.
Result<Fd> listenerOf(const TcpOptions& options, Fd given) {
    if (given.valid() || options.size == 1) return given;
    LS_TRY_ASSIGN(const auto endpoint, parseEndpoint(options.addresses[static_cast<std::size_t>(options.rank)]));
    LS_TRY_ASSIGN(auto bound, listenAt(endpoint));
    return std::move(bound.socket);
}

}  // namespace

Result<std::vector<Fd>> joinStreams(const TcpOptions& options) {
    Fd given(options.listenFd);
    LS_TRY(check(options));
    if (options.rank != 0) return TcpJoin(options, Shape::Star).run(Fd());
    LS_TRY_ASSIGN(auto listener, listenerOf(options, std::move(given)));
    return TcpJoin(options, Shape::Star).run(std::move(listener));
}

Result<std::unique_ptr<Group>> joinTcp(const TcpOptions& options) {
    Fd given(options.listenFd);
    const auto start = Clock::now();
    LS_TRY(check(options));
    LS_TRY_ASSIGN(auto listener, listenerOf(options, std::move(given)));
    LS_TRY_ASSIGN(auto sockets, TcpJoin(options, Shape::Mesh).run(std::move(listener)));
    std::vector<std::unique_ptr<TcpPeer>> peers;
    for (int rank = 0; rank < options.size; ++rank) {
        auto& socket = sockets[static_cast<std::size_t>(rank)];
        peers.push_back(rank == options.rank ? nullptr : std::make_unique<TcpPeer>(rank, std::move(socket)));
    }
    auto group = std::make_unique<TcpGroup>(options.rank, options.epoch, std::move(peers), options.longestSpin);
    // Every rank returns with a group, or none: the others may still be connecting.
    const auto all = group->barrier(options.deadline);
    if (all.ok()) return std::unique_ptr<Group>(std::move(group));
    if (all.error().code != "R505") return all.error();
    return missingError(group->info().late, otherRanks(group->info().late, options.size), Clock::now() - start);
}

}  // namespace lockstep::comm
