#include <support/test.h>

#include <base/gate.h>

#include <thread>

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
};

LOCKSTEP_TEST(GateTest)
#include "gate_test.moc"
