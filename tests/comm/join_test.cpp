// Joining: order, missing ranks, leftovers, strangers, impostors.
#include "ranks.h"

#include <support/test.h>

#include <base/ids.h>
#include <comm/endpoint.h>
#include <comm/streams.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstring>
#include <fstream>
#include <thread>

using namespace lockstep;
using namespace std::chrono_literals;

namespace {

comm::SharedMemoryOptions sharedOptions(const std::string& name, int rank, int size, Seconds patience = Seconds(20)) {
    comm::SharedMemoryOptions options;
    options.name = name;
    options.rank = rank;
    options.size = size;
    options.epoch = 1;
    options.capacity = 64 << 10;
    options.deadline = Deadline::in(patience);
    return options;
}

Fd dial(const std::string& address) {
    const auto endpoint = comm::parseEndpoint(address).value();
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(endpoint.port));
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) return {};
    return socket;
}

void sendBytes(const Fd& socket, const std::string& bytes) { ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL); }

// Everything up to `count` bytes, or to the end of the stream.
std::string receiveBytes(const Fd& socket, std::size_t count) {
    std::string bytes(count, '\0');
    const auto got = ::recv(socket.get(), bytes.data(), count, MSG_WAITALL);
    bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return bytes;
}

constexpr std::size_t kGreetingBytes = 80;
constexpr std::size_t kProofBytes = 32;
constexpr std::size_t kWelcomeBytes = 36;

std::string message(const Result<std::unique_ptr<comm::Group>>& result) { return result.ok() ? "joined" : result.error().toText(); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

class JoinTest : public QObject {
    Q_OBJECT
private slots:
    void sharedMemoryInAnyOrder() {
        const auto name = test::freshSegmentName();
        std::vector<std::unique_ptr<comm::Group>> groups(4);
        test::onEachRank(4, [&](int rank) {
            std::this_thread::sleep_for(std::chrono::milliseconds((3 - rank) * 15));
            auto group = comm::joinSharedMemory(sharedOptions(name, rank, 4));
            if (group.ok()) groups[rank] = std::move(*group);
        });
        for (const auto& group : groups) QVERIFY(group != nullptr);
        QVERIFY(!test::segmentExists(name));
    }

    void missingRanksAreNamed() {
        const auto name = test::freshSegmentName();
        std::vector<std::string> texts(2);
        test::onEachRank(2, [&](int rank) { texts[rank] = message(comm::joinSharedMemory(sharedOptions(name, rank, 4, 200ms))); });
        for (const auto& text : texts) {
            QVERIFY2(contains(text, "R501: Rank 2, 3 didn't join within"), text.c_str());
            QVERIFY2(contains(text, "rank 0, rank 1 did"), text.c_str());
        }
        QVERIFY(!test::segmentExists(name));

        auto options = test::tcpOptions(4);
        ::close(options[3].listenFd);
        ::close(options[2].listenFd);
        options.resize(2);
        for (auto& one : options) one.deadline = Deadline::in(200ms);
        for (const auto& result : test::joinAll(options)) {
            QVERIFY2(contains(message(result), "R501: Rank 2, 3 didn't join within"), message(result).c_str());
            QVERIFY2(contains(message(result), "rank 0, rank 1 did"), message(result).c_str());
        }
    }

    void leftoverSegmentIsReplaced() {
        const auto name = test::freshSegmentName();
        // A process that is killed while it waits for the other rank leaves its segment behind.
        const pid_t child = fork();
        if (child == 0) {
            [[maybe_unused]] const auto never = comm::joinSharedMemory(sharedOptions(name, 0, 2, 60s));
            _exit(0);
        }
        const auto patience = Deadline::in(10s);
        while (!test::segmentExists(name) && !patience.passed()) std::this_thread::sleep_for(1ms);
        std::this_thread::sleep_for(20ms);
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        QVERIFY(test::segmentExists(name));
        std::vector<std::string> texts(2);
        test::onEachRank(2, [&](int rank) { texts[rank] = message(comm::joinSharedMemory(sharedOptions(name, rank, 2))); });
        for (const auto& text : texts) QCOMPARE(text, std::string("joined"));
        QVERIFY(!test::segmentExists(name));
        // Garbage of nobody is replaced as well.
        std::ofstream("/dev/shm" + name) << "not a segment";
        ::chmod(("/dev/shm" + name).c_str(), 0600);
        test::onEachRank(2, [&](int rank) { texts[rank] = message(comm::joinSharedMemory(sharedOptions(name, rank, 2))); });
        for (const auto& text : texts) QCOMPARE(text, std::string("joined"));
    }

    void processKilledWhileJoiningIsNamed() {
        const auto name = test::freshSegmentName();
        const pid_t child = fork();
        if (child == 0) {
            [[maybe_unused]] const auto never = comm::joinSharedMemory(sharedOptions(name, 1, 3, 60s));
            _exit(0);
        }
        const auto patience = Deadline::in(10s);
        while (!test::segmentExists(name) && !patience.passed()) std::this_thread::sleep_for(1ms);
        std::this_thread::sleep_for(20ms);
        std::string text;
        std::jthread other([&] { text = message(comm::joinSharedMemory(sharedOptions(name, 0, 3))); });
        std::this_thread::sleep_for(50ms);
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        other.join();
        QVERIFY2(contains(text, "R506: Rank 1 is gone"), text.c_str());
        QVERIFY(!test::segmentExists(name));
    }

    void segmentsOfOthersAreRefused() {
        const auto name = test::freshSegmentName();
        std::jthread first([&] { [[maybe_unused]] const auto gone = comm::joinSharedMemory(sharedOptions(name, 0, 2, 600ms)); });
        while (!test::segmentExists(name)) std::this_thread::sleep_for(1ms);
        std::this_thread::sleep_for(50ms);
        auto options = sharedOptions(name, 1, 2);
        options.epoch = 2;
        QVERIFY(contains(message(comm::joinSharedMemory(options)), "R509"));
        options = sharedOptions(name, 1, 3);
        QVERIFY(contains(message(comm::joinSharedMemory(options)), "the number of ranks is 2"));
        options = sharedOptions(name, 0, 2);
        QVERIFY(contains(message(comm::joinSharedMemory(options)), "rank 0 has joined already"));
        first.join();
        std::ofstream("/dev/shm" + name) << "readable by all";
        ::chmod(("/dev/shm" + name).c_str(), 0644);
        QVERIFY(contains(message(comm::joinSharedMemory(sharedOptions(name, 0, 2))), "others may open it"));
        ::unlink(("/dev/shm" + name).c_str());
        for (const auto* wrong : {"", "noslash", "/", "/a/b", "/../etc"})
            QVERIFY(contains(message(comm::joinSharedMemory(sharedOptions(wrong, 0, 2))), "R509"));
    }

    void tcpInAnyOrderAndAddressForm() {
        auto options = test::tcpOptions(3);
        // Rank 1 binds its own address, an IPv6 one, late.
        ::close(options[1].listenFd);
        options[1].listenFd = -1;
        const auto six = comm::listenAt({"::1", 0});
        if (!six.ok()) QSKIP("no IPv6 here");
        const auto address = "[::1]:" + std::to_string(six->port);
        const_cast<Fd&>(six->socket).reset();
        for (auto& one : options) one.addresses[1] = address;
        std::vector<std::string> texts(3);
        test::onEachRank(3, [&](int rank) {
            std::this_thread::sleep_for(std::chrono::milliseconds(rank == 1 ? 100 : 0));
            texts[rank] = message(comm::joinTcp(options[rank]));
        });
        for (const auto& text : texts) QCOMPARE(text, std::string("joined"));
    }

    void differencesAreNamed_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("expected");
        QTest::newRow("key") << "key"
                             << "their keys differ";
        QTest::newRow("run") << "run"
                             << "they belong to different runs";
        QTest::newRow("epoch") << "epoch"
                               << "their epochs are";
        QTest::newRow("size") << "size"
                              << "their groups have";
        QTest::newRow("addresses") << "addresses"
                                   << "and looks for rank";
    }
    void differencesAreNamed() {
        QFETCH(QString, what);
        QFETCH(QString, expected);
        auto options = test::tcpOptions(what == "addresses" ? 3 : 2);
        auto& other = options.back();
        if (what == "key") other.key = "another key of sufficient length";
        if (what == "run") other.run = "20260301-120000-ffff";
        if (what == "epoch") other.epoch = 7;
        if (what == "size") {
            other.size = 3;
            other.addresses.push_back(other.addresses[0]);
        }
        if (what == "addresses") std::swap(other.addresses[0], other.addresses[1]);
        for (auto& one : options) one.deadline = Deadline::in(400ms);
        const auto results = test::joinAll(options);
        for (const std::size_t index : {std::size_t{0}, options.size() - 1}) {
            const auto text = message(results[index]);
            QVERIFY2(contains(text, "N404: Rank " + std::to_string(index) + " and rank "), text.c_str());
            QVERIFY2(contains(text, expected.toStdString()), text.c_str());
            QVERIFY(!contains(text, options[0].key) && !contains(text, other.key));
        }
    }

    void anotherProgramAtTheAddress() {
        auto options = test::tcpOptions(2);
        const Fd listener(options[0].listenFd);
        std::jthread server([&] {
            ::fcntl(listener.get(), F_SETFL, 0);
            const Fd caller(::accept(listener.get(), nullptr, nullptr));
            sendBytes(caller, "SSH-2.0-OpenSSH_9.2p1\r\n");
            receiveBytes(caller, 1000);
        });
        options[1].deadline = Deadline::in(500ms);
        const auto text = message(comm::joinTcp(options[1]));
        QVERIFY2(contains(text, "N404: Rank 1 and rank 0 at 127.0.0.1:"), text.c_str());
        QVERIFY2(contains(text, "doesn't speak"), text.c_str());
    }

    // Strangers of every kind are there before the ranks, and stay.
    void strangersDontDisturb() {
        auto options = test::tcpOptions(2);
        std::vector<Fd> strangers;
        std::string random;
        for (int i = 0; i < 100; ++i) random += randomHex(32);
        for (int i = 0; i < 70; ++i) strangers.push_back(dial(options[0].addresses[0]));  // silent, more than are kept
        for (const auto& bytes : {std::string("GET / HTTP/1.1\r\n\r\n"), std::string("LSCOMM1\n"), std::string("LSCOMM1\n") + random,
                                  std::string(kGreetingBytes, '\xff'), random}) {
            strangers.push_back(dial(options[0].addresses[0]));
            sendBytes(strangers.back(), bytes);
        }
        for (const auto& result : test::joinAll(options)) QCOMPARE(message(result), std::string("joined"));
    }

    // A relay records a whole handshake of rank 1; playing it again proves nothing.
    void replayedHandshakeIsRefused() {
        auto options = test::tcpOptions(3);
        const auto target = options[0].addresses[0];
        auto relay = comm::listenAt({"127.0.0.1", 0});
        VERIFY_OK(relay);
        ::fcntl(relay->socket.get(), F_SETFL, 0);
        options[1].addresses[0] = "127.0.0.1:" + std::to_string(relay->port);
        std::string text;
        std::jthread rankZero([&] {
            options[0].deadline = Deadline::in(1s);
            text = message(comm::joinTcp(options[0]));
        });
        std::jthread rankOne([&] {
            options[1].deadline = Deadline::in(1s);
            [[maybe_unused]] const auto result = comm::joinTcp(options[1]);
        });
        const Fd caller(::accept(relay->socket.get(), nullptr, nullptr));
        const auto real = dial(target);
        const auto greeting = receiveBytes(caller, kGreetingBytes);
        sendBytes(real, greeting);
        sendBytes(caller, receiveBytes(real, kGreetingBytes));
        const auto proof = receiveBytes(caller, kProofBytes);
        QCOMPARE(proof.size(), kProofBytes);
        // The real connection is dropped before it counts; the recorded bytes are sent in a new one.
        const auto again = dial(target);
        sendBytes(again, greeting);
        QCOMPARE(receiveBytes(again, kGreetingBytes).size(), kGreetingBytes);
        sendBytes(again, proof);
        const auto welcome = receiveBytes(again, kWelcomeBytes);
        QCOMPARE(welcome.size(), kWelcomeBytes);
        QCOMPARE(welcome[0], '\x05');  // another key
        QCOMPARE(receiveBytes(again, 1).size(), std::size_t{0});
        rankZero.join();
        QVERIFY2(!contains(text, "joined"), text.c_str());
        ::close(options[2].listenFd);
    }

    // A rank of another specification proves the key: who waits for it hears at once that it will not come.
    void aRefusedRankIsHeardByWhoWaits() {
        auto options = test::tcpOptions(2);
        options[1].run = "20260301-120000-ffff";
        for (auto& one : options) one.deadline = Deadline::in(60s);
        const auto results = test::joinAll(options);
        for (const auto& result : results) QVERIFY2(contains(message(result), "they belong to different runs"), message(result).c_str());
        QVERIFY(!options[0].deadline.passed());
    }
    // One that can't prove the key is a stranger, however often it calls.
    void aStrangerIsNotTheRefusedRank() {
        auto options = test::tcpOptions(2);
        auto& other = options[1];
        other.run = "20260301-120000-ffff";
        other.key = "another key of sufficient length";
        options[0].deadline = Deadline::in(4s);
        const auto results = test::joinAll(options);
        QVERIFY(options[0].deadline.passed());
        QVERIFY2(contains(message(results[1]), "N404"), message(results[1]).c_str());
    }

    void streamsLeadFromRankZeroToEachOther() {
        auto options = test::tcpOptions(3);
        for (auto& one : options) one.deadline = Deadline::in(20s);
        for (const int rank : {1, 2}) {
            ::close(options[rank].listenFd);
            options[rank].listenFd = -1;
        }
        std::vector<std::vector<Fd>> streams(3);
        test::onEachRank(3, [&](int rank) {
            auto joined = comm::joinStreams(options[rank]);
            if (joined.ok()) streams[rank] = std::move(*joined);
        });
        for (const auto& of : streams) QCOMPARE(of.size(), std::size_t{3});
        QVERIFY(!streams[1][2].valid() && !streams[2][1].valid() && !streams[0][0].valid());
        for (const int rank : {1, 2}) {
            sendBytes(streams[rank][0], std::to_string(rank));
            ::fcntl(streams[0][rank].get(), F_SETFL, 0);
            QCOMPARE(receiveBytes(streams[0][rank], 1), std::to_string(rank));
        }
    }

    void secondClaimantOfARankIsRefused() {
        auto options = test::tcpOptions(3);
        ::close(options[2].listenFd);
        auto twin = options[1];
        twin.listenFd = comm::listenAt({"127.0.0.1", 0})->socket.release();
        options.resize(2);
        options.push_back(twin);
        for (auto& one : options) one.deadline = Deadline::in(600ms);
        const auto results = test::joinAll(options);
        int twice = 0;
        for (const auto& result : results) twice += contains(message(result), "another process has joined as rank 1");
        QCOMPARE(twice, 1);
        QVERIFY2(contains(message(results[0]), "R501: Rank 2 didn't join"), message(results[0]).c_str());
    }
};

LOCKSTEP_TEST(JoinTest)
#include "join_test.moc"
