#include <support/test.h>

#include <control/rank_channel.h>

#include <sys/socket.h>
#include <unistd.h>
#include <thread>

using namespace lockstep;
using namespace lockstep::control;

namespace {

struct Ends {
    Fd agent;
    Fd rank;
};

Ends makeEnds() {
    int fds[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) qFatal("no socketpair");
    return {Fd(fds[0]), Fd(fds[1])};
}

// The agent's side: reads frames until the wanted message comes, at most five seconds.
class AgentSide {
public:
    explicit AgentSide(Fd fd) : m_fd(std::move(fd)) {}
    void send(const wire::ToRank& message) { QVERIFY(wire::writeFrame(m_fd.get(), wire::toFrame(message), Deadline::in(Seconds(1))).ok()); }
    template <class Message>
    std::optional<Message> await(const std::function<bool(const Message&)>& wanted = [](const Message&) { return true; }) {
        const auto end = Deadline::in(Seconds(5));
        while (!end.passed()) {
            auto frame = m_parser.next();
            if (!frame.ok()) return std::nullopt;
            if (!*frame) {
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
                if (!wire::readAvailable(m_fd.get(), m_parser).ok()) return std::nullopt;
                continue;
            }
            auto message = wire::parseFromRank(**frame);
            if (!message.ok()) return std::nullopt;
            if (auto* found = std::get_if<Message>(&*message); found != nullptr && wanted(*found)) return *found;
        }
        return std::nullopt;
    }
    void close() { m_fd.reset(); }

private:
    Fd m_fd;
    wire::FrameParser m_parser;
};

wire::RankAssignment makeAssignment(double lease) {
    wire::RankAssignment assignment;
    assignment.run = "20260301-120000-abcd";
    assignment.leaseSeconds = lease;
    return assignment;
}

bool soon(const std::function<bool()>& done) {
    const auto end = Deadline::in(Seconds(5));
    while (!done() && !end.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return done();
}

}  // namespace

class RankChannelTest : public QObject {
    Q_OBJECT
private slots:
    void ordersAndWords() {
        auto [agentFd, rankFd] = makeEnds();
        AgentSide agent(std::move(agentFd));
        agent.send(makeAssignment(30));
        auto opened = RankChannel::open(std::move(rankFd), Deadline::in(Seconds(5)));
        VERIFY_OK(opened);
        auto& channel = **opened;
        QCOMPARE(channel.assignment().run, std::string("20260301-120000-abcd"));
        QCOMPARE(agent.await<wire::RankHello>()->pid, static_cast<std::int64_t>(::getpid()));
        std::atomic<int> aborts{0};
        std::string why;
        channel.start(
            [&](const Error& error) {
                why = error.code;
                ++aborts;
            },
            [] { return std::vector<int>{3}; });
        channel.expect(70);
        channel.phase("compile");
        QCOMPARE(agent.await<wire::RankPhase>()->name, std::string("compile"));
        channel.progress(7);
        const auto progress = agent.await<wire::RankProgress>([](const auto& p) { return p.step == 7; });
        QVERIFY(progress.has_value());
        QCOMPARE(progress->steps, std::uint64_t{70});
        QCOMPARE(progress->late, std::vector<int>{3});
        // The step is the one at which the phase begins, however late it is read.
        channel.progress(8);
        channel.phase("evaluation");
        channel.progress(9);
        QCOMPARE(agent.await<wire::RankPhase>()->step, std::uint64_t{8});
        agent.send(wire::RankCommand{wire::RankOrder::Checkpoint, {}});
        QVERIFY(soon([&] { return channel.checkpointFlag().load(); }));
        QVERIFY(!channel.stopFlag());
        agent.send(wire::RankCommand{wire::RankOrder::Abort, makeError("R507", {{"why", "test"}})});
        QVERIFY(soon([&] { return aborts == 1; }));
        QCOMPARE(why, std::string("R507"));
        QVERIFY(channel.stopFlag());
        wire::RankDone done;
        done.steps = 9;
        channel.done(done);
        QCOMPARE(agent.await<wire::RankDone>()->steps, std::uint64_t{9});
    }
    void leaseEndsWithoutAgent() {
        auto [agentFd, rankFd] = makeEnds();
        AgentSide agent(std::move(agentFd));
        agent.send(makeAssignment(0.3));
        auto channel = RankChannel::open(std::move(rankFd), Deadline::in(Seconds(5)));
        VERIFY_OK(channel);
        (*channel)->start([](const Error&) {}, [] { return std::vector<int>(); });
        agent.close();
        QVERIFY(soon([&] { return (*channel)->leaseLost(); }));
        QVERIFY((*channel)->stopFlag());
        (*channel)->phase("into the void");  // must not hang or end the process
    }
    void goneOrSilentAgent() {
        auto gone = makeEnds();
        gone.agent.reset();
        VERIFY_ERROR(RankChannel::open(std::move(gone.rank), Deadline::in(Seconds(1))), "N411");
        auto silent = makeEnds();
        VERIFY_ERROR(RankChannel::open(std::move(silent.rank), Deadline::in(Seconds(0.05))), "N411");
        auto babbler = makeEnds();
        QVERIFY(::write(babbler.agent.get(), "GET / HTTP/1.1\r\n", 16) == 16);
        VERIFY_ERROR(RankChannel::open(std::move(babbler.rank), Deadline::in(Seconds(1))), "N411");
    }
};

LOCKSTEP_TEST(RankChannelTest)
#include "rank_channel_test.moc"
