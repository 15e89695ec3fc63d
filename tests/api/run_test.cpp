#include <support/test.h>

#include <api/checks.h>
#include <api/run.h>

using namespace lockstep;
using namespace lockstep::api;

class RunTest : public QObject {
    Q_OBJECT
private slots:
    void statesHaveNamesBothWays() {
        for (int i = 0; i <= static_cast<int>(RunState::Lost); ++i) {
            const auto state = static_cast<RunState>(i);
            const auto back = findRunState(nameOf(state));
            QVERIFY(back.has_value());
            QCOMPARE(*back, state);
        }
        QVERIFY(!findRunState("asleep").has_value());
        QVERIFY(!findRunState("").has_value());
    }
    void finalAndIdle() {
        for (const auto state : {RunState::Completed, RunState::Stopped, RunState::Failed}) QVERIFY(isFinal(state) && isIdle(state));
        QVERIFY(!isFinal(RunState::Lost) && isIdle(RunState::Lost));
        for (const auto state : {RunState::Draft, RunState::Spawning, RunState::Running, RunState::Checkpointing}) QVERIFY(!isIdle(state));
    }
    void wordsOfJson() {
        QCOMPARE(nameOfVerdict(Verdict::Warning), std::string_view("warn"));
        QCOMPARE(nameOfStatus(CheckStatus::Skipped), std::string_view("skipped"));
    }
};

LOCKSTEP_TEST(RunTest)
#include "run_test.moc"
