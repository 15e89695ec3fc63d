#include "recorded_cluster.h"

#include <support/scratch.h>
#include <support/test.h>

#include <base/clock.h>
#include <charts/lane_view.h>
#include <charts/line_chart.h>
#include <charts/stack_chart.h>
#include <models/events_model.h>
#include <pages/live_page.h>
#include <store/writer.h>
#include <style/controls.h>
#include <style/theme.h>
#include <text/format.h>
#include <workbench/workbench.h>

#include <QtTest/qtestspontaneevent.h>
#include <QAccessible>
#include <QApplication>
#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSet>
#include <QSignalSpy>
#include <QTableView>
#include <QWheelEvent>

using namespace lockstep;
using namespace lockstep::pages;

namespace {

constexpr const char* kRun = "20260101-000000-aaaa";
constexpr int kPatience = 20'000;
constexpr int kPageWidth = 1440 - 180 - 272;

// $LOCKSTEP_PICTURES: a folder for what a person should look at.
void keepPicture(QWidget& widget, const QString& name) {
    const auto folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    widget.grab().save(folder + "/" + name + ".png");
}

}  // namespace

class LivePageTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<style::Theme> m_theme;

    // The page and its dock side by side, as the window has them at 1440 × 900.
    struct Shown {
        std::unique_ptr<api::Workbench> workbench;
        QWidget window;
        LivePage* page = nullptr;
        explicit Shown(const style::Theme& theme, const std::filesystem::path& project)
            : workbench(workbench::makeWorkbench({project, {}})), page(new LivePage(theme, &window)) {
            auto* row = new QHBoxLayout(&window);
            row->setContentsMargins(0, 0, 0, 0);
            row->setSpacing(0);
            row->addWidget(page, 1);
            row->addWidget(page->dock());
            page->dock()->setFixedWidth(272);
            page->dock()->show();
            window.resize(1440 - 180, 900 - 48 - 30);
            window.show();
            page->setRuns(&workbench->runs());
            page->activated();
        }
        ~Shown() { page->setRuns(nullptr); }
        charts::LineChart* chart(const char* series) const {
            return page->findChild<charts::LineChart*>(QStringLiteral("live.chart.") + series);
        }
    };

private slots:
    void initTestCase() {
        auto tokens = style::embeddedTokens();
        QVERIFY2(tokens.tokens.has_value(), qPrintable(tokens.error));
        m_theme = std::make_unique<style::Theme>(*tokens.tokens);
        m_theme->apply(*qApp);
        m_theme->setMode(style::Mode::Light);
    }

    void drawsEverythingThatIsStored() {
        test::Scratch scratch;
        QVERIFY(test::writeClusterRun(scratch.path(), kRun));
        Shown shown(*m_theme, scratch.path());
        shown.page->showRun(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(shown.page->isComplete(), kPatience);
        QTRY_COMPARE(shown.chart("loss")->counts().visible, std::size_t{12'400 + 12'400 / 775});
        QCOMPARE(shown.chart("loss")->series().size(), std::size_t{2});
        QCOMPARE(shown.page->findChild<charts::StackChart*>()->layers().size(), std::size_t{3});
        auto* lanes = shown.page->findChild<charts::LaneView*>();
        QCOMPARE(lanes->lanes().size(), std::size_t{8});
        QTRY_VERIFY(lanes->latest().has_value());
        QCOMPARE(lanes->latest()->rank, 6);
        keepPicture(shown.window, "live-light");
        m_theme->setMode(style::Mode::Dark);
        QTest::qWait(300);
        keepPicture(shown.window, "live-dark");
        m_theme->setMode(style::Mode::Light);
    }

    // Of a page that is not shown too: what comes after the values (the detail, read again after a folder was away) is no work left.
    void isCompleteWhileHidden() {
        test::Scratch scratch;
        QVERIFY(test::writeClusterRun(scratch.path(), kRun, {.ranks = 2, .steps = 40}));
        Shown shown(*m_theme, scratch.path());
        shown.page->deactivated();
        shown.page->showRun(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(shown.page->isComplete(), kPatience);
        const auto folder = scratch.path() / "runs" / kRun, away = scratch.path() / "away";
        const auto* grid = shown.page->findChild<QWidget*>("live.grid");
        for (int i = 0; i < 3; ++i) {
            QSignalSpy issues(shown.page, &LivePage::issueRaised);
            std::filesystem::rename(folder, away);
            QTRY_VERIFY_WITH_TIMEOUT(!issues.isEmpty(), kPatience);
            std::filesystem::rename(away, folder);
            QTRY_VERIFY_WITH_TIMEOUT(grid->isVisibleTo(shown.page) && shown.page->isComplete(), kPatience);
            QTest::qWait(100);
            QVERIFY(shown.page->isComplete());
        }
    }

    // Beside the page bar and the dock at 1440: nothing may push the window wider.
    void fitsBetweenPageBarAndDock() {
        test::Scratch scratch;
        QVERIFY(test::writeClusterRun(scratch.path(), kRun, {.ranks = 8, .steps = 400}));
        Shown shown(*m_theme, scratch.path());
        shown.page->showRun(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(shown.page->isComplete(), kPatience);
        QTest::qWait(200);
        for (const auto* part : shown.page->findChildren<QWidget*>())
            if (part->isVisible() && part->minimumSizeHint().width() > kPageWidth)
                QFAIL(qPrintable(QStringLiteral("%1 %2 wants %3")
                                     .arg(part->metaObject()->className(), part->objectName())
                                     .arg(part->minimumSizeHint().width())));
        QVERIFY(shown.page->minimumSizeHint().width() <= kPageWidth);
    }

    void everyControlHasANameAndIsReachedByTab() {
        test::Scratch scratch;
        QVERIFY(test::writeClusterRun(scratch.path(), kRun, {.ranks = 3, .steps = 400}));
        Shown shown(*m_theme, scratch.path());
        shown.page->showRun(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(shown.page->isComplete(), kPatience);
        QSet<QWidget*> wanted;
        for (auto* part : shown.window.findChildren<QWidget*>()) {
            if (!part->isVisible() || !part->isEnabled() || (part->focusPolicy() & Qt::TabFocus) == 0) continue;
            // Segments are one stop: arrows choose in them. A spin box has its focus in its own line.
            if (qobject_cast<style::SegmentedControl*>(part->parentWidget()) || part->focusProxy() != nullptr) continue;
            const auto name = QAccessible::queryAccessibleInterface(part)->text(QAccessible::Name);
            QVERIFY2(!name.isEmpty(), qPrintable(QStringLiteral("%1 %2").arg(part->metaObject()->className(), part->objectName())));
            wanted << part;
        }
        QVERIFY(wanted.size() > 15);
        QWidget* at = &shown.window;
        for (int i = 0; i < 400; ++i, at = at->nextInFocusChain()) wanted.remove(at);
        QVERIFY2(wanted.isEmpty(), wanted.isEmpty() ? "" : qPrintable((*wanted.begin())->objectName()));
    }

    void zoomLeavesFollowAndEndReturns() {
        test::Scratch scratch;
        QVERIFY(test::writeClusterRun(scratch.path(), kRun, {.ranks = 2, .steps = 400}));
        Shown shown(*m_theme, scratch.path());
        shown.page->showRun(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(shown.page->isComplete(), kPatience);
        auto* group = shown.chart("loss")->group();
        QVERIFY(group->following());
        group->zoom(2, 200);
        QVERIFY(!group->following());
        shown.chart("loss")->setFocus();
        QTest::keyClick(shown.chart("loss"), Qt::Key_End);
        QTRY_VERIFY(group->following());
    }

    // The table beside the charts: steps as whole numbers, curves with their colour, one heading over the rows of the ranks.
    void dockNamesValuesAndRanks() {
        test::Scratch scratch;
        QVERIFY(test::writeClusterRun(scratch.path(), kRun, {.ranks = 3, .steps = 2000}));
        Shown shown(*m_theme, scratch.path());
        shown.page->showRun(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(shown.page->isComplete(), kPatience);
        QCOMPARE(shown.page->findChild<QLabel*>("live.header.id")->text(), QString("aaaa"));
        auto* values = shown.page->dock()->findChild<QTableView*>("live.dock.values");
        const auto text = [&](int row, int column) { return values->model()->index(row, column).data().toString(); };
        QTRY_COMPARE(values->model()->rowCount(), 1 + 6 + 1 + 3);
        QCOMPARE(text(0, 0), QString("Step"));
        QCOMPARE(text(0, 1), QString("1"));
        QCOMPARE(text(0, 2), QString("2\u202F000"));
        QCOMPARE(text(7, 0), QString("Compute time, ms"));
        QCOMPARE(values->columnSpan(7, 0), 4);
        QCOMPARE(values->columnSpan(8, 0), 1);
        QCOMPARE(text(8, 0), QString("w0"));
        QVERIFY(text(8, 2).toDouble() > 30 && text(8, 2).toDouble() < 50);
        // Of validation nothing is known at the first step.
        QVERIFY(text(1, 0).contains("train") && text(2, 0).contains("val"));
        QCOMPARE(text(2, 1), QString(QChar(0x2013)));
        shown.page->findChild<charts::LineChart*>("live.chart.loss")->group()->setCursorA(2);
        QTRY_COMPARE(text(0, 1), QString("2"));
        QVERIFY(text(1, 1).toDouble() > 0);
        QCOMPARE(text(2, 1), QString(QChar(0x2013)));
    }

    // A run that was killed and goes on, watched all the while: the abandoned attempt is gone from every curve, the resume is in the list
    // and in the charts. With rows of the real store.
    void resumedRunReplacesTheAbandonedAttempt() {
        test::Scratch scratch;
        QVERIFY(test::writeClusterRun(scratch.path(), kRun, {.ranks = 2, .steps = 400, .started = 1'767'250'000}));
        Shown shown(*m_theme, scratch.path());
        shown.page->showRun(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(shown.page->isComplete(), kPatience);
        const auto size = [&](const char* name, int rank) { return shown.page->samples({name, rank})->size(); };
        QCOMPARE(size("loss", -1), std::size_t{400});
        QCOMPARE(size("compute_seconds", 1), std::size_t{40});
        auto* events = shown.page->dock()->findChild<QTableView*>("live.dock.events")->model();
        const auto words = [&] {
            QStringList all;
            for (int row = 0; row < events->rowCount(); ++row)
                all << events->index(row, models::EventsModel::Text).data().toString() + ' ' +
                           events->index(row, models::EventsModel::Step).data().toString();
            return all;
        };
        QTRY_VERIFY2(words().contains("Started "), qPrintable(words().join(';')));
        {
            auto writer = store::Writer::open(scratch.path() / "runs" / kRun / "run.db");
            VERIFY_OK(writer);
            VERIFY_OK((*writer)->setState(store::RunState::Staging, "resumed", "user"));
            const double now = unixSeconds() + 1;
            std::vector<telemetry::Batch> batches{{{"loss", telemetry::kNoRank}, {}},
                                                  {{"compute_seconds", 0}, {}},
                                                  {{"compute_seconds", 1}, {}},
                                                  {{"memory_bytes", 1}, {{255, now + 55, 2e9}}}};
            for (std::uint64_t step = 201; step <= 260; ++step)
                for (std::size_t i = 0; i < 3; ++i)
                    if (i == 0 || step % 10 == 0) batches[i].points.push_back({step, now + double(step - 200), 0.04});
            VERIFY_OK((*writer)->append(batches, "", 0));
            VERIFY_OK((*writer)->flush());
        }
        QTRY_COMPARE_WITH_TIMEOUT(size("loss", -1), std::size_t{260}, kPatience);
        QCOMPARE(size("compute_seconds", 1), std::size_t{26});
        QCOMPARE(size("memory_bytes", 1), std::size_t{2});
        for (const auto& key : {api::SeriesKey{"loss", -1}, {"compute_seconds", 0}, {"compute_seconds", 1}, {"memory_bytes", 1}}) {
            const auto samples = shown.page->samples(key);
            QCOMPARE(samples->pieces().size(), std::size_t{1});
            for (std::size_t i = 1; i < samples->size(); ++i) QVERIFY(samples->at(i).step > samples->at(i - 1).step);
        }
        QTRY_VERIFY2_WITH_TIMEOUT(words().contains("Resumed 201"), qPrintable(words().join(';')), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!shown.chart("loss")->events().empty(), kPatience);
        QCOMPARE(shown.chart("loss")->events().front().label, QString("resumed at 201"));
        keepPicture(shown.window, "resumed");
    }

    // Figures say the same wherever they stand, and nothing before it rests on something.
    void figuresAgreeAndEtaWaits() {
        test::Scratch scratch;
        QVERIFY(test::writeClusterRun(scratch.path(), kRun, {.ranks = 3, .steps = 100, .lateFrom = 20, .lateRank = 2}));
        Shown shown(*m_theme, scratch.path());
        shown.page->showRun(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(shown.page->isComplete(), kPatience);
        const auto* header = shown.page->findChild<QWidget*>("live.header");
        const auto shows = [&](const QString& words) {
            for (const auto* part : header->findChildren<QWidget*>()) {
                const auto* label = qobject_cast<const QLabel*>(part);
                if ((label != nullptr ? label->text() : part->accessibleName()).contains(words)) return true;
            }
            return false;
        };
        const auto loss = shown.page->samples({"loss", -1})->last().value;
        const auto last = shown.chart("loss")->lastValue(0);
        QVERIFY(last && last->raw == loss && last->shown != loss);
        QTRY_VERIFY(shows(text::formatFigure(loss)));
        // Ten values of each rank are too few; the run isn't known to go on either.
        QVERIFY(!shows("ETA"));
        {
            auto writer = store::Writer::open(scratch.path() / "runs" / kRun / "run.db");
            VERIFY_OK(writer);
            VERIFY_OK((*writer)->setState(store::RunState::Stopped, "stopped by cli", "controller"));
        }
        QTRY_VERIFY_WITH_TIMEOUT(!shows("late") && shows("stopped by cli"), kPatience);
        QVERIFY(!shows("3 of 3"));
    }

    // The wheel over a chart scrolls the grid, with Ctrl it zooms.
    void wheelScrollsTheGrid() {
        test::Scratch scratch;
        QVERIFY(test::writeClusterRun(scratch.path(), kRun, {.ranks = 2, .steps = 400}));
        Shown shown(*m_theme, scratch.path());
        shown.page->showRun(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(shown.page->isComplete(), kPatience);
        auto* chart = shown.chart("loss");
        const auto* bar = shown.page->findChild<QScrollArea*>("live.grid")->verticalScrollBar();
        QTRY_VERIFY(bar->maximum() > 0);
        const auto turn = [&](Qt::KeyboardModifiers modifiers) {
            const QPointF at = chart->plotArea().center();
            QWheelEvent event(at, chart->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
            QSpontaneKeyEvent::setSpontaneous(&event);
            qApp->notify(chart, &event);
        };
        turn(Qt::NoModifier);
        QTRY_VERIFY(bar->value() > 0);
        QVERIFY(chart->group()->following());
        const int scrolled = bar->value();
        turn(Qt::ControlModifier);
        QCOMPARE(bar->value(), scrolled);
        QVERIFY(!chart->group()->following());
    }

    void runDeletedWhileItIsShown() {
        test::Scratch scratch;
        QVERIFY(test::writeClusterRun(scratch.path(), kRun, {.ranks = 2, .steps = 400}));
        Shown shown(*m_theme, scratch.path());
        QSignalSpy issues(shown.page, &Page::issueRaised);
        shown.page->showRun(RunId{kRun});
        QTRY_VERIFY_WITH_TIMEOUT(shown.page->isComplete(), kPatience);
        std::filesystem::remove_all(scratch.path() / "runs" / kRun);
        QTRY_COMPARE_WITH_TIMEOUT(issues.size(), 1, kPatience);
        QCOMPARE(issues[0][0].toString(), QString("R531"));
        QVERIFY(!issues[0][2].toString().isEmpty());
    }
};

LOCKSTEP_TEST(LivePageTest)
#include "live_page_test.moc"
