#include <pages/overview_page.h>
#include <support/test.h>

#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>

using namespace lockstep;
using pages::OverviewPage;

namespace {

api::RunSummary runOf(const char* id, api::RunState state) {
    api::RunSummary run;
    run.run.value = id;
    run.name = std::string("run ") + id;
    run.state = state;
    run.step = 30;
    run.steps = 60;
    run.started = 1.7e9;
    run.loss = 0.25;
    return run;
}

}  // namespace

class OverviewPageTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void firstUseAndLaterUse();
    void actionsAreSignals();
    void runsAreATable();
    void onlyTenRunsAndNoResetWhileTheyStay();
    void projectWithoutARunLeadsOn();
    void lastProjectIsOfferedFirst();
    void runOpensByMouseAndKeyboard();
    void unreadableRunSaysWhy();
    void everyStateHasWordAndTone();
    void factsAboutThisComputer();
    void recentProjects();
    void narrowWindowsStackTheCards();

private:
    template <class T = QWidget>
    T* find(const char* name) const {
        return m_page->findChild<T*>(QLatin1String(name));
    }
    bool shows(const QString& text) const;
    QTableView* table() const { return find<QTableView>("overview.runs.table"); }
    std::unique_ptr<style::Theme> m_theme;
    std::unique_ptr<OverviewPage> m_page;
};

void OverviewPageTest::init() {
    m_theme = std::make_unique<style::Theme>(*style::embeddedTokens().tokens);
    m_theme->setMode(style::Mode::Light);
    m_theme->apply(*qApp);
    m_page = std::make_unique<OverviewPage>(*m_theme);
    m_page->resize(1100, 800);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
}

void OverviewPageTest::cleanup() {
    m_page.reset();
    m_theme.reset();
}

bool OverviewPageTest::shows(const QString& text) const {
    for (const QWidget* widget : m_page->findChildren<QWidget*>()) {
        const auto* label = qobject_cast<const QLabel*>(widget);
        const QString words = label != nullptr ? label->text() : widget->accessibleName();
        if (widget->isVisible() && words.contains(text)) return true;
    }
    return false;
}

void OverviewPageTest::firstUseAndLaterUse() {
    QVERIFY(find("overview.hero.trySample")->isVisible());
    QVERIFY(!find("overview.heading.trySample")->isVisible());
    QVERIFY(shows(QStringLiteral("No runs yet")));
    m_page->setLoading(QStringLiteral("Reading 3 of 12 runs"));
    QVERIFY(shows(QStringLiteral("Reading 3 of 12 runs")));
    QVERIFY(!shows(QStringLiteral("No runs yet")));
    m_page->setLoading({});
    m_page->setRuns({runOf("a", api::RunState::Running)}, {{1.0, 0.5}});
    QCoreApplication::processEvents();
    QVERIFY(!find("overview.hero.trySample")->isVisible());
    QVERIFY(find("overview.heading.trySample")->isVisible());
    // With runs there no button of the page is filled.
    QCOMPARE(find("overview.heading.trySample")->property("kind").toString(), QStringLiteral("outlined"));
    QVERIFY(table()->isVisible());
    m_page->setRuns({}, {});
    QCoreApplication::processEvents();
    QVERIFY(find("overview.hero.trySample")->isVisible());
    QVERIFY(!table()->isVisible());
}

void OverviewPageTest::actionsAreSignals() {
    QSignalSpy sample(m_page.get(), &OverviewPage::trySample), create(m_page.get(), &OverviewPage::newProject),
        open(m_page.get(), &OverviewPage::openProject);
    QTest::mouseClick(find("overview.hero.trySample"), Qt::LeftButton);
    QTest::keyClick(find("overview.hero.newProject"), Qt::Key_Space);
    QTest::mouseClick(find("overview.hero.open"), Qt::LeftButton);
    QCOMPARE(sample.count(), 1);
    QCOMPARE(create.count(), 1);
    QCOMPARE(open.count(), 1);
    m_page->setSampleStarting(true);
    QTest::mouseClick(find("overview.hero.trySample"), Qt::LeftButton);
    QCOMPARE(sample.count(), 1);
    QVERIFY(!find("overview.hero.trySample")->toolTip().isEmpty());
}

void OverviewPageTest::runsAreATable() {
    const QAbstractItemModelTester tester(table()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    api::RunSummary quiet = runOf("b", api::RunState::Completed);
    quiet.loss.reset();
    m_page->setRuns({runOf("a", api::RunState::Running), quiet}, {{1.0, 0.5}});
    const QAbstractItemModel* model = table()->model();
    QCOMPARE(model->rowCount(), 2);
    const auto text = [&](int row, int column) { return model->index(row, column).data().toString(); };
    QCOMPARE(text(0, 0), QStringLiteral("Running"));
    QCOMPARE(text(0, 1), QStringLiteral("run a"));
    QCOMPARE(text(0, 2), QStringLiteral("30 of 60"));
    QCOMPARE(text(0, 3), QStringLiteral("0.250"));
    QVERIFY(model->index(0, 1).data(Qt::UserRole + 2).toString().startsWith(QStringLiteral("a")));  // its id tells it from namesakes
    m_page->resize(420, 800);
    QTRY_VERIFY(table()->isColumnHidden(4));  // the curve gives way first
    QVERIFY(!table()->isColumnHidden(0) && !table()->isColumnHidden(1) && !table()->isColumnHidden(2));
    m_page->resize(1100, 800);
    QTRY_VERIFY(!table()->isColumnHidden(4));
    QCOMPARE(text(1, 3), QStringLiteral("–"));
    QVERIFY(table()->height() >= 2 * table()->rowHeight(0));
    m_page->setRuns({}, {});
    QCOMPARE(model->rowCount(), 0);
}

void OverviewPageTest::onlyTenRunsAndNoResetWhileTheyStay() {
    std::vector<api::RunSummary> runs;
    for (int i = 0; i < 25; ++i) runs.push_back(runOf(std::to_string(i).c_str(), api::RunState::Completed));
    m_page->setRuns(runs, {});
    QCOMPARE(table()->model()->rowCount(), 10);
    table()->selectRow(3);
    QSignalSpy reset(table()->model(), &QAbstractItemModel::modelReset);
    runs[0].step = 31;
    m_page->setRuns(runs, {});
    QCOMPARE(reset.count(), 0);
    QCOMPARE(table()->currentIndex().row(), 3);
    QCOMPARE(table()->model()->index(0, 2).data().toString(), QStringLiteral("31 of 60"));
    // What is left out is said, and shown when asked for.
    QVERIFY(shows(QStringLiteral("10 of 25")));
    auto* more = find<QPushButton>("overview.runs.more");
    QVERIFY(more->isVisible());
    const int low = table()->height();
    QTest::mouseClick(more, Qt::LeftButton);
    QCOMPARE(table()->model()->rowCount(), 25);
    QVERIFY(shows(QStringLiteral("25 of 25")) && table()->height() > low);
    QTest::mouseClick(more, Qt::LeftButton);
    QCOMPARE(table()->model()->rowCount(), 10);
    runs.resize(10);
    m_page->setRuns(runs, {});
    QVERIFY(!more->isVisible());
}

void OverviewPageTest::projectWithoutARunLeadsOn() {
    QSignalSpy run(m_page.get(), &OverviewPage::runExperiment);
    m_page->setExperiments({{"mnist.yaml", "mlp · mnist", "/p/experiments/mnist.yaml"},
                            {"mnist-mlp.yaml", "mlp · mnist", "/r/presets/mnist-mlp.yaml", pages::Experiment::Origin::Preset}});
    QCoreApplication::processEvents();
    QVERIFY(!find("overview.hero.trySample")->isVisible());
    const auto rows = m_page->findChildren<QAbstractButton*>("overview.experiments.row");
    QCOMPARE(rows.size(), 2);
    QVERIFY(rows[0]->isVisible() && rows[1]->accessibleName().contains("comes with Lockstep"));
    QTest::mouseClick(rows[0], Qt::LeftButton);
    QCOMPARE(run.last().first().toString(), QStringLiteral("/p/experiments/mnist.yaml"));
    m_page->setRunStarting(true);
    QVERIFY(!rows[0]->isEnabled());
    m_page->setRunStarting(false);
    m_page->setRuns({runOf("a", api::RunState::Running)}, {});
    QCoreApplication::processEvents();
    QVERIFY(!rows[0]->isVisible());
}

void OverviewPageTest::lastProjectIsOfferedFirst() {
    QSignalSpy open(m_page.get(), &OverviewPage::openProject);
    auto* last = find<QPushButton>("overview.hero.openLast");
    QVERIFY(!last->isVisible());
    m_page->setRecentProjects({{QStringLiteral("digits"), QStringLiteral("/p/digits")}, {QStringLiteral("two"), QStringLiteral("/p/two")}});
    QCoreApplication::processEvents();
    QVERIFY(last->isVisible() && last->text().contains("digits"));
    // One filled button.
    QCOMPARE(last->property("kind").toString(), QStringLiteral("main"));
    QCOMPARE(find("overview.hero.trySample")->property("kind").toString(), QStringLiteral("outlined"));
    QTest::mouseClick(last, Qt::LeftButton);
    QCOMPARE(open.last().first().toString(), QStringLiteral("/p/digits"));
    m_page->setRecentProjects({});
    QVERIFY(!last->isVisible());
    QCOMPARE(find("overview.hero.trySample")->property("kind").toString(), QStringLiteral("main"));
}

void OverviewPageTest::runOpensByMouseAndKeyboard() {
    m_page->setRuns({runOf("a", api::RunState::Running), runOf("b", api::RunState::Failed)}, {});
    QCoreApplication::processEvents();
    QSignalSpy open(m_page.get(), &OverviewPage::openRun);
    QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, table()->visualRect(table()->model()->index(1, 1)).center());
    QCOMPARE(open.count(), 1);
    QCOMPARE(open.last().first().toString(), QStringLiteral("b"));
    table()->setFocus(Qt::TabFocusReason);
    QTest::keyClick(table(), Qt::Key_Up);
    QTest::keyClick(table(), Qt::Key_Return);
    QCOMPARE(open.count(), 2);
    QCOMPARE(open.last().first().toString(), QStringLiteral("a"));
}

void OverviewPageTest::unreadableRunSaysWhy() {
    api::RunSummary broken = runOf("x", api::RunState::Lost);
    broken.problem = makeError("F609", {{"file", "run.db"}, {"what", "it is damaged"}, {"cause", ""}, {"next", ""}});
    m_page->setRuns({broken}, {});
    const QModelIndex index = table()->model()->index(0, 0);
    QCOMPARE(index.data().toString(), QStringLiteral("Unreadable"));
    QVERIFY(index.data(Qt::ToolTipRole).toString().startsWith(QStringLiteral("F609: run.db")));
}

void OverviewPageTest::everyStateHasWordAndTone() {
    for (int i = 0; i <= static_cast<int>(api::RunState::Lost); ++i) {
        const auto state = static_cast<api::RunState>(i);
        m_page->setRuns({runOf("a", state)}, {});
        QVERIFY(!table()->model()->index(0, 0).data().toString().isEmpty());
    }
}

void OverviewPageTest::factsAboutThisComputer() {
    QVERIFY(shows(QStringLiteral("Looking")));
    api::HostView host;
    host.processor = "A processor";
    host.cores = 1;
    host.memoryBytes = 8ull << 30;
    host.diskFreeBytes = 3ull << 40;
    m_page->setHost(host);
    QCoreApplication::processEvents();
    QVERIFY(shows(QStringLiteral("A processor, 1 core")));
    QVERIFY(shows(QStringLiteral("No GPU found")));
    QVERIFY(shows(QStringLiteral("Checking")) && !shows(QStringLiteral("Ready")));
    api::DeviceView gpu;
    gpu.id = "gpu:0";
    gpu.kind = "gpu";
    gpu.name = "A GPU";
    host.devices = {gpu};
    m_page->setHost(host);
    QCoreApplication::processEvents();
    QVERIFY(shows(QStringLiteral("A GPU")));
    QVERIFY(!shows(QStringLiteral("No GPU found")));
    m_page->setChecks({{"memory", api::CheckStatus::Pass, "enough", {}, {}},
                       {"project", api::CheckStatus::Fail, "/mnt/digits can't be written", "Runs are kept there.", "Use another folder."}});
    QCoreApplication::processEvents();
    QVERIFY(shows(QStringLiteral("/mnt/digits can't be written. Use another folder.")));
    QVERIFY(shows(QStringLiteral("A GPU")));
    QVERIFY(shows(QStringLiteral("Not ready")));
    m_page->setChecks({});
    QCoreApplication::processEvents();
    QVERIFY(shows(QStringLiteral("Ready")) && !shows(QStringLiteral("Not ready")));
    m_page->setHostProblem(QStringLiteral("The processor could not be read."));
    QCoreApplication::processEvents();
    QVERIFY(shows(QStringLiteral("could not be read")));
    QVERIFY(!shows(QStringLiteral("A GPU")));
}

void OverviewPageTest::recentProjects() {
    QSignalSpy open(m_page.get(), &OverviewPage::openProject);
    m_page->setRecentProjects({{QStringLiteral("one"), QStringLiteral("/p/one")}, {QStringLiteral("two"), QStringLiteral("/p/two")}});
    QCoreApplication::processEvents();
    const auto rows = m_page->findChildren<QAbstractButton*>(QStringLiteral("overview.projects.row"));
    QCOMPARE(rows.size(), qsizetype(2));
    QTest::keyClick(rows[1], Qt::Key_Space);
    QCOMPARE(open.count(), 1);
    QCOMPARE(open.first().first().toString(), QStringLiteral("/p/two"));
    m_page->setRecentProjects({});
    QVERIFY(m_page->findChildren<QAbstractButton*>(QStringLiteral("overview.projects.row")).isEmpty());
}

void OverviewPageTest::narrowWindowsStackTheCards() {
    const auto top = [&](const QString& title) {
        for (const QLabel* label : m_page->findChildren<QLabel*>())
            if (label->text() == title) return label->mapTo(m_page.get(), QPoint()).y();
        return -1;
    };
    const QString left = QStringLiteral("This computer"), right = QStringLiteral("How a run comes together");
    QCoreApplication::processEvents();
    QCOMPARE(top(left), top(right));
    m_page->resize(600, 800);
    QCoreApplication::processEvents();
    QVERIFY(top(right) > top(left) + 40);
}

LOCKSTEP_TEST(OverviewPageTest)
#include "overview_page_test.moc"
