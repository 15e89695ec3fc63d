#include "home.h"

#include <support/test.h>

#include <base/file.h>
#include <workbench/workbench.h>

#include <QProcess>
#include <QProcessEnvironment>
#include <QRandomGenerator>

using namespace lockstep;

namespace {

constexpr int kPatience = 20'000;
const QString kBin = qEnvironmentVariable("LOCKSTEP_BIN");

int kills() { return qEnvironmentVariableIsSet("LOCKSTEP_SOAK") ? 20 : 4; }

}  // namespace

class KillTest : public QObject {
    Q_OBJECT
private slots:
    // Promise 1: killing the window never touches a run. The real program is killed at random moments, while it opens, reads or draws.
    void windowsAreKilledAndTheRunGoesOn() {
        test::Home home;
        const auto project = home.path() / "project";
        VERIFY_OK(workbench::createProject(project, "digits"));
        const auto workbench = workbench::makeWorkbench({project, (kBin + "/lockstep").toStdString()});
        const std::string steps = "training.steps=" + std::to_string(kills() * 6000);
        const auto job = workbench->commands().start({project / "experiments" / "mnist.yaml", {}, {steps, "training.epochs=1000"}});
        QVERIFY(job->wait(Seconds{60}));
        const auto started = job->result();
        VERIFY_OK(started);
        QRandomGenerator random(11);
        for (int i = 0; i < kills(); ++i) {
            QProcess window;
            window.start(kBin + "/lockstep-studio", {QString::fromStdString(project.string()), "--page", "live"});
            QVERIFY(window.waitForStarted(kPatience));
            QTest::qWait(random.bounded(30, 1200));
            QCOMPARE(window.state(), QProcess::Running);
            window.kill();
            QVERIFY(window.waitForFinished(kPatience));
        }
        QVERIFY(workbench->commands().awaitEnd(started->run)->wait(Seconds{120}));
        const auto summary = workbench->runs().summary(started->run);
        VERIFY_OK(summary);
        QCOMPARE(summary->state, api::RunState::Completed);
        const auto points = workbench->runs().points(started->run, {"loss", api::kWholeRun}, {});
        VERIFY_OK(points);
        QCOMPARE(points->size(), static_cast<std::size_t>(kills()) * 6000);
        // The window opened again shows it all: the picture is written only when everything stored has been drawn.
        QProcess again;
        again.start(kBin + "/lockstep-studio", {"--screenshot", QString::fromStdString((home.path() / "pictures").string()),
                                                QString::fromStdString(project.string())});
        QVERIFY(again.waitForFinished(kPatience));
        QCOMPARE(again.exitCode(), 0);
        QVERIFY(std::filesystem::exists(home.path() / "pictures" / "live-light.png"));
    }

    // No picture of nothing: a script must notice.
    void picturesOfNoProjectAreAnError() {
        test::Home home;
        QProcess window;
        window.start(kBin + "/lockstep-studio", {"--screenshot", QString::fromStdString((home.path() / "pictures").string()),
                                                 QString::fromStdString(home.path().string())});
        QVERIFY(window.waitForFinished(kPatience));
        QCOMPARE(window.exitCode(), 3);
        QVERIFY(window.readAllStandardError().contains("F632"));
    }

    void unreadableRunsDoNotHoldThePicturesUp() {
        test::Home home;
        VERIFY_OK(workbench::createProject(home.path() / "p", "digits"));
        std::filesystem::create_directories(home.path() / "p" / "runs" / "20260101-000000-aaaa");
        VERIFY_OK(replaceFile(home.path() / "p" / "runs" / "20260101-000000-aaaa" / "run.db", "no database"));
        QProcess window;
        window.start(kBin + "/lockstep-studio", {"--screenshot", QString::fromStdString((home.path() / "pictures").string()),
                                                 QString::fromStdString((home.path() / "p").string())});
        QVERIFY(window.waitForFinished(kPatience / 2));
        QCOMPARE(window.exitCode(), 0);
    }

    void withoutADisplayItSaysSo() {
        auto environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(name);
        QProcess window;
        window.setProcessEnvironment(environment);
        window.start(kBin + "/lockstep-studio", QStringList());
        QVERIFY(window.waitForFinished(kPatience));
        QCOMPARE(window.exitCode(), 9);
        QVERIFY(window.readAllStandardError().contains("P802"));
        environment.insert("DISPLAY", ":65000");  // nobody serves it
        window.setProcessEnvironment(environment);
        window.start(kBin + "/lockstep-studio", QStringList());
        QVERIFY(window.waitForFinished(kPatience));
        QCOMPARE(window.exitCode(), 9);
        const auto words = window.readAllStandardError();
        QVERIFY2(words.contains("P803") && words.contains(":65000") && !words.contains("plugin"), words.constData());
        environment.remove("DISPLAY");
        window.setProcessEnvironment(environment);
        window.start(kBin + "/lockstep-studio", {"--help"});
        QVERIFY(window.waitForFinished(kPatience));
        QCOMPARE(window.exitCode(), 0);
        QVERIFY(window.readAllStandardOutput().contains("--screenshot"));
    }

    void unknownPageIsAUsageError() {
        test::Home home;
        for (const QStringList& arguments : {QStringList{"--page", "curves"}, {"--page", "curves", "--screenshot", "pictures"}}) {
            QProcess window;
            window.setWorkingDirectory(QString::fromStdString(home.path().string()));
            window.start(kBin + "/lockstep-studio", arguments);
            QVERIFY(window.waitForFinished(kPatience));
            QCOMPARE(window.exitCode(), 2);
            const auto said = window.readAllStandardError();
            QVERIFY2(said.contains("There is no page \"curves\"; the pages are: overview, live, logs, preferences.\n"), said.constData());
            QVERIFY(!std::filesystem::exists(home.path() / "pictures"));
        }
    }

    void wrongOptionsAreAUsageError() {
        QProcess window;
        window.start(kBin + "/lockstep-studio", {"--no-such-option"});
        QVERIFY(window.waitForFinished(kPatience));
        QCOMPARE(window.exitCode(), 2);
        QVERIFY(window.readAllStandardError().contains("no-such-option"));
    }
};

LOCKSTEP_TEST(KillTest)
#include "kill_test.moc"
