#include "recorded_run.h"

#include <support/test.h>

#include <bridge/run_list_feed.h>
#include <workbench/workbench.h>

#include <QSignalSpy>

using namespace lockstep;
using namespace lockstep::bridge;
using test::RecordedRun;

namespace {

constexpr const char* kOld = "20260101-000000-aaaa";
constexpr const char* kNew = "20260102-000000-bbbb";
constexpr int kPatience = 20'000;

}  // namespace

class RunListFeedTest : public QObject {
    Q_OBJECT
private slots:
    void emptyThenFirstRun() {
        test::Scratch scratch;
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunListFeed feed(workbench->runs());
        QSignalSpy changed(&feed, &RunListFeed::changed);
        QTRY_VERIFY_WITH_TIMEOUT(feed.isLoaded(), kPatience);
        QCOMPARE(changed.count(), 1);
        QVERIFY(feed.rows().empty());
        RecordedRun run(scratch.path(), kOld);
        QVERIFY(run.fill(100));
        feed.refresh();
        QTRY_VERIFY_WITH_TIMEOUT(feed.rows().size() == 1 && feed.rows().front().summary.step == 100, kPatience);
        const auto& spark = feed.rows().front().sparkline;
        QVERIFY(!spark.empty() && spark.size() <= 64);
        QVERIFY(spark.front() > spark.back());
    }
    void tellsOnlyWhatChanged() {
        test::Scratch scratch;
        RecordedRun old(scratch.path(), kOld), young(scratch.path(), kNew);
        QVERIFY(old.fill(10) && young.fill(20));
        for (auto* run : {&old, &young}) VERIFY_OK(run->writer().setState(store::RunState::Completed, "", "controller"));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunListFeed feed(workbench->runs());
        std::vector<RunListChange> changes;
        connect(&feed, &RunListFeed::changed, this, [&](const RunListChange& change) { changes.push_back(change); });
        QTRY_COMPARE_WITH_TIMEOUT(changes.size(), std::size_t{1}, kPatience);
        QCOMPARE(changes[0].changed.size(), std::size_t{2});
        QCOMPARE(feed.rows().front().summary.run.value, std::string(kNew));
        QVERIFY(young.addLoss(21, 25));
        feed.refresh();
        QTRY_VERIFY_WITH_TIMEOUT(feed.rows().front().summary.step == 25, kPatience);
        for (std::size_t i = 1; i < changes.size(); ++i) {
            QCOMPARE(changes[i].changed.size(), std::size_t{1});
            QCOMPARE(changes[i].changed[0].summary.run.value, std::string(kNew));
        }
        old.closeWriter();
        std::filesystem::remove_all(old.folder());
        feed.refresh();
        QTRY_COMPARE_WITH_TIMEOUT(feed.rows().size(), std::size_t{1}, kPatience);
        QCOMPARE(changes.back().removed.size(), std::size_t{1});
        QCOMPARE(changes.back().removed[0].value, std::string(kOld));
    }
    void aDamagedRunIsARowWithItsProblem() {
        test::Scratch scratch;
        RecordedRun good(scratch.path(), kOld);
        QVERIFY(good.fill(3));
        std::filesystem::create_directories(scratch / "runs" / kNew);
        VERIFY_OK(replaceFile(scratch / "runs" / kNew / "run.db", "this is no database"));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunListFeed feed(workbench->runs());
        QTRY_COMPARE_WITH_TIMEOUT(feed.rows().size(), std::size_t{2}, kPatience);
        QVERIFY(feed.rows()[0].summary.problem && feed.rows()[0].summary.problem->code == "F609");
        QVERIFY(!feed.rows()[1].summary.problem);
    }
    void findsAChangeByItself() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kOld);
        QVERIFY(run.fill(3));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunListFeed feed(workbench->runs());
        QTRY_COMPARE_WITH_TIMEOUT(feed.rows().size(), std::size_t{1}, kPatience);
        VERIFY_OK(run.writer().setState(store::RunState::Stopped, "asked", "cli"));
        QTRY_VERIFY_WITH_TIMEOUT(feed.rows().front().summary.state == api::RunState::Stopped, kPatience);
        QCOMPARE(feed.rows().front().summary.cause, std::string("asked"));
    }
};

LOCKSTEP_TEST(RunListFeedTest)
#include "run_list_feed_test.moc"
