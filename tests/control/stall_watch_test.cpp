#include <support/test.h>

#include "stall_watch.h"

using namespace lockstep;
using namespace lockstep::control;

namespace {

StallWatch::Time at(double seconds) {
    return StallWatch::Time(std::chrono::duration_cast<StallWatch::Time::duration>(Seconds(1000 + seconds)));
}

}  // namespace

class StallWatchTest : public QObject {
    Q_OBJECT
private slots:
    void notHeardYetIsNoStall() {
        const StallWatch watch(at(0));
        QCOMPARE(watch.check(at(1000)), Pulse::Fine);
    }
    void silenceOfTwoSecondsIsNothingOfFiveIsAStall() {
        StallWatch watch(at(0));
        watch.step(1, at(1));
        watch.step(2, at(1.01));
        QCOMPARE(watch.check(at(3)), Pulse::Fine);
        QCOMPARE(watch.check(at(6)), Pulse::Fine);
        QCOMPARE(watch.check(at(6.1)), Pulse::Silent);
        watch.step(3, at(6.2));
        QCOMPARE(watch.check(at(6.2)), Pulse::Fine);
    }
    void stuckButAlive() {
        StallWatch watch(at(0));
        for (int i = 0; i <= 60; ++i) watch.step(5, at(1 + i * 0.1));
        QCOMPARE(watch.check(at(7)), Pulse::Stuck);
        QVERIFY(std::abs(watch.still(at(7)).count() - 6) < 1e-9);
    }
    void slowStepsGetTwentyMedians() {
        StallWatch watch(at(0));
        double t = 0;
        for (std::uint64_t step = 1; step <= 10; ++step) watch.step(step, at(t += 2));
        QVERIFY(std::abs(watch.limit().count() - 40) < 1e-6);
        for (double u = 0; u < 39; u += 0.5) watch.heard(at(t + u));
        QCOMPARE(watch.check(at(t + 39)), Pulse::Fine);
        watch.heard(at(t + 40));
        QCOMPARE(watch.check(at(t + 40)), Pulse::Stuck);
    }
    void severalStepsPerMessageCountEach() {
        StallWatch watch(at(0));
        for (std::uint64_t step = 10; step <= 200; step += 10) watch.step(step, at(static_cast<double>(step)));
        QVERIFY(std::abs(watch.limit().count() - 20) < 1e-6);
    }
    void otherPhasesHaveMoreTime() {
        StallWatch watch(at(0));
        watch.step(1, at(1));
        watch.phase("evaluation", at(2));
        watch.heard(at(60));
        QCOMPARE(watch.check(at(61)), Pulse::Fine);
        watch.heard(at(122));
        QCOMPARE(watch.check(at(122.5)), Pulse::Stuck);
        watch.phase("training", at(123));
        QCOMPARE(watch.check(at(124)), Pulse::Fine);
    }
    // Steps are told ten times a second, phases at once: the last step may come behind the phase that follows it.
    void aStepToldLateEndsNoPhase() {
        StallWatch watch(at(0));
        watch.phase("first step", at(0));
        watch.phase("evaluation", at(1));
        watch.step(1, at(1.1));
        watch.heard(at(60));
        QCOMPARE(watch.check(at(61)), Pulse::Fine);
        watch.phase("training", at(61));
        watch.step(2, at(61.1));
        watch.heard(at(66));
        QCOMPARE(watch.check(at(66.2)), Pulse::Stuck);
    }
};

LOCKSTEP_TEST(StallWatchTest)
#include "stall_watch_test.moc"
