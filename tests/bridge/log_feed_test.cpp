#include "recorded_run.h"

#include <support/test.h>

#include <bridge/log_feed.h>
#include <workbench/workbench.h>

#include <QSignalSpy>

#include <fstream>

using namespace lockstep;
using namespace lockstep::bridge;
using test::RecordedRun;

namespace {

constexpr const char* kRun = "20260101-000000-aaaa";
constexpr int kPatience = 20'000;

std::string lines(int rank, int from, int to) {
    std::string text;
    for (int i = from; i < to; ++i)
        text += toIsoTime(1'772'000'000.0 + i) + " I rank " + std::to_string(rank) + ": line " + std::to_string(i) + "\n";
    return text;
}

void append(const std::filesystem::path& file, const std::string& text) { std::ofstream(file, std::ios::app) << text; }

}  // namespace

class LogFeedTest : public QObject {
    Q_OBJECT
private slots:
    void mergesAndFollows() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        run.writeLog("rank-0.log", lines(0, 0, 30'000));
        run.writeLog("rank-1.log", lines(1, 0, 30'000));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        LogFeed feed(workbench->logs());
        std::vector<api::LogLine> all;
        std::size_t most = 0;
        connect(&feed, &LogFeed::linesAdded, this, [&](const std::vector<api::LogLine>& added) {
            all.insert(all.end(), added.begin(), added.end());
            most = std::max(most, added.size());
        });
        QSignalSpy loaded(&feed, &LogFeed::loaded);
        feed.open(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(feed.isLoaded(), kPatience);
        QCOMPARE(loaded.count(), 1);
        QCOMPARE(all.size(), std::size_t{60'000});
        QVERIFY(most <= 20'000);
        QVERIFY(std::ranges::is_sorted(all, {}, &api::LogLine::time));
        QCOMPARE(feed.files().size(), std::size_t{2});
        append(run.folder() / "logs" / "rank-1.log", lines(1, 30'000, 30'010));
        QTRY_COMPARE_WITH_TIMEOUT(all.size(), std::size_t{60'010}, kPatience);
        // A rank that starts later.
        run.writeLog("rank-2.log", lines(2, 0, 3));
        QTRY_COMPARE_WITH_TIMEOUT(all.size(), std::size_t{60'013}, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(feed.files().size(), std::size_t{3}, kPatience);
    }
    void withoutAnyLog() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        LogFeed feed(workbench->logs());
        feed.open(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(feed.isLoaded(), kPatience);
        QVERIFY(feed.files().empty());
    }
    void deletedAndBroughtBack() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        run.writeLog("rank-0.log", lines(0, 0, 10));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        LogFeed feed(workbench->logs());
        std::size_t count = 0;
        connect(&feed, &LogFeed::reset, this, [&] { count = 0; });
        connect(&feed, &LogFeed::linesAdded, this, [&](const std::vector<api::LogLine>& added) { count += added.size(); });
        feed.open(RunId{kRun});
        QTRY_COMPARE_WITH_TIMEOUT(count, std::size_t{10}, kPatience);
        std::filesystem::rename(run.folder(), scratch / "aside");
        QTRY_VERIFY_WITH_TIMEOUT(feed.problem() && feed.problem()->code == "R531", kPatience);
        std::filesystem::rename(scratch / "aside", run.folder());
        QTRY_VERIFY_WITH_TIMEOUT(!feed.problem() && count == 10, kPatience);
    }
    void openedAndClosedQuickly() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        run.writeLog("rank-0.log", lines(0, 0, 5000));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        LogFeed feed(workbench->logs());
        std::size_t count = 0;
        connect(&feed, &LogFeed::reset, this, [&] { count = 0; });
        connect(&feed, &LogFeed::linesAdded, this, [&](const std::vector<api::LogLine>& added) { count += added.size(); });
        for (int i = 0; i < 10; ++i) {
            feed.open(RunId{kRun});
            QTest::qWait(i);
        }
        QTRY_COMPARE_WITH_TIMEOUT(count, std::size_t{5000}, kPatience);
        feed.close();
        QTest::qWait(150);
        QCOMPARE(count, std::size_t{5000});
    }
};

LOCKSTEP_TEST(LogFeedTest)
#include "log_feed_test.moc"
