// Measures, printed and not judged (LOCKSTEP_FIGURES=1 test_bridge --only figures_test): how long a committed point takes to reach the GUI
// thread, what open but quiet feeds cost, how fast a million points come in.
#include "recorded_run.h"

#include <support/test.h>

#include <bridge/log_feed.h>
#include <bridge/run_feed.h>
#include <bridge/run_list_feed.h>
#include <support/sanitizer.h>
#include <workbench/workbench.h>

#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>

#include <sys/resource.h>
#include <algorithm>
#include <vector>

using namespace lockstep;
using namespace lockstep::bridge;
using test::RecordedRun;

namespace {

constexpr const char* kRun = "20260101-000000-aaaa";
constexpr int kPatience = 60'000;

double cpuSeconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double percentile(std::vector<double> values, double share) {
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

}  // namespace

class FiguresTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (!qEnvironmentVariableIsSet("LOCKSTEP_FIGURES")) QSKIP("measures only when LOCKSTEP_FIGURES is set");
    }
    void fromCommitToGuiThread() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(1));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunFeed feed(workbench->runs());
        std::uint64_t seen = 0;
        connect(&feed, &RunFeed::valuesAdded, this, [&](const auto& values) { seen = values.back().points.back().step; });
        feed.open(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(feed.isLoaded(), kPatience);
        std::vector<double> delays;
        for (std::uint64_t step = 2; step < 42; ++step) {
            QTest::qWait(static_cast<int>(step * 37 % 83));
            QElapsedTimer clock;
            clock.start();
            QVERIFY(run.addLoss(step, step));
            while (seen < step && clock.elapsed() < kPatience) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
            QVERIFY(seen >= step);
            delays.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
        }
        qInfo("commit to signal: p50 %.0f ms, p95 %.0f ms", percentile(delays, 0.5), percentile(delays, 0.95));
    }
    void quietFeeds() {
        test::Scratch scratch;
        std::vector<std::unique_ptr<RecordedRun>> runs;
        for (int i = 0; i < 30; ++i) {
            runs.push_back(std::make_unique<RecordedRun>(
                scratch.path(), "202601" + std::to_string(10 + i / 2) + "-00000" + std::to_string(i % 2) + "-aaaa"));
            QVERIFY(runs.back()->fill(50));
            VERIFY_OK(runs.back()->writer().setState(store::RunState::Completed, "", "controller"));
            runs.back()->writeLog("rank-0.log", "2026-03-01T12:00:00.250Z I rank 0: x\n");
            runs.back()->closeWriter();
        }
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunListFeed list(workbench->runs());
        RunFeed feed(workbench->runs());
        LogFeed log(workbench->logs());
        feed.open(RunId{runs.front()->id()});
        log.open(RunId{runs.front()->id()});
        QTRY_VERIFY_WITH_TIMEOUT(feed.isLoaded() && log.isLoaded() && list.rows().size() == 30, kPatience);
        QTest::qWait(2500);  // files that have just changed are read again
        const double before = cpuSeconds();
        QElapsedTimer clock;
        clock.start();
        QEventLoop loop;  // qWait() itself wakes a hundred times a second
        QTimer::singleShot(3000, &loop, &QEventLoop::quit);
        loop.exec();
        qInfo("30 finished runs, one open with its log, nothing happens: %.2f %% of a core",
              (cpuSeconds() - before) / (static_cast<double>(clock.elapsed()) / 1000) * 100);
    }
    void aMillionPoints() {
        constexpr std::uint64_t kPoints = test::kThreadSanitizer ? 100'000 : 1'000'000;
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(1));
        for (std::uint64_t from = 2; from <= kPoints; from += 100'000) QVERIFY(run.addLoss(from, std::min(from + 99'999, kPoints)));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunFeed feed(workbench->runs());
        std::uint64_t points = 0;
        qint64 preview = 0;
        QElapsedTimer clock;
        connect(&feed, &RunFeed::previewReady, this, [&] { preview = clock.elapsed(); });
        connect(&feed, &RunFeed::valuesAdded, this, [&](const std::vector<api::SeriesPoints>& values) {
            for (const auto& series : values) points += series.points.size();
        });
        clock.start();
        feed.open(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(feed.isLoaded(), kPatience);
        qInfo("%llu points: first buckets after %lld ms, all after %lld ms", static_cast<unsigned long long>(points), preview,
              clock.elapsed());
        QCOMPARE(points, kPoints);
    }
    // 16 ranks with 20 series each, ten points a second of every one.
    void manySeries() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(1));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunFeed feed(workbench->runs());
        std::size_t points = 0;
        connect(&feed, &RunFeed::valuesAdded, this, [&](const std::vector<api::SeriesPoints>& values) {
            for (const auto& series : values) points += series.points.size();
        });
        feed.open(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(feed.isLoaded(), kPatience);
        points = 0;
        double writing = 0;
        const double before = cpuSeconds();
        QElapsedTimer clock;
        clock.start();
        std::uint64_t step = 0;
        while (clock.elapsed() < 3000) {
            ++step;
            std::vector<telemetry::Batch> batches;
            for (int rank = 0; rank < 16; ++rank)
                for (int series = 0; series < 20; ++series)
                    batches.push_back({{"series_" + std::to_string(series), rank}, {{step, 1000.0 + static_cast<double>(step), 0.5}}});
            const double start = cpuSeconds();
            VERIFY_OK(run.writer().append(batches, "", 0));
            VERIFY_OK(run.writer().flush());
            writing += cpuSeconds() - start;
            QTest::qWait(100);
        }
        QTRY_COMPARE_WITH_TIMEOUT(points, static_cast<std::size_t>(step) * 320, kPatience);
        const double seconds = static_cast<double>(clock.elapsed()) / 1000;
        qInfo("320 series, %.1f points a second of each: feed %.1f %% of a core, writer %.1f %%", static_cast<double>(step) / seconds,
              (cpuSeconds() - before - writing) / seconds * 100, writing / seconds * 100);
    }
};

LOCKSTEP_TEST(FiguresTest)
#include "figures_test.moc"
