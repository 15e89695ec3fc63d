#include <support/test.h>

#include <base/file.h>
#include <wire/framing.h>

#include <sys/socket.h>
#include <unistd.h>
#include <random>

using namespace lockstep;

namespace {

std::pair<Fd, Fd> makePair() {
    int fds[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) qFatal("no socketpair");
    return {Fd(fds[0]), Fd(fds[1])};
}

}  // namespace

class FramingTest : public QObject {
    Q_OBJECT
private slots:
    void framesInAnyPieces() {
        const std::vector<wire::Frame> frames = {{1, ""}, {2, "x"}, {255, std::string(100000, 'y')}, {7, std::string("\0LS", 3)}};
        std::string stream;
        for (const auto& frame : frames) stream += wire::encodeFrame(frame);
        std::mt19937 random(5);
        for (int round = 0; round < 20; ++round) {
            wire::FrameParser parser;
            std::vector<wire::Frame> got;
            for (std::size_t at = 0; at < stream.size();) {
                const std::size_t size = std::min<std::size_t>(stream.size() - at, 1 + random() % (round < 2 ? 3 : 30000));
                parser.feed(std::string_view(stream).substr(at, size));
                at += size;
                for (;;) {
                    auto next = parser.next();
                    VERIFY_OK(next);
                    if (!*next) break;
                    got.push_back(**next);
                }
            }
            QVERIFY(got == frames);
        }
    }
    void refusals() {
        wire::FrameParser magic;
        magic.feed("GET / HTTP/1.1\r\n");
        VERIFY_ERROR(magic.next(), "N411");
        wire::FrameParser version;
        version.feed(std::string("LS\x09\x01\0\0\0\0", 8));
        const auto refused = version.next();
        VERIFY_ERROR(refused, "N411");
        QVERIFY(refused.error().message.find("version 9") != std::string::npos);
        wire::FrameParser huge;
        huge.feed(std::string("LS\x01\x01\xff\xff\xff\xff", 8));
        VERIFY_ERROR(huge.next(), "N411");
        const auto [a, b] = makePair();
        VERIFY_ERROR(wire::writeFrame(a.get(), {1, std::string(wire::kFrameLimit + 1, 'x')}, Deadline::in(Seconds(1))), "N411");
    }
    void randomBytesNeverCrash() {
        std::mt19937 random(7);
        for (int round = 0; round < 2000; ++round) {
            std::string bytes = wire::encodeFrame({3, "payload"}) + wire::encodeFrame({4, "more"});
            bytes[random() % bytes.size()] = static_cast<char>(random());
            bytes.resize(random() % (bytes.size() + 1));
            wire::FrameParser parser;
            parser.feed(bytes);
            for (int i = 0; i < 4; ++i) {
                auto next = parser.next();
                if (!next.ok() || !*next) break;
                QVERIFY((*next)->payload.size() <= bytes.size());
            }
        }
    }
    void throughASocket() {
        auto [a, b] = makePair();
        VERIFY_OK(wire::writeFrame(a.get(), {9, "hello"}, Deadline::in(Seconds(1))));
        wire::FrameParser parser;
        auto open = wire::readAvailable(b.get(), parser);
        VERIFY_OK(open);
        QVERIFY(*open);
        QCOMPARE((**parser.next()).payload, std::string("hello"));
        a.reset();
        open = wire::readAvailable(b.get(), parser);
        VERIFY_OK(open);
        QVERIFY(!*open);
        VERIFY_ERROR(wire::writeFrame(b.get(), {1, "x"}, Deadline::in(Seconds(1))), "N411");
    }
    void peerThatDoesNotRead() {
        const auto [a, b] = makePair();
        VERIFY_ERROR(wire::writeFrame(a.get(), {1, std::string(4u << 20, 'x')}, Deadline::in(Seconds(0.05))), "N411");
    }
};

LOCKSTEP_TEST(FramingTest)
#include "framing_test.moc"
