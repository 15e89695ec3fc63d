#include "sample_window.h"

#include <support/scratch.h>
#include <support/test.h>

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QListView>
#include <QSet>
#include <QSignalSpy>
#include <QToolButton>

using namespace lockstep;
using shell::MainWindow;

class WindowTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void pagesComeFromTheRegistry();
    void keysChangePages();
    void pageBarByArrows();
    void pagesKnowWhenTheyAreInFront();
    void commandsAreSignals();
    void keyboardReachesEveryControl_data();
    void keyboardReachesEveryControl();
    void everyControlHasANameForScreenReaders();
    void pageBarCollapsesBelow1280();
    void dockBecomesAToggleBelow1100();
    void panesOneAtATime();
    void issuesOfPagesAreListed();
    void pathsInIssuesBeginInTheProject();
    void tasksShowProgressAndCancel();
    void locatorFindsPagesRunsAndActions();
    void locatorClosesByEscapeAndGivesTheFocusBack();
    void closingAsksNothingAndKeepsTheLayout();
    void layoutPerProject();
    void themeChangesWhileOpen();

private:
    template <class T = QWidget>
    T* find(const char* name) const {
        return m_window->findChild<T*>(QLatin1String(name));
    }
    test::PlainPage* plain(const char* id) const { return static_cast<test::PlainPage*>(m_window->page(QLatin1String(id))); }
    void show(QSize size = {1440, 900});
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(m_window.get(), key, modifiers); }

    std::unique_ptr<test::Scratch> m_scratch;
    std::unique_ptr<style::Theme> m_theme;
    std::unique_ptr<MainWindow> m_window;
};

void WindowTest::init() {
    m_scratch = std::make_unique<test::Scratch>();
    qputenv("XDG_STATE_HOME", m_scratch->path().c_str());
    m_theme = std::make_unique<style::Theme>(*style::embeddedTokens().tokens);
    m_theme->setMode(style::Mode::Light);
    m_theme->apply(*qApp);
    m_window = std::make_unique<MainWindow>(*m_theme, test::sampleRegistry(*m_theme));
}

void WindowTest::cleanup() {
    m_window.reset();
    m_theme.reset();
}

void WindowTest::show(QSize size) {
    m_window->resize(size);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void WindowTest::pagesComeFromTheRegistry() {
    QCOMPARE(m_window->pageIds(), QStringList({"overview", "live", "logs", "preferences"}));
    QCOMPARE(m_window->currentPage()->id(), QStringLiteral("overview"));
    m_window->showPage(QStringLiteral("strategy"));  // not there
    QCOMPARE(m_window->currentPage()->id(), QStringLiteral("overview"));
    QVERIFY(m_window->page(QStringLiteral("strategy")) == nullptr);
}

void WindowTest::keysChangePages() {
    show();
    press(Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(m_window->currentPage()->id(), QStringLiteral("live"));
    press(Qt::Key_Comma, Qt::ControlModifier);
    QCOMPARE(m_window->currentPage()->id(), QStringLiteral("preferences"));
    QVERIFY(find<QAbstractButton>("shell.pageBar.preferences")->isChecked());
    press(Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(m_window->currentPage()->id(), QStringLiteral("overview"));
}

void WindowTest::pageBarByArrows() {
    show();
    auto* overview = find<QAbstractButton>("shell.pageBar.overview");
    overview->setFocus(Qt::TabFocusReason);
    QTest::keyClick(overview, Qt::Key_Down);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
    QCOMPARE(m_window->currentPage()->id(), QStringLiteral("logs"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Up);
    QCOMPARE(m_window->currentPage()->id(), QStringLiteral("live"));
    QTest::mouseClick(overview, Qt::LeftButton);
    QCOMPARE(m_window->currentPage()->id(), QStringLiteral("overview"));
}

void WindowTest::pagesKnowWhenTheyAreInFront() {
    m_window->showPage(QStringLiteral("live"));
    m_window->showPage(QStringLiteral("live"));
    QCOMPARE(plain("live")->shown, 1);
    m_window->showPage(QStringLiteral("logs"));
    QCOMPARE(plain("live")->hidden, 1);
    QCOMPARE(plain("logs")->shown, 1);
    QCOMPARE(plain("preferences")->shown, 0);
}

void WindowTest::commandsAreSignals() {
    show();
    QSignalSpy run(m_window.get(), &MainWindow::runRequested), stop(m_window.get(), &MainWindow::stopRequested),
        resume(m_window.get(), &MainWindow::resumeRequested), open(m_window.get(), &MainWindow::openProjectRequested);
    press(Qt::Key_F5);
    QTest::mouseClick(find("shell.topBar.run"), Qt::LeftButton);
    QCOMPARE(run.count(), 0);  // nothing to run yet
    shell::RunControls controls;
    controls.run = controls.stop = true;
    controls.whyNotResume = QStringLiteral("No run has stopped.");
    m_window->setRunControls(controls);
    QCOMPARE(find("shell.topBar.resume")->toolTip(), controls.whyNotResume);
    QVERIFY(find("shell.topBar.run")->toolTip().contains(QStringLiteral("F5")));
    press(Qt::Key_F5);
    QTest::mouseClick(find("shell.topBar.run"), Qt::LeftButton);
    QCOMPARE(run.count(), 2);
    press(Qt::Key_F5, Qt::ShiftModifier);
    QCOMPARE(stop.count(), 1);
    press(Qt::Key_F5, Qt::ControlModifier);
    QCOMPARE(resume.count(), 0);
    press(Qt::Key_O, Qt::ControlModifier);
    QCOMPARE(open.count(), 1);
    QCOMPARE(open.first().first().toString(), QString());
}

void WindowTest::keyboardReachesEveryControl_data() {
    QTest::addColumn<QString>("page");
    for (const char* page : {"overview", "live", "logs"}) QTest::addRow("%s", page) << QString::fromLatin1(page);
}

void WindowTest::keyboardReachesEveryControl() {
    QFETCH(QString, page);
    test::fillWindow(*m_window);
    show();
    m_window->showPage(page);
    m_window->showPane(QStringLiteral("issues"));
    find("shell.topBar.project")->setFocus(Qt::TabFocusReason);
    QSet<const QWidget*> reached;
    std::vector<QString> order;
    for (int i = 0; i < 200; ++i) {
        const QWidget* now = QApplication::focusWidget();
        QVERIFY(now != nullptr);
        if (reached.contains(now)) break;
        reached.insert(now);
        order.push_back(now->objectName());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
        const bool control = qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QLineEdit*>(widget) ||
                             qobject_cast<const QAbstractItemView*>(widget);
        if (!control || !widget->isVisible() || !widget->isEnabled() || widget->inherits("QTableCornerButton") ||
            widget->inherits("QHeaderView"))
            continue;
        // Of the page bar Tab reaches the page in front; arrows reach the others.
        const bool navigation = widget->objectName().startsWith(QStringLiteral("shell.pageBar."));
        if (navigation && !static_cast<const QAbstractButton*>(widget)->isChecked()) continue;
        QVERIFY2(reached.contains(widget),
                 qPrintable(widget->objectName() + widget->accessibleName() + QLatin1String(widget->metaObject()->className()) +
                            widget->parentWidget()->objectName()));
    }
    const auto at = [&](const QString& name) { return std::find(order.begin(), order.end(), name) - order.begin(); };
    const auto inPage =
        at(page == QStringLiteral("overview") ? QStringLiteral("overview.heading.trySample") : page + QStringLiteral(".field"));
    QVERIFY(at(QStringLiteral("shell.topBar.search")) < at(QStringLiteral("shell.pageBar.") + page));
    QVERIFY(at(QStringLiteral("shell.pageBar.") + page) < inPage);
    QVERIFY(inPage < at(QStringLiteral("shell.pane.issues.list")));
    QVERIFY(at(QStringLiteral("shell.pane.issues.list")) < at(QStringLiteral("shell.bottomBar.issues")));
}

void WindowTest::everyControlHasANameForScreenReaders() {
    test::fillWindow(*m_window);
    show();
    m_window->showPage(QStringLiteral("live"));
    for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
        if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible()) continue;
        if (widget->objectName().startsWith(QStringLiteral("qt_"))) continue;
        QVERIFY2(!widget->accessibleName().isEmpty(), qPrintable(widget->objectName() + " " + widget->metaObject()->className()));
        QVERIFY2(!widget->objectName().isEmpty(), qPrintable(widget->accessibleName()));
    }
}

void WindowTest::pageBarCollapsesBelow1280() {
    show({1440, 900});
    const QWidget* live = find("shell.pageBar.live");
    QCOMPARE(live->parentWidget()->width(), style::layout::kPageBar);
    QVERIFY(live->toolTip().isEmpty());
    m_window->resize(1279, 900);
    QCOMPARE(live->parentWidget()->width(), style::layout::kPageBarCollapsed);
    QCOMPARE(live->toolTip(), QStringLiteral("Live"));
    m_window->resize(1280, 900);
    QCOMPARE(live->parentWidget()->width(), style::layout::kPageBar);
    press(Qt::Key_B, Qt::ControlModifier);  // by wish
    QCOMPARE(live->parentWidget()->width(), style::layout::kPageBarCollapsed);
}

void WindowTest::dockBecomesAToggleBelow1100() {
    show({1440, 900});
    QWidget* dock = find("shell.dock");
    QWidget* button = find("shell.bottomBar.dock");
    QVERIFY(!dock->isVisible());  // the Overview has none
    QVERIFY(!button->isVisible());
    m_window->showPage(QStringLiteral("live"));
    QVERIFY(dock->isVisible());
    QVERIFY(dock->width() >= style::layout::kValuesDock);
    m_window->resize(1099, 900);
    QVERIFY(!dock->isVisible());
    QVERIFY(button->isVisible());
    // It lies over the page, which stays as wide as it is.
    QTest::qWait(50);
    const int page = m_window->currentPage()->width();
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(dock->isVisible());
    QTest::qWait(50);
    QCOMPARE(m_window->currentPage()->width(), page);
    QCOMPARE(m_window->width(), 1099);
    QCOMPARE(dock->mapTo(m_window.get(), QPoint(dock->width(), 0)).x(), 1099);
    press(Qt::Key_F4);
    QVERIFY(!dock->isVisible());
    m_window->resize(1440, 900);
    QVERIFY(dock->isVisible());
    QTest::mouseClick(find("shell.dock.close"), Qt::LeftButton);
    QVERIFY(!dock->isVisible());
}

void WindowTest::panesOneAtATime() {
    show();
    QCOMPARE(m_window->openPane(), QString());
    press(Qt::Key_1, Qt::AltModifier);
    QCOMPARE(m_window->openPane(), QStringLiteral("issues"));
    QVERIFY(std::abs(find("shell.pane.issues")->height() - style::layout::kBottomPane) <= 2);
    QTest::mouseClick(find("shell.bottomBar.tasks"), Qt::LeftButton);
    QCOMPARE(m_window->openPane(), QStringLiteral("tasks"));
    QVERIFY(!find<QAbstractButton>("shell.bottomBar.issues")->isChecked());
    QTest::mouseClick(find("shell.pane.tasks.close"), Qt::LeftButton);
    QCOMPARE(m_window->openPane(), QString());
}

void WindowTest::pathsInIssuesBeginInTheProject() {
    show();
    m_window->setProject({QStringLiteral("digits"), QStringLiteral("/p/digits")});
    m_window->addIssue({shell::Severity::Error, QStringLiteral("F604"), QStringLiteral("/p/digits/runs can't be written."),
                        QStringLiteral("Look at /p/digits2/x.")});
    const auto row = find<QListView>("shell.pane.issues.list")->model()->index(0, 0);
    QCOMPARE(row.data(shell::IssueModel::SentenceRole).toString(), QStringLiteral("runs can't be written."));
    QCOMPARE(row.data(shell::IssueModel::NextRole).toString(), QStringLiteral("Look at /p/digits2/x."));
    QCOMPARE(row.data(Qt::ToolTipRole).toString(), QStringLiteral("F604 /p/digits/runs can't be written. Look at /p/digits2/x."));
}

void WindowTest::issuesOfPagesAreListed() {
    show();
    emit plain("live")->issueRaised(QStringLiteral("F609"), QStringLiteral("run.db is damaged."), QStringLiteral("Remove the run."));
    emit plain("live")->issueRaised(QStringLiteral("F609"), QStringLiteral("run.db is damaged."), QStringLiteral("Remove the run."));
    auto* list = find<QListView>("shell.pane.issues.list");
    QCOMPARE(list->model()->rowCount(), 1);
    QCOMPARE(list->model()->index(0, 0).data(shell::IssueModel::TimesRole).toInt(), 2);
    QVERIFY(find("shell.bottomBar.issues")->accessibleName().contains(QStringLiteral("1")));
    QVERIFY(list->model()->index(0, 0).data().toString().contains(QStringLiteral("F609 run.db is damaged. Remove the run.")));
    m_window->clearIssues();
    QCOMPARE(list->model()->rowCount(), 0);
    QCOMPARE(find("shell.bottomBar.issues")->accessibleName(), QStringLiteral("Issues"));
}

void WindowTest::tasksShowProgressAndCancel() {
    show();
    m_window->showPane(QStringLiteral("tasks"));
    m_window->setTasks({{QStringLiteral("a"), QStringLiteral("Starting sample"), QStringLiteral("spawning"), 1, 4},
                        {QStringLiteral("b"), QStringLiteral("Removing r3"), {}, 0, 0, shell::TaskState::Succeeded}});
    QCoreApplication::processEvents();
    QCOMPARE(find("shell.bottomBar.tasks")->accessibleName(), QStringLiteral("Tasks, 1"));
    QSignalSpy cancel(m_window.get(), &MainWindow::cancelTaskRequested);
    QList<QAbstractButton*> visible;
    for (QAbstractButton* button : m_window->findChildren<QAbstractButton*>(QStringLiteral("shell.pane.tasks.cancel")))
        if (button->isVisible()) visible << button;
    QCOMPARE(visible.size(), qsizetype(1));  // what has ended can't be cancelled
    QTest::mouseClick(visible.first(), Qt::LeftButton);
    QCOMPARE(cancel.count(), 1);
    QCOMPARE(cancel.first().first().toString(), QStringLiteral("a"));
    m_window->setTasks({});
    QCOMPARE(find("shell.bottomBar.tasks")->accessibleName(), QStringLiteral("Tasks"));
}

void WindowTest::locatorFindsPagesRunsAndActions() {
    show();
    QAction follow(QStringLiteral("&Follow"));
    QSignalSpy triggered(&follow, &QAction::triggered), chosen(m_window.get(), &MainWindow::runChosen);
    plain("live")->found = {&follow};
    m_window->setRuns({{shell::LocatorKind::Run, QStringLiteral("20260514-073110-ab10"), QStringLiteral("mnist-mirrored"),
                        QStringLiteral("running"), QStringLiteral("live")}});
    const auto go = [&](const QString& words) {
        press(Qt::Key_K, Qt::ControlModifier);
        QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("shell.locator.field"));
        QTest::keyClicks(QApplication::focusWidget(), words);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QVERIFY(!find("shell.locator")->isVisible());
    };
    go(QStringLiteral("liv"));
    QCOMPARE(m_window->currentPage()->id(), QStringLiteral("live"));
    go(QStringLiteral("mirr"));
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.first().first().toString(), QStringLiteral("20260514-073110-ab10"));
    go(QStringLiteral("follow"));
    QCOMPARE(triggered.count(), 1);
    QTest::mouseClick(find("shell.topBar.search"), Qt::LeftButton);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QCOMPARE(m_window->currentPage()->id(), QStringLiteral("logs"));
}

void WindowTest::locatorClosesByEscapeAndGivesTheFocusBack() {
    show();
    m_window->showPage(QStringLiteral("logs"));
    find("logs.field")->setFocus();
    press(Qt::Key_K, Qt::ControlModifier);
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("zzzz"));
    QVERIFY(!find("shell.locator.list")->isVisible());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);  // nothing to choose
    QVERIFY(find("shell.locator")->isVisible());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    QVERIFY(!find("shell.locator")->isVisible());
    QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("logs.field"));
    press(Qt::Key_K, Qt::ControlModifier);
    find("shell.topBar.target")->setFocus();
    QVERIFY(!find("shell.locator")->isVisible());
}

void WindowTest::closingAsksNothingAndKeepsTheLayout() {
    test::fillWindow(*m_window);
    show({1300, 800});
    QVERIFY(find("shell.bottomBar.note")->accessibleName().contains(QStringLiteral("go on")));
    m_window->showPage(QStringLiteral("logs"));
    m_window->showPane(QStringLiteral("tasks"));
    QVERIFY(m_window->close());
    QVERIFY(!m_window->isVisible());
    QVERIFY(QApplication::activeModalWidget() == nullptr);
    MainWindow again(*m_theme, test::sampleRegistry(*m_theme));
    again.setProject({QStringLiteral("cifar-ring"), QStringLiteral("/projects/cifar-ring")});
    QCOMPARE(again.currentPage()->id(), QStringLiteral("logs"));
    QCOMPARE(again.openPane(), QStringLiteral("tasks"));
}

void WindowTest::layoutPerProject() {
    show();
    m_window->setProject({QStringLiteral("one"), QStringLiteral("/one")});
    m_window->showPage(QStringLiteral("live"));
    press(Qt::Key_F4);
    m_window->setProject({QStringLiteral("two"), QStringLiteral("/two")});
    m_window->showPage(QStringLiteral("logs"));
    m_window->setProject({QStringLiteral("one"), QStringLiteral("/one")});
    QCOMPARE(m_window->currentPage()->id(), QStringLiteral("live"));
    QVERIFY(!find("shell.dock")->isVisible());
    m_window->setProject({QStringLiteral("two"), QStringLiteral("/two")});
    QCOMPARE(m_window->currentPage()->id(), QStringLiteral("logs"));
    QCOMPARE(m_window->windowTitle(), QStringLiteral("two – Lockstep"));
}

void WindowTest::themeChangesWhileOpen() {
    test::fillWindow(*m_window);
    show();
    const QImage light = m_window->grab().toImage();
    m_theme->setMode(style::Mode::Dark);
    QCoreApplication::processEvents();
    const QImage dark = m_window->grab().toImage();
    QVERIFY(qGray(light.pixel(400, 870)) > 200);
    int bright = 0;
    for (int y = 0; y < dark.height(); y += 3)
        for (int x = 0; x < dark.width(); x += 3) bright += qGray(dark.pixel(x, y)) > 150;
    QVERIFY2(bright * 9 < dark.width() * dark.height() / 12, "something stayed light");
}

LOCKSTEP_TEST(WindowTest)
#include "window_test.moc"
