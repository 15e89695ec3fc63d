#include <support/test.h>

#include "supervisor.h"

#include <csignal>
#include <map>
#include <random>
#include <set>

using namespace lockstep;
using namespace lockstep::control;
using store::RunState;
using wire::RunEventKind;

namespace {

using Time = Supervisor::Time;

Time at(double seconds) { return Time(std::chrono::duration_cast<Time::duration>(Seconds(1000 + seconds))); }

std::vector<store::RankRow> rows(int count) {
    std::vector<store::RankRow> all;
    for (int i = 0; i < count; ++i) all.push_back({i, "here", "cpu:" + std::to_string(i), 0, "planned", 0});
    return all;
}

wire::RunEvent makeEvent(RunEventKind kind, int rank, std::string text = {}, std::uint64_t step = 0) {
    wire::RunEvent event;
    event.kind = kind;
    event.rank = rank;
    event.text = std::move(text);
    event.step = step;
    return event;
}

wire::RunEvent ended(int rank, std::uint64_t step, bool stopped = false, std::string hash = "aa") {
    auto event = makeEvent(RunEventKind::Exited, rank, "", step);
    event.done = wire::RankDone{stopped, step, 1, 0.5, 0.9, {}, {}, std::move(hash)};
    return event;
}

wire::RunEvent killed(int rank, int signal, std::uint64_t step) {
    auto event = makeEvent(RunEventKind::Exited, rank, "", step);
    event.signal = signal;
    return event;
}

wire::RunEvent failed(int rank, Error error) {
    auto event = makeEvent(RunEventKind::Exited, rank, "", 3);
    event.exitCode = 1;
    event.error = std::move(error);
    return event;
}

// Two ranks that train since t = 1.
Supervisor training(Actions* all = nullptr) {
    Supervisor supervisor("r", rows(2), {}, at(0));
    const auto keep = [&](Actions actions) {
        if (all != nullptr)
            for (auto& action : actions) all->push_back(std::move(action));
    };
    for (int rank : {0, 1}) keep(supervisor.onEvent(makeEvent(RunEventKind::Started, rank), at(0)));
    for (int rank : {0, 1}) keep(supervisor.onEvent(makeEvent(RunEventKind::Phase, rank, "joining"), at(0.1)));
    for (int rank : {0, 1}) keep(supervisor.onEvent(makeEvent(RunEventKind::Phase, rank, "joined"), at(0.3)));
    keep(supervisor.onSteps({{0, 1, 90}, {1, 1, 90}}, at(1)));
    return supervisor;
}

template <class Kind>
std::vector<Kind> of(const Actions& actions) {
    std::vector<Kind> found;
    for (const auto& action : actions)
        if (const auto* each = std::get_if<Kind>(&action)) found.push_back(*each);
    return found;
}

std::vector<RankSignal> signalsOf(const Actions& actions) {
    std::vector<RankSignal> sent;
    for (const auto& send : of<SendSignal>(actions)) sent.push_back(send.signal);
    return sent;
}

}  // namespace

class SupervisorTest : public QObject {
    Q_OBJECT
private slots:
    void launchPhasesHaveTimers() {
        Actions actions;
        const auto supervisor = training(&actions);
        QCOMPARE(supervisor.state(), RunState::Running);
        QCOMPARE(supervisor.steps(), std::uint64_t{90});
        const auto phases = of<PhaseEnded>(actions);
        QCOMPARE(phases.size(), std::size_t{3});
        QCOMPARE(phases[0].name, std::string("spawning"));
        QCOMPARE(phases[1].name, std::string("rendezvous"));
        QCOMPARE(phases[2].name, std::string("first step"));
        QVERIFY(std::abs(phases[0].took.count() - 0.1) < 1e-9);
        QVERIFY(std::abs(phases[2].took.count() - 0.7) < 1e-9);
    }
    void completes() {
        auto supervisor = training();
        (void)supervisor.onEvent(ended(0, 90), at(5));
        (void)supervisor.tick(at(5));
        QVERIFY(!supervisor.ended());
        (void)supervisor.onEvent(ended(1, 90), at(5.1));
        (void)supervisor.tick(at(5.1));
        QVERIFY(supervisor.ended());
        QCOMPARE(supervisor.outcome().state, RunState::Completed);
        QCOMPARE(supervisor.outcome().exitCode, 0);
        QCOMPARE(supervisor.outcome().done->steps, std::uint64_t{90});
    }
    void withoutItsFolderARunFails() {
        auto supervisor = training();
        const auto actions = supervisor.onFolderLost(makeError("R542", {{"run", "r"}, {"folder", "f"}}), at(5));
        QCOMPARE(of<SendSignal>(actions).size(), std::size_t{1});
        QVERIFY(of<SendSignal>(actions)[0].signal == RankSignal::Abort);
        (void)supervisor.onEvent(ended(0, 20), at(5.1));
        (void)supervisor.onEvent(ended(1, 20), at(5.1));
        (void)supervisor.tick(at(5.2));
        QVERIFY(supervisor.ended());
        QCOMPARE(supervisor.outcome().error->code, std::string("R542"));
        QCOMPARE(supervisor.outcome().exitCode, 6);
    }
    void differentWeightsAreAFailure() {
        auto supervisor = training();
        (void)supervisor.onEvent(ended(0, 90), at(5));
        (void)supervisor.onEvent(ended(1, 90, false, "bb"), at(5));
        (void)supervisor.tick(at(5));
        QCOMPARE(supervisor.outcome().error->code, std::string("R540"));
    }
    void killedRankIsNamedAndOthersGoByTheLadder() {
        auto supervisor = training();
        auto actions = supervisor.onEvent(killed(1, SIGKILL, 17), at(10));
        QCOMPARE(signalsOf(actions), std::vector<RankSignal>{RankSignal::Abort});
        // One sentence, once: as an error, not as an exit too.
        QCOMPARE(of<Record>(actions).size(), std::size_t{1});
        QCOMPARE(of<Record>(actions)[0].event.kind, std::string("error"));
        QVERIFY(of<Record>(actions)[0].event.text.starts_with("Rank 1 ended with signal 9"));
        QCOMPARE(signalsOf(supervisor.tick(at(10.5))), std::vector<RankSignal>{});
        QCOMPARE(signalsOf(supervisor.tick(at(10.8))), std::vector<RankSignal>{RankSignal::Terminate});
        QCOMPARE(signalsOf(supervisor.tick(at(11.5))), std::vector<RankSignal>{RankSignal::Kill});
        const auto other = of<Record>(supervisor.onEvent(killed(0, SIGKILL, 18), at(11.6)));
        QCOMPARE(other.size(), std::size_t{1});
        QCOMPARE(other[0].event.kind, std::string("exit"));
        (void)supervisor.tick(at(11.6));
        QVERIFY(supervisor.ended());
        const auto& outcome = supervisor.outcome();
        QCOMPARE(outcome.state, RunState::Failed);
        QCOMPARE(outcome.exitCode, 6);
        QCOMPARE(outcome.error->code, std::string("R502"));
        QVERIFY(outcome.error->message.find("Rank 1 ended with signal 9 (Killed) at step 17") != std::string::npos);
    }
    void consequencesDoNotHideTheCause() {
        auto supervisor = training();
        (void)supervisor.onEvent(failed(0, makeError("R506", {{"rank", "1"}, {"how", "gone"}})), at(10));
        (void)supervisor.onEvent(killed(1, SIGSEGV, 17), at(10.01));
        (void)supervisor.tick(at(10.1));
        QCOMPARE(supervisor.outcome().error->code, std::string("R502"));
        QVERIFY(supervisor.outcome().error->message.find("Rank 1") != std::string::npos);
    }
    void aRuleKeepsItsExitCode() {
        auto supervisor = training();
        const auto own =
            of<Record>(supervisor.onEvent(failed(0, makeError("R503", {{"value", "nan"}, {"step", "4"}, {"rank", "0"}})), at(10)));
        QCOMPARE(own.size(), std::size_t{2});
        QCOMPARE(own[0].event.kind, std::string("exit"));
        QCOMPARE(own[1].event.kind, std::string("error"));
        QVERIFY(own[0].event.text != own[1].event.text);
        (void)supervisor.onEvent(failed(1, makeError("R507", {{"why", "x"}})), at(10.01));
        (void)supervisor.tick(at(10.1));
        QCOMPARE(supervisor.outcome().exitCode, 7);
    }
    void nobodyLeavesStillEnds() {
        auto supervisor = training();
        (void)supervisor.onEvent(killed(1, SIGKILL, 17), at(10));
        for (double t = 10; t < 20 && !supervisor.ended(); t += 0.1) {
            (void)supervisor.onSteps({}, at(t));
            (void)supervisor.tick(at(t));
        }
        QVERIFY(supervisor.ended());
        QCOMPARE(supervisor.outcome().state, RunState::Failed);
    }
    void missingRankIsNamed() {
        Supervisor supervisor("r", rows(2), {}, at(0));
        (void)supervisor.onEvent(makeEvent(RunEventKind::Phase, 0, "joining"), at(0.1));
        (void)supervisor.onSteps({}, at(19));
        QVERIFY(signalsOf(supervisor.tick(at(19))).empty());
        (void)supervisor.onSteps({}, at(20.1));
        QCOMPARE(signalsOf(supervisor.tick(at(20.1))), std::vector<RankSignal>{RankSignal::Abort});
        (void)supervisor.onEvent(killed(0, SIGKILL, 0), at(21));
        (void)supervisor.onEvent(killed(1, SIGKILL, 0), at(21));
        (void)supervisor.tick(at(21));
        QCOMPARE(supervisor.outcome().error->code, std::string("R501"));
        QVERIFY(supervisor.outcome().error->message.find("Rank 1 didn't join") != std::string::npos);
    }
    void stalledRankIsNamedEvenWhenTheWaitingOneReports() {
        auto supervisor = training();
        auto stall = makeEvent(RunEventKind::Stalled, 0, "", 7);
        stall.late = {1};
        stall.seconds = 5;
        (void)supervisor.onEvent(stall, at(10));
        (void)supervisor.onEvent(killed(0, SIGKILL, 7), at(12));
        (void)supervisor.onEvent(killed(1, SIGKILL, 7), at(12));
        (void)supervisor.tick(at(12));
        QCOMPARE(supervisor.outcome().error->code, std::string("R504"));
        QVERIFY(supervisor.outcome().error->message.find("Rank 1") != std::string::npos);
    }
    void stopAsksThenInsistsThenKills() {
        auto supervisor = training();
        QCOMPARE(signalsOf(supervisor.onStop({StopMode::Ask, "keyboard", 130}, at(10))), std::vector<RankSignal>{RankSignal::Stop});
        QCOMPARE(supervisor.state(), RunState::Checkpointing);
        std::vector<RankSignal> later;
        for (double t = 10; t < 90; t += 0.5) {
            (void)supervisor.onSteps({}, at(t));
            for (const auto signal : signalsOf(supervisor.tick(at(t)))) later.push_back(signal);
        }
        QCOMPARE(later, (std::vector<RankSignal>{RankSignal::Terminate, RankSignal::Kill}));
        (void)supervisor.onEvent(killed(0, SIGKILL, 7), at(86));
    }
    void stoppedRunIsStopped() {
        auto supervisor = training();
        (void)supervisor.onStop({StopMode::Ask, "keyboard", 130}, at(10));
        QVERIFY(supervisor.onStop({StopMode::Ask, "again", 1}, at(10.1)).empty());
        (void)supervisor.onEvent(ended(0, 40, true), at(11));
        (void)supervisor.onEvent(ended(1, 40, true), at(11));
        (void)supervisor.tick(at(11));
        QCOMPARE(supervisor.outcome().state, RunState::Stopped);
        QCOMPARE(supervisor.outcome().exitCode, 130);
        QCOMPARE(supervisor.outcome().actor, std::string("keyboard"));
    }
    void killIsNoFailure() {
        auto supervisor = training();
        (void)supervisor.onStop({StopMode::Ask, "keyboard", 130}, at(10));
        QCOMPARE(signalsOf(supervisor.onStop({StopMode::Kill, "keyboard", 130}, at(10.2))), std::vector<RankSignal>{RankSignal::Kill});
        (void)supervisor.onEvent(killed(0, SIGKILL, 7), at(10.3));
        (void)supervisor.onEvent(killed(1, SIGKILL, 7), at(10.3));
        (void)supervisor.tick(at(10.3));
        QCOMPARE(supervisor.outcome().state, RunState::Stopped);
    }
    void lostAgent() {
        auto supervisor = training();
        (void)supervisor.tick(at(20));
        QVERIFY(!supervisor.ended());
        (void)supervisor.tick(at(21.5));
        QVERIFY(supervisor.ended());
        QCOMPARE(supervisor.outcome().state, RunState::Lost);
        QCOMPARE(supervisor.outcome().error->code, std::string("H110"));
    }
    void thousandsOfSimulatedRuns();
};

// Ranks that join, train, are killed, stall or get stopped at random instants; whatever happens: the run ends within the sum of its
// deadlines, in a final state, with an error exactly when it failed, and never blames a rank that nothing happened to.
void SupervisorTest::thousandsOfSimulatedRuns() {
    std::map<RunState, int> seen;
    for (unsigned seed = 0; seed < 5000; ++seed) {
        std::mt19937 random(seed);
        const auto uniform = [&](double most) { return std::uniform_real_distribution<double>(0, most)(random); };
        const int size = 1 + static_cast<int>(random() % 4);
        Supervisor supervisor("r", rows(size), {}, at(0));
        const int victim = static_cast<int>(random() % static_cast<unsigned>(size));
        const double killAt = random() % 3 == 0 ? uniform(12) : 1e9;
        const double stopAt = random() % 4 == 0 ? uniform(12) : 1e9;
        const double total = 4 + uniform(6);
        const double deaf = random() % 5 == 0 ? 1 : 0;  // a rank that does not obey orders
        std::vector<double> leaveAt(static_cast<std::size_t>(size), total);
        std::set<int> gone, stopping;
        bool stopped = false, victimDied = false;
        double t = 0;
        for (; t < 200 && !supervisor.ended(); t += 0.05) {
            Actions actions;
            const auto add = [&](Actions more) { actions.insert(actions.end(), more.begin(), more.end()); };
            for (int rank = 0; rank < size; ++rank) {
                if (gone.contains(rank)) continue;
                if (rank == victim && t >= killAt) {
                    gone.insert(rank);
                    victimDied = true;
                    add(supervisor.onEvent(killed(rank, SIGKILL, 1), at(t)));
                } else if (t >= leaveAt[static_cast<std::size_t>(rank)]) {
                    gone.insert(rank);
                    add(supervisor.onEvent(ended(rank, 50, stopping.contains(rank)), at(t)));
                } else if (t < 0.06) {
                    add(supervisor.onEvent(makeEvent(RunEventKind::Phase, rank, "joined"), at(t)));
                }
            }
            add(supervisor.onSteps({}, at(t)));
            if (!stopped && t >= stopAt) {
                stopped = true;
                add(supervisor.onStop({StopMode::Ask, "user", 0}, at(t)));
            }
            add(supervisor.tick(at(t)));
            for (const auto signal : signalsOf(actions))
                for (int rank = 0; rank < size; ++rank) {
                    if (gone.contains(rank)) continue;
                    auto& leave = leaveAt[static_cast<std::size_t>(rank)];
                    if (signal == RankSignal::Stop && deaf == 0) {
                        stopping.insert(rank);
                        leave = std::min(leave, t + 0.2);
                    } else if (signal == RankSignal::Kill || (signal == RankSignal::Abort && deaf == 0)) {
                        gone.insert(rank);
                        if (signal == RankSignal::Kill)
                            (void)supervisor.onEvent(killed(rank, SIGKILL, 2), at(t));
                        else
                            (void)supervisor.onEvent(failed(rank, makeError("R507", {{"why", "x"}})), at(t));
                    }
                }
        }
        const auto context = QByteArray("seed ") + QByteArray::number(seed);
        QVERIFY2(supervisor.ended(), context);
        const auto& outcome = supervisor.outcome();
        ++seen[outcome.state];
        QVERIFY2(outcome.state == RunState::Completed || outcome.state == RunState::Stopped || outcome.state == RunState::Failed, context);
        QVERIFY2(outcome.error.has_value() == (outcome.state == RunState::Failed), context);
        QVERIFY2((outcome.state == RunState::Failed) == victimDied, context);
        if (victimDied) QVERIFY2(outcome.error->message.find("Rank " + std::to_string(victim) + " ended") != std::string::npos, context);
        if (victimDied) QVERIFY2(t < killAt + 3.05, context);
    }
    QVERIFY(seen[RunState::Completed] > 100 && seen[RunState::Stopped] > 100 && seen[RunState::Failed] > 100);
}

LOCKSTEP_TEST(SupervisorTest)
#include "supervisor_test.moc"
