// The Logs page over real log files. LOCKSTEP_PICTURES=DIR keeps pictures of it.
#include <support/scratch.h>
#include <support/test.h>

#include <base/clock.h>
#include <base/file.h>
#include <pages/logs_page.h>
#include <workbench/workbench.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QSignalSpy>

#include <fstream>

using namespace lockstep;
using namespace lockstep::pages;

namespace {

constexpr const char* kRun = "20260301-120000-aaaa";
constexpr double kStart = 1'772'366'400;
constexpr int kPatience = 20'000;

std::string line(double time, char level, const std::string& who, const std::string& text) {
    return toIsoTime(time) + " " + level + " " + who + ": " + text + "\n";
}

std::string rankLog(int rank, int steps) {
    const auto who = "rank " + std::to_string(rank);
    auto text = line(kStart + 1, 'I', who, "device cpu:" + std::to_string(rank) + ", 2 cores, avx2");
    for (int step = 1; step <= steps; ++step) {
        const double time = kStart + 2 + step * 0.05 + rank * 0.01;
        text += line(time, 'I', who, "step " + std::to_string(step) + " loss 0." + std::to_string(9000 - step % 9000));
        if (rank == 1 && step % 40 == 0) text += line(time + 0.001, 'W', who, "input was late by 12 ms");
        if (rank == 2 && step == 90) {
            text += line(time + 0.001, 'E', who, "the checkpoint can't be written: no space left on the device (F605)");
            text += "  at checkpoints/step-000090\n";
        }
    }
    return text;
}

}  // namespace

class LogsPageTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_scratch = std::make_unique<test::Scratch>();
        m_logs = m_scratch->path() / "runs" / kRun / "logs";
        VERIFY_OK(makeFolders(m_logs));
        VERIFY_OK(replaceFile(m_logs / "controller.log", line(kStart, 'I', "controller", "4 ranks on 1 host") +
                                                             line(kStart + 3, 'I', "controller", "checkpoint at step 20")));
        for (int rank = 0; rank < 4; ++rank) VERIFY_OK(replaceFile(m_logs / ("rank-" + std::to_string(rank) + ".log"), rankLog(rank, 120)));
        m_workbench = workbench::makeWorkbench({m_scratch->path(), {}});
        m_theme = std::make_unique<style::Theme>(*style::embeddedTokens().tokens);
        m_theme->setMode(style::Mode::Light);
        m_theme->apply(*qApp);
        m_page = std::make_unique<LogsPage>(*m_theme, m_workbench->logs());
        m_page->resize(1260, 822);  // of 1440×900 without bars
        m_page->show();
        m_field = m_page->findChild<QLineEdit*>("logs.filter.pattern");
        m_problem = m_page->findChild<QLabel*>("logs.filter.problem");
        m_view = m_page->findChild<QWidget*>("logs.lines.view");
        m_sources = m_page->findChild<QListWidget*>("logs.sources.list");
        QVERIFY(m_field && m_problem && m_view && m_sources);
    }
    void cleanup() {
        m_page.reset();
        m_theme.reset();
        m_workbench.reset();
        m_scratch.reset();
    }

    void emptyUntilARunIsOpen() {
        m_page->activated();
        QVERIFY(!m_view->isVisible());
        QSignalSpy wanted(m_page.get(), &LogsPage::overviewWanted);
        keep("logs-empty");
        m_page->open(RunId{kRun}, "digits");
        QTRY_VERIFY_WITH_TIMEOUT(m_view->isVisible(), kPatience);
        m_page->close();
        QVERIFY(!m_view->isVisible());
    }
    void allSourcesMerged() {
        openRun();
        QCOMPARE(m_page->model().rowCount(), all());
        QCOMPARE(m_sources->count(), 6);  // all, controller, four ranks
        QTRY_COMPARE(bar()->value(), bar()->maximum());
        double last = 0;
        for (int row = 0; row < m_page->model().rowCount(); ++row) {
            const double time = m_page->model().index(row).data(models::LogModel::TimeRole).toDouble();
            QVERIFY(time >= last);
            last = time;
        }
        keep("logs");
    }
    void oneSource() {
        openRun();
        m_sources->setCurrentRow(1);
        QCOMPARE(m_page->model().rowCount(), 2);
        m_sources->setCurrentRow(4);
        QCOMPARE(m_page->model().rowCount(), 123);
        m_sources->setCurrentRow(0);
        QCOMPARE(m_page->model().rowCount(), all());
    }
    void aPatternThatIsNone() {
        openRun();
        QTest::keyClicks(m_field, "checkpoint");
        QTRY_COMPARE(m_page->model().rowCount(), 3);
        QTest::keyClicks(m_field, " (");
        QTRY_VERIFY(m_problem->isVisible());
        QVERIFY(m_problem->text().contains("last valid one"));
        QVERIFY(m_field->property("invalid").toBool());
        QCOMPARE(m_page->model().rowCount(), 3);
        keep("logs-invalid");
        QTest::keyClick(m_field, Qt::Key_Backspace);
        QTest::keyClick(m_field, Qt::Key_Backspace);
        QTRY_VERIFY(!m_problem->isVisible());
        m_field->setText("nothing says this");
        QTRY_VERIFY(!m_view->isVisible());
        keep("logs-nothing");
    }
    void nextErrorByKey() {
        openRun();
        m_view->setFocus();
        QTest::keyClick(m_view, Qt::Key_F8);
        QVERIFY(!m_page->model().isFollowing());
        const auto copy = copied(Qt::ControlModifier);
        QVERIFY2(copy.startsWith("rank 2 | ") && copy.contains("no space left"), qPrintable(copy));
        QCOMPARE(copy.count('\n'), 1);
        QCOMPARE(copied(Qt::ControlModifier | Qt::ShiftModifier).count('\n'), 7);
        QTest::keyClick(m_view, Qt::Key_F8);  // the only one: its second line is not another error
        QCOMPARE(copied(Qt::ControlModifier), copy);
        keep("logs-error");
    }
    void keyboardMovesAndFollows() {
        openRun();
        m_view->setFocus();
        QTest::keyClick(m_view, Qt::Key_Home);
        QCOMPARE(bar()->value(), 0);
        QVERIFY(!m_page->model().isFollowing());
        QVERIFY(copied(Qt::ControlModifier).startsWith("controller | "));
        QTest::keyClick(m_view, Qt::Key_Down, Qt::ShiftModifier);
        QTest::keyClick(m_view, Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(copied(Qt::ControlModifier).count('\n'), 3);
        std::ofstream(m_logs / "rank-0.log", std::ios::app) << line(kStart + 100, 'I', "rank 0", "one more");
        QTRY_COMPARE_WITH_TIMEOUT(m_page->model().rowCount(), all() + 1, kPatience);
        QCOMPARE(bar()->value(), 0);  // whoever reads is not carried away
        QTest::keyClick(m_view, Qt::Key_End);
        QVERIFY(m_page->model().isFollowing());
        QCOMPARE(bar()->value(), bar()->maximum());
        std::ofstream(m_logs / "rank-0.log", std::ios::app) << line(kStart + 101, 'I', "rank 0", "and more");
        QTRY_COMPARE_WITH_TIMEOUT(m_page->model().rowCount(), all() + 2, kPatience);
        QCOMPARE(bar()->value(), bar()->maximum());
    }
    void jumpFromAChart() {
        m_page->open(RunId{kRun}, "digits");
        m_page->showAt(2, kStart + 4.5);  // before anything is read
        m_page->activated();
        QTRY_VERIFY_WITH_TIMEOUT(!m_page->model().isFollowing() && copied(Qt::ControlModifier).contains("rank 2: step 49"), kPatience);
        m_field->setText("controller says");
        QTRY_COMPARE(m_page->model().rowCount(), 0);
        m_page->showAt(1, kStart + 3);
        QTRY_VERIFY(copied(Qt::ControlModifier).contains("rank 1: step 19"));
        QVERIFY(m_field->text().isEmpty());
    }
    void readsNothingBehindOtherPages() {
        openRun();
        m_page->showAt(1, kStart + 3);
        m_page->deactivated();
        std::ofstream(m_logs / "rank-0.log", std::ios::app) << line(kStart + 100, 'I', "rank 0", "meanwhile");
        QTest::qWait(300);
        QCOMPARE(m_page->model().rowCount(), all());
        m_page->activated();
        QTRY_COMPARE_WITH_TIMEOUT(m_page->model().rowCount(), all() + 1, kPatience);
        QTRY_VERIFY(copied(Qt::ControlModifier).contains("rank 1: step 19"));
    }
    void aRunDeletedMeanwhile() {
        openRun();
        QSignalSpy issues(m_page.get(), &Page::issueRaised);
        std::filesystem::rename(m_scratch->path() / "runs" / kRun, *m_scratch / "aside");
        QTRY_COMPARE_WITH_TIMEOUT(issues.count(), 1, kPatience);
        QCOMPARE(issues[0][0].toString(), QString("R531"));
        QVERIFY(m_view->isVisible());
        keep("logs-deleted");
    }
    void everyControlHasANameAndTheKeyboard() {
        openRun();
        for (auto* widget : m_page->findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus) continue;
            QVERIFY2(widget->focusPolicy() & Qt::TabFocus || widget->inherits("QToolButton") || widget->inherits("QScrollBar") ||
                         widget->inherits("QSplitterHandle"),
                     widget->metaObject()->className());
            const bool named = !widget->accessibleName().isEmpty() || !widget->property("text").toString().isEmpty();
            QVERIFY2(named, (std::string(widget->metaObject()->className()) + " " + widget->objectName().toStdString()).c_str());
        }
    }

private:
    static int all() { return 2 + 4 * 121 + 3 + 2; }
    void openRun() {
        m_page->open(RunId{kRun}, "digits");
        m_page->activated();
        QTRY_COMPARE_WITH_TIMEOUT(m_page->model().rowCount(), all(), kPatience);
    }
    QScrollBar* bar() const { return qobject_cast<QAbstractScrollArea*>(m_view)->verticalScrollBar(); }
    QString copied(Qt::KeyboardModifiers modifiers) const {
        QApplication::clipboard()->clear();
        for (auto* action : m_page->pageActions())
            if (action->shortcut() == QKeySequence(modifiers | Qt::Key_C)) action->trigger();
        return QApplication::clipboard()->text();
    }
    void keep(const char* name) {
        const auto folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (folder.isEmpty()) return;
        for (const auto mode : {style::Mode::Light, style::Mode::Dark}) {
            m_theme->setMode(mode);
            QCoreApplication::processEvents();
            const auto file = QString("%1/%2-%3.png").arg(folder, name, mode == style::Mode::Light ? "light" : "dark");
            QVERIFY(m_page->grab().save(file));
        }
        m_theme->setMode(style::Mode::Light);
    }

    std::unique_ptr<test::Scratch> m_scratch;
    std::filesystem::path m_logs;
    std::unique_ptr<api::Workbench> m_workbench;
    std::unique_ptr<style::Theme> m_theme;
    std::unique_ptr<LogsPage> m_page;
    QLineEdit* m_field = nullptr;
    QLabel* m_problem = nullptr;
    QWidget* m_view = nullptr;
    QListWidget* m_sources = nullptr;
};

LOCKSTEP_TEST(LogsPageTest)
#include "logs_page_test.moc"
