#include <support/test.h>

#include <base/gate.h>

#include <sys/resource.h>
#include <thread>
#include <vector>

using namespace lockstep;

class GateTest : public QObject {
    Q_OBJECT
private slots:
    void passesAtOnce() {
        Gate gate;
        gate.add(3);
        QVERIFY(gate.wait(3, Deadline::in(Seconds(0))));
        QVERIFY(gate.wait(1, Deadline::in(Seconds(0))));
    }
    void givesUp() {
        Gate gate;
        QVERIFY(!gate.wait(1, Deadline::in(Seconds(0.01))));
    }
    void handsOverBothWays() {
        // A ping-pong: every value is seen exactly once and in order by the other side.
        constexpr std::uint32_t kRounds = 20000;
        Gate there, back;
        std::uint32_t shared = 0;
        bool inOrder = true;
        std::thread other([&] {
            for (std::uint32_t i = 1; i <= kRounds; ++i) {
                if (!there.wait(i, Deadline::in(Seconds(30)))) return;
                inOrder = inOrder && shared == i;
                back.add();
            }
        });
        for (std::uint32_t i = 1; i <= kRounds; ++i) {
            shared = i;
            there.add();
            if (!back.wait(i, Deadline::in(Seconds(30)))) break;
        }
        other.join();
        QVERIFY(inOrder);
        QCOMPARE(back.value(), kRounds);
    }
    void wakesWhenTheTargetIsReached() {
        constexpr std::uint32_t kTarget = 300;
        Gate gate, ready;
        bool there = false;
        long sleeps = 0;
        std::thread waiter([&] {
            ready.add();
            there = gate.wait(kTarget, Deadline::in(Seconds(30)));
            rusage usage{};
            ::getrusage(RUSAGE_THREAD, &usage);
            sleeps = usage.ru_nvcsw;
        });
        QVERIFY(ready.wait(1, Deadline::in(Seconds(30))));
        for (std::uint32_t i = 0; i < kTarget; ++i) {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            gate.add();
        }
        waiter.join();
        QVERIFY(there);
        QVERIFY2(sleeps < 30, std::to_string(sleeps).c_str());
    }
    void everyWaiterItsTarget() {
        constexpr std::uint32_t kEach = 200, kWaiters = 4;
        for (std::uint32_t begin : {0U, 0xFFFFFF00U}) {  // the second one wraps
            Gate gate;
            gate.add(begin / 2);
            gate.add(begin - begin / 2);
            std::vector<std::uint32_t> passed(kWaiters);
            std::vector<std::thread> waiters;
            for (std::uint32_t w = 0; w < kWaiters; ++w)
                waiters.emplace_back([&, w] {
                    for (std::uint32_t i = w + 1; i <= kEach * (w + 1); i += w + 1)
                        passed[w] += gate.wait(begin + i, Deadline::in(Seconds(30))) ? 1 : 0;
                });
            for (std::uint32_t i = 0; i < kEach * kWaiters; ++i) {
                gate.add();
                if (i % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
            }
            for (std::thread& waiter : waiters) waiter.join();
            for (const std::uint32_t count : passed) QCOMPARE(count, kEach);
        }
    }
};

LOCKSTEP_TEST(GateTest)
#include "gate_test.moc"
