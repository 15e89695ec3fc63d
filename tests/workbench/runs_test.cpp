#include "recorded_run.h"

#include <support/test.h>

#include <base/clock.h>
#include <workbench/workbench.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

using namespace lockstep;
using test::RecordedRun;

namespace {

constexpr const char* kOld = "20260101-000000-aaaa";
constexpr const char* kNew = "20260102-000000-abcd";

// Collects what a subscription tells and waits for it with a deadline.
class Collector {
public:
    void take(const api::RunUpdate& update) {
        const std::scoped_lock lock(m_mutex);
        m_state = update.summary.state;
        m_events += update.events.size();
        for (const auto& series : update.points)
            for (const auto& point : series.points) m_steps.push_back(point.step);
        m_changed.notify_all();
    }
    bool waitFor(std::function<bool()> done) {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, std::chrono::seconds(20), done);
    }
    // Only inside waitFor's condition or after the subscription is gone.
    api::RunState m_state{};
    std::size_t m_events = 0;
    std::vector<std::uint64_t> m_steps;

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
};

}  // namespace

class RunsTest : public QObject {
    Q_OBJECT
private slots:
    void listsNewestFirst() {
        test::Scratch scratch;
        RecordedRun old(scratch.path(), kOld), young(scratch.path(), kNew);
        QVERIFY(old.fill(10) && young.fill(20));
        VERIFY_OK(old.writer().setState(store::RunState::Completed, "all epochs done", "controller"));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        const auto list = workbench->runs().list();
        VERIFY_OK(list);
        QCOMPARE(list->size(), std::size_t{2});
        QCOMPARE(list->at(0).run.value, std::string(kNew));
        const auto& done = list->at(1);
        QVERIFY(done.state == api::RunState::Completed);
        QCOMPARE(done.cause, std::string("all epochs done"));
        QCOMPARE(done.name, std::string("digits"));
        QCOMPARE(done.ranks, 2);
        QCOMPARE(done.step, std::uint64_t{10});
        QCOMPARE(done.loss.value_or(0), 0.1);
        QVERIFY(!done.accuracy.has_value());
        QVERIFY(done.ended >= done.started && done.started > 0);
    }
    void findsByPartAndLast() {
        test::Scratch scratch;
        RecordedRun old(scratch.path(), kOld), young(scratch.path(), kNew);
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        auto& runs = workbench->runs();
        QCOMPARE(runs.find("last")->value, std::string(kNew));
        QCOMPARE(runs.find("abcd")->value, std::string(kNew));
        QCOMPARE(runs.find("20260101")->value, std::string(kOld));
        QCOMPARE(runs.find(kOld)->value, std::string(kOld));
        VERIFY_ERROR(runs.find("2026"), "R531");
        VERIFY_ERROR(runs.find("nothing"), "R531");
        VERIFY_ERROR(runs.find(""), "R531");
        std::filesystem::create_directory(scratch / "empty");
        const auto empty = workbench::makeWorkbench({scratch / "empty", {}});
        VERIFY_ERROR(empty->runs().find("last"), "R531");
        const auto listed = empty->runs().list();
        VERIFY_OK(listed);
        QVERIFY(listed->empty());
        const auto gone = workbench::makeWorkbench({scratch / "none", {}});
        VERIFY_ERROR(gone->runs().list(), "F635");
    }
    void aDamagedRunIsListedWithItsProblem() {
        test::Scratch scratch;
        RecordedRun good(scratch.path(), kOld);
        QVERIFY(good.fill(3));
        std::filesystem::create_directories(scratch / "runs" / kNew);
        VERIFY_OK(replaceFile(scratch / "runs" / kNew / "run.db", "this is no database"));
        std::filesystem::create_directories(scratch / "runs" / "notes");
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        const auto list = workbench->runs().list();
        VERIFY_OK(list);
        QCOMPARE(list->size(), std::size_t{2});
        QVERIFY(list->at(0).problem.has_value());
        QCOMPARE(list->at(0).problem->code, std::string("F609"));
        QVERIFY(!list->at(1).problem.has_value());
        VERIFY_ERROR(workbench->runs().detail(RunId{kNew}), "F609");
    }
    void aFreshStateIsBelievedWithoutController() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kOld);
        QVERIFY(run.fill(5));
        VERIFY_OK(run.writer().setState(store::RunState::Running, "", "controller"));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        // Fresh changes get the benefit of the doubt: a controller opens its store before its socket.
        QVERIFY(workbench->runs().summary(RunId{kOld})->state == api::RunState::Running);
    }
    void curves() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kOld);
        QVERIFY(run.fill(1000));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        auto& runs = workbench->runs();
        const auto series = runs.series(RunId{kOld});
        VERIFY_OK(series);
        QCOMPARE(series->size(), std::size_t{1});
        const auto some = runs.points(RunId{kOld}, {"loss", api::kWholeRun}, {10, 12});
        VERIFY_OK(some);
        QCOMPARE(some->size(), std::size_t{3});
        QCOMPARE(some->at(0).value, 0.1);
        const auto buckets = runs.buckets(RunId{kOld}, {"loss", api::kWholeRun}, {}, 50);
        VERIFY_OK(buckets);
        QVERIFY(buckets->size() <= 50);
        std::uint64_t count = 0;
        for (const auto& bucket : *buckets) count += bucket.count;
        QCOMPARE(count, std::uint64_t{1000});
        QCOMPARE(buckets->front().max, 1.0);
        QVERIFY(runs.points(RunId{kOld}, {"nothing", 0}, {})->empty());
    }
    void detailHoldsEverything() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kOld);
        QVERIFY(run.fill(5));
        VERIFY_OK(run.writer().addEvent({5.0, "checkpoint", 0, 4, "checkpoint at step 4", ""}));
        VERIFY_OK(replaceFile(run.folder() / "spec.yaml", "schema: 1\n"));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        const auto detail = workbench->runs().detail(RunId{kOld});
        VERIFY_OK(detail);
        QCOMPARE(detail->ranks.size(), std::size_t{2});
        QCOMPARE(detail->ranks[1].device, std::string("cpu:1"));
        QCOMPARE(detail->spec, std::string("schema: 1\n"));
        QVERIFY(detail->result.empty());
        QCOMPARE(detail->states.back().cause, std::string("started"));
        QVERIFY(std::ranges::any_of(detail->events, [](const auto& event) { return event.kind == "checkpoint" && event.step == 4; }));
    }
    void watchTellsEachPointOnceAndStopsWithItsSubscription() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kOld);
        QVERIFY(run.fill(5));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        Collector collector;
        api::WatchOptions options;
        options.series = {{"loss", api::kWholeRun}};
        options.interval = Seconds(0.01);
        auto subscription = workbench->runs().watch(RunId{kOld}, options, [&](const api::RunUpdate& update) { collector.take(update); });
        VERIFY_OK(subscription);
        QVERIFY(collector.waitFor([&] { return collector.m_steps.size() == 5; }));
        QVERIFY(run.addLoss(6, 8));
        VERIFY_OK(run.writer().addEvent({5.0, "checkpoint", 0, 4, "checkpoint", ""}));
        QVERIFY(collector.waitFor([&] { return collector.m_steps.size() == 8 && collector.m_events > 0; }));
        VERIFY_OK(run.writer().setState(store::RunState::Completed, "done", "controller"));
        QVERIFY(collector.waitFor([&] { return collector.m_state == api::RunState::Completed; }));
        subscription->reset();
        const auto told = collector.m_steps.size();
        QVERIFY(run.addLoss(9, 9));
        QTest::qWait(60);
        QCOMPARE(collector.m_steps.size(), told);
        QCOMPARE(collector.m_steps, (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
    }
};

LOCKSTEP_TEST(RunsTest)
#include "runs_test.moc"
