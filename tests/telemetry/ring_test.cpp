#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <support/test.h>

#include <base/clock.h>
#include <telemetry/ring.h>

#include <array>
#include <thread>

using namespace lockstep;
using namespace lockstep::telemetry;

namespace {

Sample sampleOf(std::uint64_t number) {
    return {1000.0 + double(number), double(number) * 0.5, number, Series::Loss, static_cast<std::int16_t>(number % 7),
            std::uint32_t(number)};
}

bool isSampleOf(const Sample& sample, std::uint64_t number) {
    const auto wanted = sampleOf(number);
    return std::memcmp(&sample, &wanted, sizeof(Sample)) == 0;
}

void overwrite(int fd, off_t at, std::uint64_t value) { QCOMPARE(::pwrite(fd, &value, sizeof(value), at), ssize_t(sizeof(value))); }

}  // namespace

class RingTest : public QObject {
    Q_OBJECT
private slots:
    void keepsOrderAndBits() {
        auto ring = Ring::create(16);
        VERIFY_OK(ring);
        auto other = Ring::attach(Fd(::dup(ring->fd())));
        VERIFY_OK(other);
        std::uint64_t next = 0;
        std::uint64_t expected = 0;
        for (int round = 0; round < 50; ++round) {
            for (int i = 0; i < 11; ++i) QVERIFY(other->push(sampleOf(next++)));
            for (const auto& sample : ring->drain()) QVERIFY(isSampleOf(sample, expected++));
        }
        QCOMPARE(expected, next);
        QCOMPARE(ring->dropped(), std::uint64_t{0});
        QVERIFY(ring->drain().empty());
    }
    void fullRingDropsAndCounts() {
        auto ring = Ring::create(8);
        VERIFY_OK(ring);
        for (std::uint64_t i = 0; i < 11; ++i) QCOMPARE(ring->push(sampleOf(i)), i < 8);
        QCOMPARE(ring->dropped(), std::uint64_t{3});
        QCOMPARE(ring->drain(3).size(), std::size_t{3});
        for (std::uint64_t i = 8; i < 12; ++i) QCOMPARE(ring->push(sampleOf(i)), i < 11);
        const auto rest = ring->drain();
        QCOMPARE(rest.size(), std::size_t{8});
        QVERIFY(isSampleOf(rest.front(), 3) && isSampleOf(rest.back(), 10));
    }
    void peekedSamplesStayUntilReleased() {
        auto ring = Ring::create(8);
        VERIFY_OK(ring);
        for (std::uint64_t i = 0; i < 5; ++i) QVERIFY(ring->push(sampleOf(i)));
        QCOMPARE(ring->peek(2).size(), std::size_t{2});
        ring->release(2);
        QCOMPARE(ring->taken(), std::uint64_t{2});
        // A new reader (the old agent died) goes on at the same place.
        auto next = Ring::attach(Fd(::dup(ring->fd())));
        VERIFY_OK(next);
        QVERIFY(isSampleOf(next->peek().front(), 2));
        next->release(100);
        QCOMPARE(next->taken(), std::uint64_t{5});
        QCOMPARE(next->pushed(), std::uint64_t{5});
    }
    void foreignFilesAreRefused() {
        VERIFY_ERROR(Ring::attach(Fd()), "F608");
        VERIFY_ERROR(Ring::attach(Fd(::open("/dev/null", O_RDWR))), "F608");
        Fd plain(::memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        VERIFY_ERROR(Ring::attach(Fd(::dup(plain.get()))), "F608");
        QCOMPARE(::ftruncate(plain.get(), 4096 + 32 * 16), 0);
        VERIFY_ERROR(Ring::attach(Fd(::dup(plain.get()))), "F608");  // the other side could still shrink it
        QCOMPARE(::fcntl(plain.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
        VERIFY_ERROR(Ring::attach(Fd(::dup(plain.get()))), "F608");  // zeroes instead of a header
    }
    void overwrittenHeaderIsRefused_data() {
        QTest::addColumn<int>("offset");
        for (const int offset : {0, 8, 16, 64, 128}) QTest::addRow("byte %d", offset) << offset;
    }
    void overwrittenHeaderIsRefused() {
        QFETCH(int, offset);
        auto ring = Ring::create(8);
        VERIFY_OK(ring);
        for (std::uint64_t i = 0; i < 4; ++i) QVERIFY(ring->push(sampleOf(i)));
        VERIFY_OK(ring->verify());
        overwrite(ring->fd(), offset, 0xDEADBEEFDEADBEEFull);
        VERIFY_ERROR(Ring::attach(Fd(::dup(ring->fd()))), "F608");
        VERIFY_ERROR(ring->verify(), "F608");
        QVERIFY(ring->drain().empty());
    }
    void twoThreads() {
        auto ring = Ring::create(64);
        VERIFY_OK(ring);
        constexpr std::uint64_t kCount = 200000;
        std::jthread writer([&] {
            for (std::uint64_t i = 0; i < kCount;)
                if (ring->push(sampleOf(i)))
                    ++i;
                else
                    std::this_thread::yield();
        });
        const auto deadline = Deadline::in(Seconds(30));
        std::uint64_t expected = 0;
        while (expected < kCount && !deadline.passed()) {
            const auto samples = ring->drain();
            if (samples.empty()) std::this_thread::yield();
            for (const auto& sample : samples) QVERIFY(isSampleOf(sample, expected++));
        }
        QCOMPARE(expected, kCount);
    }
    // A writer killed at any instruction leaves whole samples in order, and the ring usable for its successor.
    void killedWriter() {
        for (int round = 0; round < 20; ++round) {
            auto ring = Ring::create(1u << 12);
            VERIFY_OK(ring);
            const pid_t child = ::fork();
            QVERIFY(child >= 0);
            if (child == 0) {
                for (std::uint64_t i = 0;;)
                    if (ring->push(sampleOf(i))) ++i;
            }
            std::uint64_t expected = 0;
            const std::uint64_t until = 5000 + 1237 * static_cast<std::uint64_t>(round);
            const auto deadline = Deadline::in(Seconds(30));
            while (expected < until && !deadline.passed())
                for (const auto& sample : ring->drain(100 + round)) QVERIFY(isSampleOf(sample, expected++));
            QCOMPARE(::kill(child, SIGKILL), 0);
            QCOMPARE(::waitpid(child, nullptr, 0), child);
            auto next = Ring::attach(Fd(::dup(ring->fd())));
            VERIFY_OK(next);
            for (const auto& sample : next->drain()) QVERIFY(isSampleOf(sample, expected++));
            QVERIFY(expected >= until);
            QCOMPARE(next->pushed(), expected);
            QVERIFY(next->push(sampleOf(expected)));
            QVERIFY(isSampleOf(ring->drain().at(0), expected));
        }
    }
};

LOCKSTEP_TEST(RingTest)
#include "ring_test.moc"
