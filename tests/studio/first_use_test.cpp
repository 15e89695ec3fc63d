#include "home.h"
#include "recorded_cluster.h"

#include <support/test.h>

#include <base/file.h>
#include <charts/line_chart.h>
#include <studio.h>
#include <workbench/workbench.h>

#include <QAbstractButton>
#include <QApplication>
#include <QPushButton>
#include <QRegularExpression>
#include <QShortcut>
#include <QSignalSpy>

using namespace lockstep;

namespace {

constexpr int kPatience = 20'000;

std::unique_ptr<studio::Studio> openStudio(const QString& project) {
    auto tokens = style::embeddedTokens();
    if (!tokens.tokens) return nullptr;
    auto program = std::make_unique<studio::Studio>(*qApp, std::move(*tokens.tokens));
    studio::Options options;
    options.project = project;
    program->begin(options);
    return program;
}

}  // namespace

class FirstUseTest : public QObject {
    Q_OBJECT
private slots:
    // From an empty home: start the window (1), press the button (2), see the curve move. The run is the real one.
    void sampleTrainsWithOneButton() {
        test::Home home;
        auto program = openStudio(QString::fromStdString((home.path() / "nothing").string()));
        QVERIFY(program != nullptr);
        auto* button = program->project().overview().findChild<QPushButton*>("overview.hero.trySample");
        QVERIFY(button != nullptr && button->isVisible() && button->isEnabled());
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(program->project().live().run().has_value(), kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(program->project().window().currentPage()->id(), QString("live"), kPatience);
        const auto* loss = program->project().live().findChild<charts::LineChart*>("live.chart.loss");
        QTRY_VERIFY_WITH_TIMEOUT(loss->counts().visible > 20, kPatience);
        const auto seen = loss->counts().visible;
        QTRY_VERIFY_WITH_TIMEOUT(loss->counts().visible > seen + 20, kPatience);
        // Destroying the window leaves the run alone: it is stopped through a new one.
        const auto run = *program->project().live().run();
        program.reset();
        program = openStudio(QString::fromStdString(studio::sampleFolder().string()));
        QTRY_VERIFY_WITH_TIMEOUT(program->project().live().run() == run, kPatience);
        auto* stop = program->project().live().findChild<QPushButton*>("live.header.stop");
        QTRY_VERIFY_WITH_TIMEOUT(stop->isVisible() && stop->isEnabled(), kPatience);
        QTest::mouseClick(stop, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!stop->isVisible(), kPatience);
        const auto summary = program->project().workbench().runs().summary(run);
        VERIFY_OK(summary);
        QCOMPARE(summary->state, api::RunState::Stopped);
        QVERIFY(summary->step > seen);
    }

    void everyPageFitsAt1440() {
        test::Home home;
        const auto project = home.path() / "project";
        VERIFY_OK(replaceFileIn(project));
        QVERIFY(test::writeClusterRun(project, "20260101-000000-aaaa", {.ranks = 8, .steps = 1000}));
        auto program = openStudio(QString::fromStdString(project.string()));
        auto& window = program->project().window();
        window.resize(1440, 900);
        QTRY_VERIFY_WITH_TIMEOUT(program->project().isSettled(), kPatience);
        for (const auto& id : window.pageIds()) {
            window.showPage(id);
            QTest::qWait(100);
            QVERIFY2(window.width() == 1440, qPrintable(QStringLiteral("%1 makes it %2").arg(id).arg(window.width())));
            const int least = window.page(id)->minimumSizeHint().width();
            QVERIFY2(least <= 1440 - 180 - 272, qPrintable(QStringLiteral("%1 wants %2").arg(id).arg(least)));
        }
    }

    void whatCannotBeReadIsSaidAndTheWindowLives_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("foreign") << QByteArray("GIF89a, and no database at all");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut") << QByteArray("SQLite format 3\0", 16);
    }
    void whatCannotBeReadIsSaidAndTheWindowLives() {
        QFETCH(QByteArray, content);
        test::Home home;
        const auto project = home.path() / "project";
        VERIFY_OK(replaceFileIn(project));
        std::filesystem::create_directories(project / "runs" / "20260101-000000-aaaa");
        VERIFY_OK(replaceFile(project / "runs" / "20260101-000000-aaaa" / "run.db", content.toStdString()));
        auto program = openStudio(QString::fromStdString(project.string()));
        auto& live = program->project().live();
        QSignalSpy issues(&live, &pages::Page::issueRaised);
        QTRY_VERIFY_WITH_TIMEOUT(live.run().has_value(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!issues.isEmpty(), kPatience);
        QVERIFY(QRegularExpression("^F60[0-9]$").match(issues[0][0].toString()).hasMatch());
        QVERIFY(issues[0][1].toString().endsWith('.') && !issues[0][2].toString().isEmpty());
        program->project().window().showPage("live");
        QVERIFY(program->project().window().isVisible());
    }

    // A key that is held or pressed again starts one run.
    void startAskedTwiceIsOneRun() {
        test::Home home;
        const auto project = home.path() / "project";
        auto program = openStudio(QString::fromStdString((home.path() / "nothing").string()));
        VERIFY_OK(replaceFileIn(project));
        program = openStudio(QString::fromStdString(project.string()));
        const api::SpecSource spec{project / "two.yaml", "schema: 1\nname: two\nmodel: {preset: mlp}\ntraining: {steps: 2}\n", {}};
        for (int i = 0; i < 3; ++i) program->project().start(spec);
        QTRY_VERIFY_WITH_TIMEOUT(program->project().live().run().has_value(), kPatience);
        const auto& runs = program->project().workbench().runs();
        QTRY_VERIFY_WITH_TIMEOUT(runs.list().ok() && runs.list()->front().state == api::RunState::Completed, kPatience);
        QCOMPARE(runs.list()->size(), std::size_t{1});
        for (const auto* shortcut : program->project().window().findChildren<QShortcut*>()) QVERIFY(!shortcut->autoRepeat());
    }

    void folderThatIsNoProjectIsSaid() {
        test::Home home;
        auto program = openStudio(QString::fromStdString(home.path().string()));
        QCOMPARE(program->project().window().openPane(), QString("issues"));
        QVERIFY(program->project().window().isVisible());
        QVERIFY(program->open(home.path() / "nowhere").ok() == false);
    }

    // A file is no folder, but a project file names one.
    void fileAsProject() {
        test::Home home;
        const auto project = home.path() / "project";
        VERIFY_OK(replaceFileIn(project));
        VERIFY_OK(replaceFile(home.path() / "a.txt", "x"));
        auto program = openStudio(QString::fromStdString((home.path() / "a.txt").string()));
        const auto opened = program->open(home.path() / "a.txt");
        VERIFY_ERROR(opened, "F636");
        VERIFY_OK(program->open(project / "lockstep.project"));
        QCOMPARE(program->project().workbench().project().name, std::string("digits"));
    }

    // A new project leads on to a run; closed and opened again without arguments the window offers it first.
    void newProjectLeadsOnAndIsOfferedAgain() {
        test::Home home;
        const auto project = home.path() / "project";
        VERIFY_OK(workbench::createProject(project, "digits"));
        auto program = openStudio(QString::fromStdString(project.string()));
        auto* overview = &program->project().overview();
        const auto rows = [&] { return overview->findChildren<QAbstractButton*>("overview.experiments.row"); };
        QTRY_VERIFY_WITH_TIMEOUT(rows().size() >= 4, kPatience);
        QVERIFY(rows().front()->isVisible() && rows().front()->accessibleName().contains("mnist.yaml"));
        QVERIFY2(rows().front()->accessibleName().contains("mlp"), qPrintable(rows().front()->accessibleName()));
        QVERIFY(!overview->findChild<QPushButton*>("overview.hero.trySample")->isVisible());
        program.reset();
        const auto before = std::filesystem::current_path();
        std::filesystem::current_path(home.path());
        program = openStudio({});
        std::filesystem::current_path(before);
        overview = &program->project().overview();
        auto* last = overview->findChild<QPushButton*>("overview.hero.openLast");
        QVERIFY(last != nullptr && last->isVisible() && last->text().contains("digits"));
        QTest::mouseClick(last, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(program->project().workbench().project().name, std::string("digits"), kPatience);
    }

    void otherLanguageKeepsTheRun() {
        test::Home home;
        const auto project = home.path() / "project";
        VERIFY_OK(replaceFileIn(project));
        for (const char* id : {"20260101-000000-aaaa", "20260102-000000-bbbb"})
            QVERIFY(test::writeClusterRun(project, id, {.ranks = 2, .steps = 40}));
        auto program = openStudio(QString::fromStdString(project.string()));
        QTRY_VERIFY_WITH_TIMEOUT(program->project().isSettled(), kPatience);
        const RunId older{"20260101-000000-aaaa"};
        program->project().show(older);
        auto* before = &program->project();
        emit program->project().preferences().languageChosen("zh_CN");
        QTRY_VERIFY_WITH_TIMEOUT(&program->project() != before, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(program->project().isSettled(), kPatience);
        QCOMPARE(program->project().live().run(), std::optional(older));
        before = &program->project();
        emit program->project().preferences().languageChosen("en");
        QTRY_VERIFY_WITH_TIMEOUT(&program->project() != before, kPatience);
    }

    void unreadableRunIsNotResumed() {
        test::Home home;
        const auto project = home.path() / "project";
        VERIFY_OK(replaceFileIn(project));
        std::filesystem::create_directories(project / "runs" / "20260101-000000-aaaa");
        VERIFY_OK(replaceFile(project / "runs" / "20260101-000000-aaaa" / "run.db", "no database"));
        auto program = openStudio(QString::fromStdString(project.string()));
        QTRY_VERIFY_WITH_TIMEOUT(program->project().live().run().has_value(), kPatience);
        const auto* resume = program->project().window().findChild<QPushButton*>("shell.topBar.resume");
        QTRY_VERIFY_WITH_TIMEOUT(resume->toolTip().contains("can't be read"), kPatience);
        QVERIFY(!resume->isEnabled());
        QVERIFY(!program->project().live().findChild<QPushButton*>("live.header.resume")->isVisible());
    }

    void projectFolderMovedAwayIsSaid() {
        test::Home home;
        const auto project = home.path() / "project", elsewhere = home.path() / "elsewhere";
        VERIFY_OK(replaceFileIn(project));
        QVERIFY(test::writeClusterRun(project, "20260101-000000-aaaa", {.ranks = 2, .steps = 400}));
        auto program = openStudio(QString::fromStdString(project.string()));
        auto& window = program->project().window();
        QTRY_VERIFY_WITH_TIMEOUT(program->project().isSettled(), kPatience);
        auto* banner = window.findChild<QWidget*>("shell.banner");
        QVERIFY(banner != nullptr && !banner->isVisible());
        std::filesystem::rename(project, elsewhere);
        QTRY_VERIFY_WITH_TIMEOUT(banner->isVisible(), kPatience);
        QVERIFY(banner->accessibleName().contains("F635"));
        QVERIFY(banner->accessibleName().contains(QString::fromStdString(project.string())));
        QVERIFY(window.width() >= banner->minimumSizeHint().width());
        const auto folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (!folder.isEmpty()) window.grab().save(folder + "/project-gone.png");
        std::filesystem::rename(elsewhere, project);
        QTRY_VERIFY_WITH_TIMEOUT(!banner->isVisible(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(program->project().isSettled() && !program->project().live().samples({"loss", api::kWholeRun})->empty(),
                                 kPatience);
    }

private:
    static Result<void> replaceFileIn(const std::filesystem::path& project) {
        std::filesystem::create_directories(project);
        return replaceFile(project / "lockstep.project", "{\"schema\":1,\"name\":\"digits\"}\n");
    }
};

LOCKSTEP_TEST(FirstUseTest)
#include "first_use_test.moc"
