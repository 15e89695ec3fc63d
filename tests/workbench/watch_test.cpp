#include "recorded_run.h"

#include <support/test.h>

#include <workbench/workbench.h>

#include <condition_variable>
#include <map>
#include <mutex>

using namespace lockstep;
using test::RecordedRun;

namespace {

constexpr const char* kRun = "20260101-000000-aaaa";

// What a client has after all updates: applied as the contract says.
class Client {
public:
    void take(const api::RunUpdate& update) {
        const std::scoped_lock lock(m_mutex);
        if (update.kind == api::UpdateKind::First) {
            ++firsts;
            values.clear();
            events = 0;
        }
        problem = update.summary.problem ? update.summary.problem->code : "";
        name = update.summary.name;
        events += update.events.size();
        for (const auto& series : update.points) {
            auto& all = values[series.key];
            all.erase(all.lower_bound(series.from), all.end());
            for (const auto& point : series.points) all[point.step] = point.value;
            mostAtOnce = std::max(mostAtOnce, series.points.size());
        }
        m_changed.notify_all();
    }
    bool waitFor(std::function<bool()> done) {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, std::chrono::seconds(20), done);
    }
    int firsts = 0;
    std::size_t events = 0, mostAtOnce = 0;
    std::string problem, name;
    std::map<api::SeriesKey, std::map<std::uint64_t, double>> values;

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
};

const api::SeriesKey kLoss{"loss", api::kWholeRun};

bool add(RecordedRun& run, const std::string& name, int rank, std::uint64_t from, std::uint64_t to, double value) {
    telemetry::Batch batch{{name, rank}, {}};
    for (auto step = from; step <= to; ++step) batch.points.push_back({step, static_cast<double>(step), value});
    const std::vector<telemetry::Batch> batches{batch};
    return run.writer().append(batches, "", 0).ok() && run.writer().flush().ok();
}

}  // namespace

class WatchTest : public QObject {
    Q_OBJECT
private slots:
    void allSeriesAlsoNewOnes() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(5));
        Client client;
        const auto watch = watchAll(scratch.path(), client);
        VERIFY_OK(watch);
        QVERIFY(client.waitFor([&] { return client.values[kLoss].size() == 5; }));
        QVERIFY(add(run, "val_loss", api::kWholeRun, 5, 5, 0.25));
        QVERIFY(add(run, "step_seconds", 1, 1, 3, 0.5));
        QVERIFY(client.waitFor([&] { return client.values[{"step_seconds", 1}].size() == 3; }));
        QVERIFY(client.waitFor([&] { return client.values[{"val_loss", api::kWholeRun}].size() == 1; }));
        QVERIFY(client.waitFor([&] { return client.firsts == 1; }));
    }
    void aResumedRunRepeatsSteps() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(1) && add(run, "loss", api::kWholeRun, 2, 50, 1.0));
        Client client;
        const auto watch = watchAll(scratch.path(), client);
        VERIFY_OK(watch);
        QVERIFY(client.waitFor([&] { return client.values[kLoss].size() == 50; }));
        // The run is taken up again at step 40 and measures 41 … 45 once more.
        QVERIFY(add(run, "loss", api::kWholeRun, 41, 45, 2.0));
        QVERIFY(client.waitFor([&] { return client.values[kLoss].size() == 45 && client.values[kLoss][45] == 2.0; }));
        QVERIFY(client.waitFor([&] { return client.values[kLoss][40] == 1.0 && client.values[kLoss][41] == 2.0; }));
        QVERIFY(add(run, "loss", api::kWholeRun, 46, 60, 3.0));
        QVERIFY(client.waitFor([&] { return client.values[kLoss].size() == 60 && client.values[kLoss][60] == 3.0; }));
        const auto stored = workbench::makeWorkbench({scratch.path(), {}})->runs().points(RunId{kRun}, kLoss, {});
        VERIFY_OK(stored);
        QVERIFY(client.waitFor([&] {
            return std::ranges::all_of(*stored, [&](const api::Point& point) { return client.values[kLoss][point.step] == point.value; });
        }));
    }
    void manyPointsComeInPortions() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(1));
        for (std::uint64_t from = 2; from < 200'000; from += 50'000) QVERIFY(add(run, "loss", api::kWholeRun, from, from + 49'999, 0.5));
        Client client;
        const auto watch = watchAll(scratch.path(), client);
        VERIFY_OK(watch);
        QVERIFY(client.waitFor([&] { return client.values[kLoss].size() == 200'001; }));
        QVERIFY(client.waitFor([&] { return client.mostAtOnce <= 70'000; }));
    }
    void aRunDeletedWhileWatchedAndBroughtBack() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(5));
        run.closeWriter();
        Client client;
        const auto watch = watchAll(scratch.path(), client);
        VERIFY_OK(watch);
        QVERIFY(client.waitFor([&] { return client.values[kLoss].size() == 5; }));
        std::filesystem::rename(run.folder(), scratch / "aside");
        QVERIFY(client.waitFor([&] { return client.problem == "R531"; }));
        QVERIFY(client.waitFor([&] { return client.name == "digits"; }));
        std::filesystem::rename(scratch / "aside", run.folder());
        QVERIFY(client.waitFor([&] { return client.problem.empty() && client.firsts == 2 && client.values[kLoss].size() == 5; }));
    }
    void aStoreThatIsDamagedThenReplaced() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(5));
        run.closeWriter();
        const auto file = run.folder() / "run.db";
        const auto whole = readFile(file);
        VERIFY_OK(whole);
        VERIFY_OK(replaceFile(file, "this is no database"));
        Client client;
        const auto watch = watchAll(scratch.path(), client);
        VERIFY_OK(watch);
        QVERIFY(client.waitFor([&] { return client.problem == "F609"; }));
        VERIFY_OK(replaceFile(file, *whole));
        QVERIFY(client.waitFor([&] { return client.problem.empty() && client.values[kLoss].size() == 5; }));
        // Replaced while it is read: the same from another file.
        VERIFY_OK(replaceFile(file, *whole));
        QVERIFY(client.waitFor([&] { return client.firsts >= 2 && client.values[kLoss].size() == 5; }));
    }

private:
    // The workbench may go before the watch ends: a watch stands for itself.
    static Result<std::unique_ptr<api::Subscription>> watchAll(const std::filesystem::path& project, Client& client) {
        api::WatchOptions options;
        options.choice = api::SeriesChoice::All;
        options.interval = Seconds(0.01);
        return workbench::makeWorkbench({project, {}})->runs().watch(RunId{kRun}, options, [&](const auto& update) {
            client.take(update);
        });
    }
};

LOCKSTEP_TEST(WatchTest)
#include "watch_test.moc"
