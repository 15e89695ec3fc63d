#include "recorded_run.h"

#include <support/test.h>

#include <workbench/workbench.h>

using namespace lockstep;
using test::RecordedRun;

namespace {
constexpr const char* kRun = "20260101-000000-aaaa";

std::filesystem::path lockstepProgram() { return std::filesystem::path(qEnvironmentVariable("LOCKSTEP_BIN").toStdString()) / "lockstep"; }
}  // namespace

class CommandsTest : public QObject {
    Q_OBJECT
private slots:
    void init() { qputenv("XDG_RUNTIME_DIR", QByteArray::fromStdString(m_runtime.path().string())); }

    void removesAFinishedRun() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun), other(scratch.path(), "20260102-000000-bbbb");
        QVERIFY(run.fill(5));
        VERIFY_OK(run.writer().setState(store::RunState::Completed, "", "controller"));
        run.writeLog("rank-0.log", std::string(1000, 'x'));
        run.closeWriter();
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        const auto looked = workbench->commands().inspectRemoval(RunId{kRun});
        VERIFY_OK(looked);
        QVERIFY(looked->files >= 2 && looked->bytes > 1000);
        QVERIFY(std::filesystem::exists(run.folder()));
        VERIFY_OK(workbench->commands().remove(RunId{kRun}));
        QVERIFY(!std::filesystem::exists(run.folder()));
        QCOMPARE(workbench->runs().list()->size(), std::size_t{1});
        int left = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(scratch / "runs")) ++left;
        QCOMPARE(left, 1);
        VERIFY_ERROR(workbench->commands().remove(RunId{kRun}), "R531");
    }
    void refusesARunWhoseRankLives() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(5));
        // This very process plays the rank: same program file, alive.
        VERIFY_OK(run.writer().setRank({1, "here", "cpu:1", QCoreApplication::applicationPid(), "running", 3}));
        run.closeWriter();
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        VERIFY_ERROR(workbench->commands().remove(RunId{kRun}), "R561");
        QVERIFY(std::filesystem::exists(run.folder()));
    }
    // Nothing that a client hands over ends it: a specification without a file has a name in messages, none at all is an error.
    void specificationWithoutAFile() {
        test::Scratch scratch;
        const auto workbench = workbench::makeWorkbench({scratch.path(), lockstepProgram()});
        const auto bad = workbench->commands().start({{}, "schema: 1\nname: [\n", {}});
        QVERIFY(bad->wait(Seconds(60)));
        QVERIFY(!bad->outcome().ok());
        QVERIFY2(bad->outcome().error().message.find("specification.yaml") != std::string::npos, bad->outcome().error().toText().c_str());
        const auto none = workbench->commands().start({});
        QVERIFY(none->wait(Seconds(60)));
        QVERIFY(!none->outcome().ok() && !none->outcome().error().next.empty());
        QVERIFY(!workbench->checks().validate({}).ok());
        QVERIFY(!workbench->checks().describe({}).ok());
    }
    // A process that stands in a folder that is gone can't make a path absolute.
    void folderOfTheProcessIsGone() {
        test::Scratch scratch, gone;
        const auto before = std::filesystem::current_path();
        const auto folder = gone / "here";
        std::filesystem::create_directories(folder);
        std::filesystem::current_path(folder);
        std::filesystem::remove_all(folder);
        const auto workbench = workbench::makeWorkbench({scratch.path(), lockstepProgram()});
        const auto job = workbench->commands().start({"relative.yaml", {}, {}});
        const bool ended = job->wait(Seconds(60));
        std::filesystem::current_path(before);
        QVERIFY(ended && !job->outcome().ok());
    }
    void nobodyToTalkTo() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(5));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        VERIFY_ERROR(workbench->commands().stop(RunId{kRun}, api::StopMode::Ask, "test"), "R535");
        VERIFY_ERROR(workbench->commands().checkpoint(RunId{kRun}, "test"), "R535");
        VERIFY_ERROR(workbench->commands().stop(RunId{"20200101-000000-0000"}, api::StopMode::Ask, "test"), "R531");
    }
    void awaitEndEndsWithTheRunOrWhenCancelled() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        QVERIFY(run.fill(5));
        VERIFY_OK(run.writer().setState(store::RunState::Running, "", "controller"));
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        const auto cancelled = workbench->commands().awaitEnd(RunId{kRun});
        QVERIFY(!cancelled->wait(Seconds(0.05)));
        QVERIFY(cancelled->progress().state == api::JobState::Running);
        cancelled->cancel();
        QVERIFY(cancelled->wait(Seconds(20)));
        VERIFY_ERROR(cancelled->outcome(), "R568");
        QVERIFY(cancelled->progress().state == api::JobState::Cancelled);

        const auto ended = workbench->commands().awaitEnd(RunId{kRun});
        VERIFY_OK(run.writer().setState(store::RunState::Stopped, "", "controller"));
        QVERIFY(ended->wait(Seconds(20)));
        VERIFY_OK(ended->outcome());
        QVERIFY(ended->progress().ended >= ended->progress().started);
    }
    void aControllerThatCannotStart() {
        test::Scratch scratch;
        const auto missing = workbench::makeWorkbench({scratch.path(), scratch / "no-program"});
        const auto job = missing->commands().start({scratch / "spec.yaml", std::nullopt, {}});
        QVERIFY(job->wait(Seconds(20)));
        VERIFY_ERROR(job->result(), "P801");
        // A program that ends without a word.
        const auto silent = workbench::makeWorkbench({scratch.path(), "/bin/false"});
        const auto second = silent->commands().start({scratch / "spec.yaml", std::nullopt, {}});
        QVERIFY(second->wait(Seconds(20)));
        VERIFY_ERROR(second->result(), "R563");
        QVERIFY(second->outcome().error().message.find("exit code 1") != std::string::npos);
    }

private:
    test::Scratch m_runtime;
};

LOCKSTEP_TEST(CommandsTest)
#include "commands_test.moc"
