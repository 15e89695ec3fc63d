// Real runs of the real program, asked for as the window does.
#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <bridge/command_runner.h>
#include <bridge/run_feed.h>
#include <bridge/run_list_feed.h>
#include <workbench/workbench.h>

#include <QSignalSpy>

#include <csignal>
#include <map>

using namespace lockstep;
using namespace lockstep::bridge;

namespace {

constexpr int kPatience = 90'000;
constexpr const char* kSpec =
    "schema: 1\nname: tiny\nstrategy: MirroredStrategy\n"
    "cluster: {hosts: [{name: here, address: localhost, devices: ['cpu:0', 'cpu:1']}], oversubscribe: true}\n"
    "model: {preset: mlp}\ndata: {dataset: mnist}\n"
    "training: {global_batch_size: 32, epochs: 1000, steps: 12, optimizer: {name: sgd, learning_rate: 0.01}}\n";
const api::SeriesKey kLoss{"loss", api::kWholeRun};

}  // namespace

class CommandRunnerTest : public QObject {
    Q_OBJECT
private slots:
    // A folder, an agent, sockets of its own: nothing reaches a person's runs.
    void init() {
        m_scratch = std::make_unique<test::Scratch>();
        for (const char* name : {"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"}) {
            const auto folder = *m_scratch / name;
            VERIFY_OK(makeFolders(folder, 0700));
            qputenv(name, QByteArray::fromStdString(folder.string()));
        }
        m_project = *m_scratch / "project";
        VERIFY_OK(workbench::createProject(m_project, "p"));
        m_spec = m_project / "tiny.yaml";
        VERIFY_OK(replaceFile(m_spec, kSpec));
        const auto program = std::filesystem::path(qgetenv("LOCKSTEP_BIN").toStdString()) / "lockstep";
        QVERIFY2(std::filesystem::exists(program), program.c_str());
        m_workbench = workbench::makeWorkbench({m_project, program});
        m_commands = std::make_unique<CommandRunner>(*m_workbench);
    }
    void cleanup() {
        // A run that a failed test has left.
        if (m_workbench) {
            const auto runs = m_workbench->runs().list();
            if (runs.ok())
                for (const auto& run : *runs)
                    if (!api::isIdle(run.state)) (void)m_workbench->commands().stop(run.run, api::StopMode::Kill, "test");
        }
        m_commands.reset();
        m_workbench.reset();
        m_scratch.reset();
    }

    void startWatchStopResumeDelete() {
        QSignalSpy started(m_commands.get(), &CommandRunner::taskStarted), finished(m_commands.get(), &CommandRunner::taskFinished);
        std::optional<Result<api::StartedRun>> run;
        auto* task = m_commands->start({m_spec, {}, {"training.steps=100000"}}, this, [&](const auto& result) { run = result; });
        QVERIFY(task->isRunning() && task->canCancel());
        QCOMPARE(task->kind(), QString("start"));
        QTRY_VERIFY_WITH_TIMEOUT(run.has_value(), kPatience);
        VERIFY_OK(*run);
        QVERIFY(task->progress().state == api::JobState::Succeeded && !task->canCancel());
        QCOMPARE(started.count(), 1);
        QCOMPARE(finished.count(), 1);

        RunFeed feed(m_workbench->runs());
        std::map<std::uint64_t, double> loss;
        connect(&feed, &RunFeed::reset, this, [&] { loss.clear(); });
        connect(&feed, &RunFeed::valuesAdded, this, [&](const std::vector<api::SeriesPoints>& values) {
            for (const auto& series : values) {
                if (series.key != kLoss) continue;
                loss.erase(loss.lower_bound(series.from), loss.end());
                for (const auto& point : series.points) loss[point.step] = point.value;
            }
        });
        feed.open((*run)->run);
        QTRY_VERIFY_WITH_TIMEOUT(loss.size() > 5, kPatience);
        const auto seen = loss.size();
        QTRY_VERIFY_WITH_TIMEOUT(loss.size() > seen + 20, kPatience);

        awaitVoid([&](auto done) { m_commands->checkpoint((*run)->run, this, done); });
        awaitVoid([&](auto done) { m_commands->stop((*run)->run, api::StopMode::Ask, this, done); });
        awaitVoid([&](auto done) { m_commands->awaitEnd((*run)->run, this, done); });
        QTRY_VERIFY_WITH_TIMEOUT(feed.detail().summary.state == api::RunState::Stopped, kPatience);
        const auto stoppedAt = feed.detail().summary.step;

        std::optional<Result<api::StartedRun>> again;
        m_commands->resume((*run)->run, this, [&](const auto& result) { again = result; });
        QTRY_VERIFY_WITH_TIMEOUT(again.has_value(), kPatience);
        VERIFY_OK(*again);
        QCOMPARE((*again)->run.value, (*run)->run.value);
        QTRY_VERIFY_WITH_TIMEOUT(!loss.empty() && loss.rbegin()->first > stoppedAt + 5, kPatience);
        // What is shown is what is stored, every step once.
        std::uint64_t step = 0;
        for (const auto& [at, value] : loss) QCOMPARE(at, ++step);

        // A run that trains is not deleted.
        std::optional<Result<api::Removal>> removal;
        m_commands->remove((*run)->run, this, [&](const auto& result) { removal = result; });
        QTRY_VERIFY_WITH_TIMEOUT(removal.has_value(), kPatience);
        VERIFY_ERROR(*removal, "R561");
        awaitVoid([&](auto done) { m_commands->stop((*run)->run, api::StopMode::Kill, this, done); });
        awaitVoid([&](auto done) { m_commands->awaitEnd((*run)->run, this, done); });
        removal.reset();
        QTRY_VERIFY_WITH_TIMEOUT(canRemove((*run)->run), kPatience);
        m_commands->remove((*run)->run, this, [&](const auto& result) { removal = result; });
        QTRY_VERIFY_WITH_TIMEOUT(removal.has_value(), kPatience);
        VERIFY_OK(*removal);
        QTRY_VERIFY_WITH_TIMEOUT(feed.problem() && feed.problem()->code == "R531", kPatience);
        QVERIFY(!loss.empty());
    }
    // The attempt that was killed is gone from every series, also of the ranks and of what is measured seldom: step by step, time goes on.
    void killedRunGoesOnAndReplacesWhatItHad() {
        std::optional<Result<api::StartedRun>> run, again;
        m_commands->start({m_spec, {}, {"training.steps=1000000"}}, this, [&](const auto& result) { run = result; });
        QTRY_VERIFY_WITH_TIMEOUT(run.has_value(), kPatience);
        VERIFY_OK(*run);
        const auto id = (*run)->run;
        const auto& runs = m_workbench->runs();
        const auto count = [&](const api::SeriesKey& key) {
            const auto points = runs.points(id, key, {});
            return points.ok() ? points->size() : std::size_t{0};
        };
        const api::SeriesKey memory{"memory_bytes", 0};
        QTRY_VERIFY_WITH_TIMEOUT(count(memory) > 2, kPatience);
        awaitVoid([&](auto done) { m_commands->checkpoint(id, this, done); });
        const auto kept = count(memory);
        QTRY_VERIFY_WITH_TIMEOUT(count(memory) > kept + 3, kPatience);
        awaitVoid([&](auto done) { m_commands->stop(id, api::StopMode::Kill, this, done); });
        awaitVoid([&](auto done) { m_commands->awaitEnd(id, this, done); });
        const auto lossThen = runs.points(id, kLoss, {});
        VERIFY_OK(lossThen);
        const auto killedAt = lossThen->back();
        m_commands->resume(id, this, [&](const auto& result) { again = result; });
        QTRY_VERIFY_WITH_TIMEOUT(again.has_value(), kPatience);
        VERIFY_OK(*again);
        const auto resumed = [&](const api::SeriesKey& key) {
            const auto points = runs.points(id, key, {});
            return points.ok() && !points->empty() && points->back().time > killedAt.time;
        };
        QTRY_VERIFY_WITH_TIMEOUT(resumed(kLoss) && resumed(memory), kPatience);
        awaitVoid([&](auto done) { m_commands->stop(id, api::StopMode::Kill, this, done); });
        awaitVoid([&](auto done) { m_commands->awaitEnd(id, this, done); });
        QVERIFY(runs.points(id, memory, {})->front().time < killedAt.time);
        const auto keys = runs.series(id);
        VERIFY_OK(keys);
        for (const auto& key : *keys) {
            const auto points = runs.points(id, key, {});
            VERIFY_OK(points);
            for (std::size_t i = 1; i < points->size(); ++i)
                QVERIFY2((*points)[i].time >= (*points)[i - 1].time, qPrintable(QStringLiteral("%1 of rank %2 at step %3")
                                                                                    .arg(QString::fromStdString(key.name))
                                                                                    .arg(key.rank)
                                                                                    .arg((*points)[i].step)));
        }
    }
    void aRunToItsEnd() {
        RunListFeed list(m_workbench->runs());
        std::optional<Result<api::StartedRun>> run;
        auto* task = m_commands->start({m_spec, {}, {}}, this, [&](const auto& result) { run = result; });
        QSignalSpy progressed(task, &Task::progressed);
        QTRY_VERIFY_WITH_TIMEOUT(run.has_value(), kPatience);
        VERIFY_OK(*run);
        QVERIFY(progressed.count() > 0);
        QTRY_VERIFY_WITH_TIMEOUT(!list.rows().empty() && list.rows()[0].summary.state == api::RunState::Completed, kPatience);
        QCOMPARE(list.rows()[0].summary.step, std::uint64_t{12});
        QTRY_COMPARE_WITH_TIMEOUT(list.rows()[0].sparkline.size(), std::size_t{12}, kPatience);
    }
    void refusedSpecification() {
        std::optional<Result<api::StartedRun>> run;
        auto* task = m_commands->start({m_spec, {}, {"training.stepz=1"}}, this, [&](const auto& result) { run = result; });
        QTRY_VERIFY_WITH_TIMEOUT(run.has_value(), kPatience);
        QVERIFY(!run->ok());
        QVERIFY2(run->error().code.starts_with("S"), run->error().toText().c_str());
        QVERIFY(task->error().has_value() && task->progress().state == api::JobState::Failed);
    }
    void questionsThatStartNothing() {
        std::optional<Result<api::SpecView>> spec;
        std::optional<Result<api::PlanView>> plan;
        std::optional<Result<api::HostView>> host;
        m_commands->validate({m_spec, {}, {}}, this, [&](const auto& result) { spec = result; });
        m_commands->plan({m_spec, {}, {}}, this, [&](const auto& result) { plan = result; });
        m_commands->hostFacts(this, [&](const auto& result) { host = result; });
        QTRY_VERIFY_WITH_TIMEOUT(spec && plan && host, kPatience);
        VERIFY_OK(*spec);
        VERIFY_OK(*plan);
        VERIFY_OK(*host);
        QCOMPARE((*spec)->name, std::string("tiny"));
        QCOMPARE((*plan)->ranks.size(), std::size_t{2});
        QVERIFY((*host)->cores > 0);
        QVERIFY(m_workbench->runs().list()->empty());
    }
    void nobodyIsCalledAfterItsContextHasGone() {
        auto context = std::make_unique<QObject>();
        bool called = false;
        m_commands->hostFacts(context.get(), [&](const auto&) { called = true; });
        context.reset();
        QSignalSpy finished(m_commands.get(), &CommandRunner::taskFinished);
        QVERIFY(finished.wait(kPatience));
        QVERIFY(!called);
    }
    void goesWhileWorkIsOnItsWay() {
        for (int i = 0; i < 5; ++i) {
            CommandRunner runner(*m_workbench);
            runner.hostFacts(this, [](const auto&) { QFAIL("the runner is gone"); });
            runner.stop(RunId{"20200101-000000-0000"}, api::StopMode::Ask, this, [](const auto&) { QFAIL("the runner is gone"); });
        }
        QCoreApplication::processEvents();
    }
    void keepsTheLastTasks() {
        int done = 0;
        for (int i = 0; i < 60; ++i)
            m_commands->stop(RunId{"20200101-000000-0000"}, api::StopMode::Ask, this, [&](const Result<void>& result) {
                QVERIFY(!result.ok() && result.error().code == "R531");
                ++done;
            });
        QTRY_COMPARE_WITH_TIMEOUT(done, 60, kPatience);
        QCOMPARE(m_commands->tasks().size(), 50);
    }

private:
    void awaitVoid(const std::function<void(Done<void>)>& ask) {
        std::optional<Result<void>> outcome;
        ask([&](const Result<void>& result) { outcome = result; });
        QTRY_VERIFY_WITH_TIMEOUT(outcome.has_value(), kPatience);
        VERIFY_OK(*outcome);
    }
    bool canRemove(const RunId& run) const { return m_workbench->commands().inspectRemoval(run).ok(); }

    std::unique_ptr<test::Scratch> m_scratch;
    std::filesystem::path m_project, m_spec;
    std::unique_ptr<api::Workbench> m_workbench;
    std::unique_ptr<CommandRunner> m_commands;
};

LOCKSTEP_TEST(CommandRunnerTest)
#include "command_runner_test.moc"
