// Worker lanes: ratio to the median, silence, folding, clicks; and the stack beside them.
#include <charts/lane_view.h>
#include <charts/stack_chart.h>
#include <support/test.h>

#include "look.h"

#include <QFontInfo>
#include <QFontMetricsF>
#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>

#include <cmath>

using namespace lockstep::charts;
using lockstep::charts::test::paletteColors;

namespace {

std::shared_ptr<SeriesData> steady(std::uint64_t steps, double value) {
    auto data = std::make_shared<SeriesData>();
    for (std::uint64_t step = 1; step <= steps; ++step) data->append({step, 1000 + double(step), value});
    return data;
}

struct Lanes {
    ChartGroup group;
    LaneView view{&group};

    // Worker 2 takes `late` times as long from step 800 on; worker 1 stops at `stops`.
    explicit Lanes(double late = 1.7, std::uint64_t stops = 1000) {
        std::vector<Lane> lanes;
        for (int rank = 0; rank < 4; ++rank) {
            auto data = std::make_shared<SeriesData>();
            for (std::uint64_t step = 1; step <= (rank == 1 ? stops : 1000); ++step)
                data->append({step, 1000 + double(step), 0.04 * (rank == 2 && step >= 800 ? late : 1.0)});
            lanes.push_back({rank, rank < 2 ? "gpu-a" : "gpu-b", QString("w%1").arg(rank), QString(":%1").arg(rank % 2), data});
        }
        view.setColors(paletteColors("light"));
        view.setLanes(lanes);
        view.resize(900, view.sizeHint().height());
        view.show();
        group.refreshNow();
    }
    QPoint cell(int row, double x) const {
        const double top = view.plotArea().top() + row * 18 + (row >= 2 ? 4 : 0);
        return {static_cast<int>(std::lround(view.pixelAt(x))), static_cast<int>(top) + 8};
    }
    QColor colorAt(int row, double x) { return view.image(1).pixelColor(cell(row, x)); }
};

}  // namespace

class LaneViewTest : public QObject {
    Q_OBJECT
private slots:
    void lateIsTheRatioToTheMedian() {
        Lanes lanes;
        QCOMPARE(lanes.view.valueOf(2), QString("1.70×"));
        QCOMPARE(lanes.view.valueOf(0), QString("1.00×"));
        const auto latest = lanes.view.latest();
        QVERIFY(latest);
        QCOMPARE(latest->rank, 2);
        QVERIFY(std::abs(latest->ratio - 1.7) < 1e-6);
        QVERIFY(std::abs(double(latest->sinceStep) - 800) < 10);
    }

    void coloursSwitchAtTheCuts() {
        const ChartColors colors = paletteColors("light");
        const double ratios[] = {1.0, 1.08, 1.2, 1.4, 1.7, 2.5};
        for (std::size_t i = 0; i < 6; ++i) {
            Lanes lanes(ratios[i]);
            QCOMPARE(lanes.colorAt(2, 900), colors.late[i]);
            QCOMPARE(lanes.colorAt(2, 300), colors.late[0]);
        }
    }

    void allOnPace() {
        Lanes lanes(1.0);
        QVERIFY(!lanes.view.latest());
    }

    void loadIsLinear() {
        ChartGroup group;
        LaneView view(&group);
        const ChartColors colors = paletteColors("dark");
        view.setColors(colors);
        view.setMode(LaneMode::Load);
        view.setLanes({{0, "a", "w0", ":0", steady(100, 0.6)}, {1, "a", "w1", ":1", steady(100, 1.0)}});
        view.resize(600, view.sizeHint().height());
        view.show();
        group.refreshNow();
        QCOMPARE(view.valueOf(0), QString("60") + QChar(0x202F) + "%");
        const QImage image = view.image(1);
        QCOMPARE(image.pixelColor(300, 28), colors.load[3]);
        QCOMPARE(image.pixelColor(300, 46), colors.load[5]);
    }

    void tooltipNamesWorkerAndValue() {
        Lanes lanes;
        const auto boxPixels = [&] {
            const QImage picture = lanes.view.grab().toImage();
            int count = 0;
            for (int y = 0; y < picture.height(); ++y)
                for (int x = 0; x < picture.width(); ++x) count += picture.pixelColor(x, y) == lanes.view.colors().border;
            return count;
        };
        const int before = boxPixels();
        QTest::mouseMove(&lanes.view, lanes.cell(2, 900));
        QCoreApplication::processEvents();
        QVERIFY(boxPixels() > before + 60);  // the edge of the box
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(&lanes.view, &leave);
        QCoreApplication::processEvents();
        QCOMPARE(boxPixels(), before);
    }

    void silenceIsHatched() {
        Lanes heard(1.0, 1000);
        Lanes silent(1.0, 500);
        const ChartColors colors = paletteColors("light");
        const QImage image = silent.view.image(1);
        int hatch = 0;
        for (int i = 0; i < 60; ++i) hatch += image.pixelColor(silent.cell(1, 700) + QPoint(i, 0)) == colors.mutedText;
        QVERIFY(hatch >= 4);
        QCOMPARE(silent.colorAt(1, 300), colors.late[0]);
        const QImage whole = heard.view.image(1);
        for (int i = 0; i < 60; ++i) QVERIFY(whole.pixelColor(heard.cell(1, 700) + QPoint(i, 0)) == colors.late[0]);
    }

    void fewSamplesFillTheirCells() {
        ChartGroup group;
        LaneView view(&group);
        view.setColors(paletteColors("light"));
        auto data = std::make_shared<SeriesData>();
        for (std::uint64_t step = 0; step <= 10; ++step) data->append({step * 100, double(step), 0.5});
        view.setMode(LaneMode::Load);
        view.setLanes({{0, "a", "w0", ":0", data}});
        view.resize(900, view.sizeHint().height());
        view.show();
        group.refreshNow();
        const QImage image = view.image(1);
        const QColor first = image.pixelColor(static_cast<int>(view.pixelAt(10)), 28);
        for (double x = 10; x < 980; x += 10) QCOMPARE(image.pixelColor(static_cast<int>(view.pixelAt(x)), 28), first);
    }

    void aClickNamesWorkerAndStep() {
        Lanes lanes;
        QSignalSpy clicks(&lanes.view, &LaneView::cellClicked);
        QSignalSpy hovers(&lanes.view, &LaneView::cellHovered);
        QTest::mouseMove(&lanes.view, lanes.cell(2, 600));
        QTest::mouseClick(&lanes.view, Qt::LeftButton, {}, lanes.cell(2, 600));
        QCOMPARE(clicks.count(), 1);
        QCOMPARE(clicks[0][0].toInt(), 2);
        QVERIFY(std::abs(clicks[0][1].toDouble() - 600) < 3);
        QVERIFY(lanes.group.cursorA());
        QVERIFY(hovers.count() >= 1 && hovers.last()[0].toInt() == 2);
        QTest::keyClick(&lanes.view, Qt::Key_Down);
        QTest::keyClick(&lanes.view, Qt::Key_Space);
        QCOMPARE(clicks.last()[0].toInt(), 3);
    }

    // More workers than there is room for: they scroll, the axis and the events stay, no name runs into another.
    void manyWorkersScrollUnderAFixedAxis_data() {
        QTest::addColumn<int>("ranks");
        QTest::newRow("12") << 12;
        QTest::newRow("64") << 64;
    }
    void manyWorkersScrollUnderAFixedAxis() {
        QFETCH(int, ranks);
        ChartGroup group;
        LaneView view(&group);
        const ChartColors colors = paletteColors("light");
        view.setColors(colors);
        std::vector<Lane> lanes;
        for (int rank = 0; rank < ranks; ++rank)
            lanes.push_back({rank, "here", QString("w%1").arg(rank), QString(":%1").arg(rank), steady(1000, rank == ranks - 1 ? 2 : 1)});
        view.setLanes(lanes);
        view.setEvents({{EventKind::Alert, 250, 1250, "late", 2}});
        view.setFixedHeight(150);
        view.resize(900, 150);
        view.show();
        group.refreshNow();
        auto* bar = view.findChild<QScrollBar*>("lanes.scroll");
        QVERIFY(bar != nullptr && bar->isVisible());
        QCOMPARE(bar->maximum(), view.sizeHint().height() - 150);
        const auto drawn = [&](const QRect& area) {
            const QImage picture = view.grab().toImage();
            int count = 0;
            for (int y = area.top(); y <= area.bottom(); ++y)
                for (int x = area.left(); x <= area.right(); ++x) count += picture.pixelColor(x, y) != colors.background;
            return count;
        };
        const QRect axis(static_cast<int>(view.plotArea().left()), 130, static_cast<int>(view.plotArea().width()), 20);
        const auto colorOfLast = [&](int fromBottom) {
            return view.grab().toImage().pixelColor(static_cast<int>(view.pixelAt(900)),
                                                    static_cast<int>(view.plotArea().bottom()) - fromBottom);
        };
        const int ticks = drawn(axis);
        QVERIFY2(ticks > 20, qPrintable(QString::number(ticks)));
        QCOMPARE(colorOfLast(8), colors.late[0]);
        bar->setValue(bar->maximum());
        group.refreshNow();
        QCOMPARE(drawn(axis), ticks);
        QCOMPARE(colorOfLast(8), colors.late[5]);
        QCOMPARE(view.grab().toImage().pixelColor(static_cast<int>(view.pixelAt(250)), 10), colors.warning);
        // The row under the pointer is the one that is seen there.
        QSignalSpy clicks(&view, &LaneView::cellClicked);
        QTest::mouseClick(&view, Qt::LeftButton, {},
                          QPoint(static_cast<int>(view.pixelAt(600)), static_cast<int>(view.plotArea().bottom()) - 8));
        QCOMPARE(clicks.last()[0].toInt(), ranks - 1);
        QTest::keyClick(&view, Qt::Key_Up);
        for (int i = 1; i < ranks; ++i) QTest::keyClick(&view, Qt::Key_Up);
        QCOMPARE(bar->value(), 0);
        // Between worker and device there is a gap, and another before the cells.
        QFont strong = view.font();
        strong.setPixelSize(static_cast<int>(std::lround(QFontInfo(view.font()).pixelSize() * 11.0 / 13.0)));
        strong.setBold(true);
        const QFontMetricsF metrics(strong);
        const QString number = QString::number(ranks - 1);
        QVERIFY(view.plotArea().left() >= 104 + metrics.horizontalAdvance("w" + number) + 8 + metrics.horizontalAdvance(":" + number) + 8);
        // A picture for others has them all.
        QCOMPARE(view.image(1).height(), view.sizeHint().height());
    }

    void wheelScrollsTheRowsThenThePage() {
        ChartGroup group;
        LaneView view(&group);
        std::vector<Lane> lanes;
        for (int rank = 0; rank < 12; ++rank) lanes.push_back({rank, "here", QString("w%1").arg(rank), ":0", steady(100, 1)});
        view.setLanes(lanes);
        view.setFixedHeight(150);
        view.resize(900, 150);
        view.show();
        auto* bar = view.findChild<QScrollBar*>("lanes.scroll");
        const auto turn = [&](int down) {
            const QPointF at = view.rect().center();
            QWheelEvent event(at, view.mapToGlobal(at), {}, {0, -120 * down}, Qt::NoButton, {}, Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(&view, &event);
            return event.isAccepted();
        };
        QVERIFY(turn(1));
        QVERIFY(bar->value() > 0);
        for (int i = 0; i < 20; ++i) turn(1);
        QCOMPARE(bar->value(), bar->maximum());
        QVERIFY(!turn(1));
    }

    void foldedHostShowsItsWorst() {
        Lanes lanes;
        const int before = lanes.view.sizeHint().height();
        QTest::mouseClick(&lanes.view, Qt::LeftButton, {}, QPoint(10, lanes.cell(2, 0).y()));
        QVERIFY(lanes.view.folded("gpu-b"));
        QCOMPARE(lanes.view.sizeHint().height(), before - 18);
        QCOMPARE(lanes.colorAt(2, 900), paletteColors("light").late[4]);
        lanes.view.setFolded("gpu-b", false);
        QCOMPARE(lanes.view.sizeHint().height(), before);
    }

    void statesAndEvents() {
        Lanes lanes;
        auto all = lanes.view.lanes();
        all[0].states = {{0, 500, 1000, 1500, "compute", 0}, {500, 1000, 1500, 2000, "dead", kDeadState}};
        lanes.view.setLanes(all);
        lanes.view.setMode(LaneMode::States);
        lanes.view.setEvents({{EventKind::Alert, 250, 1250, "late", 2}});
        const ChartColors colors = paletteColors("light");
        QCOMPARE(lanes.colorAt(0, 250), colors.series[0].fill);
        QCOMPARE(lanes.colorAt(0, 700), colors.error);
        QCOMPARE(lanes.view.image(1).pixelColor(static_cast<int>(lanes.view.pixelAt(250)), 10), colors.warning);
        QSignalSpy events(&lanes.view, &LaneView::eventClicked);
        QTest::mouseClick(&lanes.view, Qt::LeftButton, {}, QPoint(static_cast<int>(lanes.view.pixelAt(250)), 9));
        QCOMPARE(events.count(), 1);
    }

    void stackAddsItsLayers() {
        ChartGroup group;
        StackChart chart(&group);
        const ChartColors colors = paletteColors("light");
        chart.setColors(colors);
        chart.setLayers({{"data", steady(1000, 10), 7}, {"compute", steady(1000, 30), 0}, {"comm", steady(1000, 20), 2}});
        chart.resize(400, 200);
        chart.show();
        group.refreshNow();
        QCOMPARE(chart.lastValues(), (std::vector<double>{10, 30, 20, 60}));
        QCOMPARE(chart.valuesAt(500), (std::vector<double>{10, 30, 20}));
        QVERIFY(chart.yRange().to >= 60 && chart.yRange().to < 70);
        const QImage image = chart.image(1);
        const QRectF area = chart.plotArea();
        const auto at = [&](double value) {
            return image.pixelColor(static_cast<int>(area.center().x()),
                                    static_cast<int>(area.bottom() - area.height() * value / chart.yRange().to));
        };
        QCOMPARE(at(5), colors.series[7].fill);
        QCOMPARE(at(25), colors.series[0].fill);
        QCOMPARE(at(50), colors.series[2].fill);
        QCOMPARE(at(63), colors.background);
        QVERIFY(chart.csv().contains("comm,1000,2000.000,20\n"));
    }
};

LOCKSTEP_TEST(LaneViewTest)
#include "lane_view_test.moc"
