#include "recorded_run.h"

#include <support/test.h>

#include <bridge/run_feed.h>
#include <workbench/workbench.h>

#include <QElapsedTimer>
#include <QSignalSpy>

#include <map>

using namespace lockstep;
using namespace lockstep::bridge;
using test::RecordedRun;

namespace {

constexpr const char* kRun = "20260101-000000-aaaa";
constexpr int kPatience = 20'000;
const api::SeriesKey kLoss{"loss", api::kWholeRun};

// What a page would show, filled by the signals alone.
class Page : public QObject {
public:
    explicit Page(RunFeed& feed) {
        connect(&feed, &RunFeed::reset, this, [this] {
            log << "reset";
            values.clear();
        });
        connect(&feed, &RunFeed::opened, this, [this](const api::RunDetail& read) {
            log << "opened";
            detail = read;
        });
        connect(&feed, &RunFeed::previewReady, this, [this](const api::SeriesKey& key, const std::vector<api::Bucket>& buckets) {
            log << "preview";
            for (const auto& bucket : buckets) previewed[key] += bucket.count;
        });
        connect(&feed, &RunFeed::valuesAdded, this, [this](const std::vector<api::SeriesPoints>& added) { take(added); });
        connect(&feed, &RunFeed::loaded, this, [this] { log << "loaded"; });
        connect(&feed, &RunFeed::summaryChanged, this, [this](const api::RunSummary& summary) { state = summary.state; });
        connect(&feed, &RunFeed::eventsAdded, this, [this](const std::vector<api::RunEvent>& added) { events += added.size(); });
        connect(&feed, &RunFeed::failed, this, [this](const Error& error) { log << "failed " + QString::fromStdString(error.code); });
        connect(&feed, &RunFeed::recovered, this, [this] { log << "recovered"; });
    }
    void take(const std::vector<api::SeriesPoints>& added) {
        ++deliveries;
        if (log.isEmpty() || log.back() != "values") log << "values";
        for (const auto& series : added) {
            auto& all = values[series.key];
            all.erase(all.lower_bound(series.from), all.end());
            for (const auto& point : series.points) all[point.step] = point.value;
        }
    }
    QStringList log;
    api::RunDetail detail;
    api::RunState state{};
    std::size_t events = 0;
    int deliveries = 0;
    std::map<api::SeriesKey, std::uint64_t> previewed;
    std::map<api::SeriesKey, std::map<std::uint64_t, double>> values;
};

}  // namespace

class RunFeedTest : public QObject {
    Q_OBJECT
private slots:
    void tellsWhatIsThereThenWhatComes() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(500));
        VERIFY_OK(replaceFile(run.folder() / "spec.yaml", "schema: 1\n"));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunFeed feed(workbench->runs());
        Page page(feed);
        feed.open(RunId{kRun});
        QVERIFY(feed.isOpen() && !feed.isLoaded());
        QTRY_VERIFY_WITH_TIMEOUT(feed.isLoaded(), kPatience);
        QCOMPARE(page.log.first(), QString("reset"));
        QVERIFY(page.log.contains("opened"));
        QCOMPARE(page.values[kLoss].size(), std::size_t{500});
        QCOMPARE(page.previewed[kLoss], std::uint64_t{500});
        QCOMPARE(page.log.count("reset"), 1);
        QVERIFY(page.log.indexOf("preview") < page.log.indexOf("loaded"));
        QCOMPARE(page.detail.spec, std::string("schema: 1\n"));
        QCOMPARE(feed.detail().ranks.size(), std::size_t{2});
        QVERIFY(run.addLoss(501, 510));
        VERIFY_OK(run.writer().addEvent({5.0, "checkpoint", 0, 4, "checkpoint", ""}));
        QTRY_COMPARE_WITH_TIMEOUT(page.values[kLoss].size(), std::size_t{510}, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(page.events, std::size_t{1}, kPatience);
        VERIFY_OK(run.writer().setState(store::RunState::Completed, "done", "controller"));
        QTRY_VERIFY_WITH_TIMEOUT(page.state == api::RunState::Completed, kPatience);
        // The detail is read again with the state.
        QTRY_VERIFY_WITH_TIMEOUT(!page.detail.states.empty() && page.detail.states.back().state == api::RunState::Completed, kPatience);
    }
    void joinsWhatComesFasterThanItDelivers() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(1));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunFeed feed(workbench->runs());
        Page page(feed);
        feed.open(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(feed.isLoaded(), kPatience);
        page.deliveries = 0;
        QElapsedTimer clock;
        clock.start();
        std::uint64_t step = 2;
        while (clock.elapsed() < 1000) {
            QVERIFY(run.addLoss(step, step));
            ++step;
            QTest::qWait(5);
        }
        QTRY_COMPARE_WITH_TIMEOUT(page.values[kLoss].size(), static_cast<std::size_t>(step - 1), kPatience);
        // Never more than one every 100 ms, however slow this machine is.
        QVERIFY2(page.deliveries <= clock.elapsed() / 100 + 2, qPrintable(QString::number(page.deliveries)));
    }
    void aLongRunComesInPortionsAndTheEventLoopGoesOn() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(1));
        constexpr std::uint64_t kPoints = 300'000;
        for (std::uint64_t from = 2; from < kPoints; from += 60'000) QVERIFY(run.addLoss(from, std::min(from + 59'999, kPoints)));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunFeed feed(workbench->runs());
        std::size_t points = 0, most = 0;
        connect(&feed, &RunFeed::valuesAdded, this, [&](const std::vector<api::SeriesPoints>& added) {
            std::size_t count = 0;
            for (const auto& series : added) count += series.points.size();
            points += count;
            most = std::max(most, count);
        });
        feed.open(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(feed.isLoaded(), kPatience);
        QCOMPARE(points, std::size_t{kPoints});
        QVERIFY(most <= 70'000);
    }
    void deletedWhileOpen() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(5));
        run.closeWriter();
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunFeed feed(workbench->runs());
        Page page(feed);
        feed.open(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(feed.isLoaded(), kPatience);
        std::filesystem::rename(run.folder(), scratch / "aside");
        QTRY_VERIFY_WITH_TIMEOUT(page.log.contains("failed R531"), kPatience);
        QVERIFY(feed.isOpen() && feed.problem());
        QCOMPARE(page.values[kLoss].size(), std::size_t{5});
        std::filesystem::rename(scratch / "aside", run.folder());
        QTRY_VERIFY_WITH_TIMEOUT(page.log.contains("recovered") && feed.isLoaded(), kPatience);
        QVERIFY(!feed.problem());
        QTRY_COMPARE_WITH_TIMEOUT(page.values[kLoss].size(), std::size_t{5}, kPatience);
        QCOMPARE(page.log.count("failed R531"), 1);
    }
    void notThereYet() {
        test::Scratch scratch;
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunFeed feed(workbench->runs());
        Page page(feed);
        feed.open(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(page.log.contains("failed R531"), kPatience);
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(5));
        QTRY_COMPARE_WITH_TIMEOUT(page.values[kLoss].size(), std::size_t{5}, kPatience);
        QVERIFY(page.log.contains("recovered"));
        QTRY_VERIFY_WITH_TIMEOUT(page.log.contains("opened"), kPatience);
    }
    void unreadable_data() {
        QTest::addColumn<QString>("kind");
        QTest::newRow("foreign") << "foreign";
        QTest::newRow("newer") << "newer";
        QTest::newRow("cut") << "cut";
        QTest::newRow("empty") << "empty";
    }
    void unreadable() {
        QFETCH(QString, kind);
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(5000));
        VERIFY_OK(run.writer().setState(store::RunState::Completed, "", "controller"));
        run.closeWriter();
        const auto file = run.folder() / "run.db";
        const auto whole = readFile(file);
        VERIFY_OK(whole);
        auto bad = *whole;
        if (kind == "foreign") bad = "this is no database";
        if (kind == "newer") bad[63] = 99;  // PRAGMA user_version
        if (kind == "cut") bad.resize(bad.size() / 3);
        if (kind == "empty") bad.clear();
        VERIFY_OK(replaceFile(file, bad));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunFeed feed(workbench->runs());
        Page page(feed);
        feed.open(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(feed.problem().has_value(), kPatience);
        QCOMPARE(feed.problem()->code, std::string("F609"));
        QVERIFY(!feed.problem()->message.empty() && !feed.problem()->next.empty());
        VERIFY_OK(replaceFile(file, *whole));
        QTRY_COMPARE_WITH_TIMEOUT(page.values[kLoss].size(), std::size_t{5000}, kPatience);
        QVERIFY(!feed.problem());
    }
    void closedAndOpenedAgainAtAnyMoment() {
        test::Scratch scratch;
        RecordedRun one(scratch.path(), kRun), other(scratch.path(), "20260102-000000-bbbb");
        QVERIFY(one.fill(2000) && other.fill(7));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunFeed feed(workbench->runs());
        Page page(feed);
        for (int i = 0; i < 20; ++i) {
            feed.open(RunId{i % 2 == 0 ? kRun : other.id()});
            QTest::qWait(i);
        }
        QTRY_VERIFY_WITH_TIMEOUT(feed.isLoaded(), kPatience);
        QCOMPARE(page.values[kLoss].size(), std::size_t{7});
        feed.close();
        QVERIFY(!feed.isOpen());
        page.values.clear();
        QVERIFY(other.addLoss(8, 9));
        QTest::qWait(200);
        QVERIFY(page.values.empty());
    }
    void closedByASlot() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(50));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        RunFeed feed(workbench->runs());
        connect(&feed, &RunFeed::summaryChanged, &feed, &RunFeed::close);
        QSignalSpy values(&feed, &RunFeed::valuesAdded);
        feed.open(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(!feed.isOpen(), kPatience);
        QTest::qWait(150);
        QCOMPARE(values.count(), 0);
    }
};

LOCKSTEP_TEST(RunFeedTest)
#include "run_feed_test.moc"
