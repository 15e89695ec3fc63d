// LineChart and its group, driven by mouse and keys: follow, zoom, pan, cursors, counts, export.
#include <charts/line_chart.h>
#include <charts/ticks.h>
#include <support/test.h>

#include "look.h"

#include <QSignalSpy>
#include <QWheelEvent>

#include <cmath>
#include <limits>

using namespace lockstep::charts;
using lockstep::charts::test::lossCurve;
using lockstep::charts::test::paletteColors;

namespace {

bool turnWheel(QWidget& widget, const QPointF& at, int notches, Qt::KeyboardModifiers modifiers = Qt::ControlModifier) {
    QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&widget, &event);
    return event.isAccepted();
}

int pixelsOf(const QImage& image, const QColor& color) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, y) == color;
    return count;
}

struct Page {
    ChartGroup group;
    LineChart chart{&group};
    std::shared_ptr<SeriesData> data = lossCurve(5000, 4);

    Page() {
        chart.setColors(paletteColors("light"));
        chart.setTitle("Loss");
        chart.setSeries({{"train", data}});
        chart.resize(640, 240);
        chart.show();
        group.refreshNow();
    }
    QPoint at(double x) const { return {static_cast<int>(std::lround(chart.pixelAt(x))), 100}; }
    void append(std::uint64_t from, std::uint64_t to) {
        for (std::uint64_t step = from; step <= to; ++step) data->append({step, 1.7e9 + double(step), 0.3});
    }
};

}  // namespace

class LineChartTest : public QObject {
    Q_OBJECT
private slots:
    void followsUntilTheUserZooms() {
        Page page;
        QCOMPARE(page.group.range(), (Range{0, 5000}));
        page.append(5001, 6000);
        page.group.refreshNow();
        QCOMPARE(page.group.range().to, 6000.0);
        QSignalSpy follow(&page.group, &ChartGroup::followingChanged);
        turnWheel(page.chart, page.at(3000), 2);
        QCOMPARE(follow.count(), 1);
        QVERIFY(!page.group.following());
        page.group.refreshNow();
        const Range zoomed = page.group.range();
        const Range y = page.chart.yRange();
        QVERIFY(zoomed.size() < 6000 / 1.4);
        QVERIFY(std::abs(page.chart.xAt(page.at(3000).x()) - 3000) < 10);
        page.data->append({6001, 1.7e9 + 6001, 1e3});
        page.append(6002, 7000);
        page.group.refreshNow();
        QCOMPARE(page.group.range(), zoomed);
        QCOMPARE(page.chart.yRange(), y);
        QTest::keyClick(&page.chart, Qt::Key_End);
        QVERIFY(page.group.following());
        page.group.refreshNow();
        QCOMPARE(page.group.range().to, 7000.0);
    }

    void wheelKeepsThePlaceUnderThePointer() {
        Page page;
        const QPoint place = page.at(1234);
        const double before = page.chart.xAt(place.x());
        for (const int notches : {1, 3, -2, 5}) {
            turnWheel(page.chart, place, notches);
            QVERIFY(std::abs(page.chart.xAt(place.x()) - before) < 1e-6);
        }
    }

    // Whoever scrolls a page of charts must not zoom them by accident.
    void plainWheelIsLeftToThePage() {
        Page page;
        QVERIFY(!turnWheel(page.chart, page.at(2500), 3, Qt::NoModifier));
        QVERIFY(page.group.following());
        QVERIFY(turnWheel(page.chart, page.at(2500), 4));
        const Range before = page.group.range();
        QVERIFY(turnWheel(page.chart, page.at(2500), -2, Qt::ShiftModifier));
        QVERIFY(std::abs(page.group.range().from - (before.from + 0.2 * before.size())) < 1e-6);
        QVERIFY(std::abs(page.group.range().size() - before.size()) < 1e-6);
    }

    void dragPansAndIsNoClick() {
        Page page;
        turnWheel(page.chart, page.at(2500), 4);
        page.group.refreshNow();
        const Range before = page.group.range();
        const int width = static_cast<int>(page.chart.plotArea().width());
        const QPoint from = page.at(2500);
        QTest::mousePress(&page.chart, Qt::LeftButton, {}, from);
        QTest::mouseMove(&page.chart, from - QPoint(width / 8, 0));
        QTest::mouseMove(&page.chart, from - QPoint(width / 4, 0));
        QTest::mouseRelease(&page.chart, Qt::LeftButton, {}, from - QPoint(width / 4, 0));
        QVERIFY(std::abs(page.group.range().from - (before.from + before.size() / 4)) < before.size() * 0.01);
        QCOMPARE(page.group.range().size(), before.size());
        QVERIFY(!page.group.cursorA());
    }

    void zoomAndPanEndWhereNoDataIsLeft() {
        Page page;
        for (int i = 0; i < 40; ++i) turnWheel(page.chart, page.at(2500), -3);
        QVERIFY(page.group.range().size() <= 4 * 5000);
        for (int i = 0; i < 60; ++i) turnWheel(page.chart, page.at(2500), 3);
        QVERIFY(page.group.range().size() >= 1);
        for (int i = 0; i < 20; ++i) page.group.pan(2);
        for (int i = 0; i < 90; ++i) page.group.zoom(0.5, page.group.range().to);
        for (int i = 0; i < 90; ++i) page.group.pan(0.5);
        QVERIFY(page.group.range().from < 5000 + page.group.range().size());
    }

    void doubleClickShowsAll() {
        Page page;
        turnWheel(page.chart, page.at(2500), 4);
        QTest::mouseDClick(&page.chart, Qt::LeftButton, {}, page.at(2500));
        QVERIFY(page.group.following());
        page.group.refreshNow();
        QCOMPARE(page.group.range(), (Range{0, 5000}));
    }

    void clickPinsAAndTheMouseMovesB() {
        Page page;
        LineChart other(&page.group);
        QSignalSpy moved(&page.group, &ChartGroup::cursorsChanged);
        page.group.refreshNow();
        QSignalSpy drawn(&page.chart, &ChartView::redrawn);
        QTest::mouseClick(&page.chart, Qt::LeftButton, {}, page.at(1000));
        QTest::mouseMove(&page.chart, page.at(4000));
        QVERIFY(std::abs(*page.group.cursorA() - 1000) < 10);
        QVERIFY(std::abs(*page.group.cursorB() - 4000) < 10);
        QTRY_VERIFY(moved.count() >= 1);
        QCOMPARE(drawn.count(), 0);  // cursors have a layer of their own: no curve was drawn again
        const auto value = page.chart.valueAt(0, 1000);
        QCOMPARE(value->step, std::uint64_t(1000));
        QCOMPARE(value->raw, page.data->at(999).value);
        QVERIFY(!page.chart.valueAt(0, 9000));
        QTest::mouseClick(&page.chart, Qt::LeftButton, Qt::ShiftModifier, page.at(3000));
        QTest::mouseMove(&page.chart, page.at(500));
        QVERIFY(std::abs(*page.group.cursorB() - 3000) < 10);
        QTest::keyClick(&page.chart, Qt::Key_Escape);
        QVERIFY(!page.group.cursorA() && !page.group.cursorB());
    }

    void keysMoveTheCursorAndZoom() {
        Page page;
        QTest::keyClick(&page.chart, Qt::Key_Left);
        const double first = *page.group.cursorB();
        QTest::keyClick(&page.chart, Qt::Key_Left, Qt::ShiftModifier);
        QVERIFY(std::abs(first - *page.group.cursorB() - 500) < 20);
        QTest::keyClick(&page.chart, Qt::Key_Return);
        QCOMPARE(page.group.cursorA(), page.group.cursorB());
        QVERIFY(page.group.following());
        QTest::keyClick(&page.chart, Qt::Key_Plus);
        QVERIFY(!page.group.following());
        QVERIFY(page.group.range().size() < 4000);
    }

    void cursorsAndZoomGoAlongWhenTheAxisChanges() {
        Page page;
        page.group.setStartTime(1.7e9);
        page.group.setCursorA(2000);
        page.group.setRange({1000, 3000});
        page.group.setXAxis(XAxis::Elapsed);
        QVERIFY(std::abs(*page.group.cursorA() - 145) < 1);
        QVERIFY(std::abs(page.group.range().from - 72.5) < 1);
        QVERIFY(!page.group.following());
        page.group.setXAxis(XAxis::Step);
        QVERIFY(std::abs(*page.group.cursorA() - 2000) < 1);
    }

    void outliersAreCutCountedAndShownOnDemand() {
        Page page;
        page.data->append({5001, 1.7e9 + 400, 900});
        page.data->append({5002, 1.7e9 + 401, 800});
        page.group.refreshNow();
        QCOMPARE(page.chart.counts().outside, page.data->outside({XAxis::Step, 0, page.group.range(), 1}, page.chart.yRange()));
        QVERIFY(page.chart.counts().outside >= 2);
        QVERIFY(page.chart.yRange().to < 10);
        page.chart.setOutliers(Outliers::Show);
        page.group.refreshNow();
        QVERIFY(page.chart.yRange().to >= 900);
        QCOMPARE(page.chart.counts().outside, std::size_t(0));
    }

    void logAxisNamesWhatItHides() {
        Page page;
        page.data->append({5001, 1.7e9 + 400, 0});
        page.data->append({5002, 1.7e9 + 401, -3});
        page.data->append({5003, 1.7e9 + 402, std::numeric_limits<double>::quiet_NaN()});
        page.chart.setYScale(Scale::Log);
        page.group.refreshNow();
        QCOMPARE(page.chart.counts().notPositive, std::size_t(2));
        QVERIFY(page.chart.yRange().from > 0);
        const auto chips = page.chart.chips();
        QVERIFY(std::find(chips.begin(), chips.end(), "2 values ≤ 0 hidden") != chips.end());
        QVERIFY(std::find(chips.begin(), chips.end(), "1 value not finite") != chips.end());
        QVERIFY(std::any_of(chips.begin(), chips.end(), [](const QString& chip) { return chip.contains("buckets"); }));
    }

    void aSpikeIsPaintedAtEveryZoom_data() {
        QTest::addColumn<double>("smoothing");
        QTest::addRow("raw") << 0.0;
        QTest::addRow("smoothed") << 0.9;
    }

    void aSpikeIsPaintedAtEveryZoom() {
        QFETCH(double, smoothing);
        ChartGroup group;
        group.setSmoothing(smoothing);
        LineChart chart(&group);
        const ChartColors colors = paletteColors("light");
        chart.setColors(colors);
        chart.setEndLabels(false);
        chart.setOutliers(Outliers::Show);
        auto data = std::make_shared<SeriesData>();
        for (std::uint64_t step = 0; step < 200000; ++step) data->append({step, double(step), step == 70001 ? 10.0 : 1.0});
        chart.setSeries({{"x", data}});
        chart.resize(500, 200);
        for (const double half : {70000.0, 9000.0, 800.0, 30.0}) {
            group.setRange({70001 - half, 70001 + half});
            const QImage image = chart.image(1);
            const int top = static_cast<int>(chart.plotArea().top());
            const int height = static_cast<int>(chart.plotArea().height());
            int rows = 0;
            for (int y = top; y < top + height / 2; ++y) {
                bool coloured = false;
                for (int x = static_cast<int>(chart.pixelAt(70001)) - 3; x <= chart.pixelAt(70001) + 3; ++x)
                    coloured |= image.pixelColor(x, y).blue() - image.pixelColor(x, y).red() > 20;
                rows += coloured;
            }
            QVERIFY2(rows > height / 4, qPrintable(QString::number(half)));
        }
    }

    void hiddenChartsAreNotDrawn() {
        Page page;
        QSignalSpy drawn(&page.chart, &ChartView::redrawn);
        page.append(5001, 5010);
        page.group.refreshNow();
        QCOMPARE(drawn.count(), 1);
        page.group.refreshNow();
        QCOMPARE(drawn.count(), 1);
        page.chart.hide();
        page.append(5011, 5020);
        page.group.refreshNow();
        QCOMPARE(drawn.count(), 1);
        page.chart.show();
        QTRY_VERIFY(drawn.count() >= 2);
    }

    void newDataIsDrawnByTheTimer() {
        Page page;
        QSignalSpy drawn(&page.chart, &ChartView::redrawn);
        page.append(5001, 5010);
        QTRY_COMPARE(drawn.count(), 1);
        QCOMPARE(page.chart.lastValue(0)->step, std::uint64_t(5010));
    }

    void manyChartsAreAllDrawnByTheTimer() {
        ChartGroup group;
        QWidget page;
        page.resize(900, 900);
        const auto data = lossCurve(20000, 2);
        std::vector<std::unique_ptr<LineChart>> charts;
        std::vector<std::unique_ptr<QSignalSpy>> drawn;
        for (int i = 0; i < 12; ++i) {
            charts.push_back(std::make_unique<LineChart>(&group, &page));
            charts.back()->setColors(paletteColors("light"));
            charts.back()->setGeometry((i % 3) * 300, (i / 3) * 200, 290, 190);
            std::vector<LineSeries> lines;
            for (int line = 0; line < 8; ++line) lines.push_back({QString::number(line), line == 0 ? data : lossCurve(20000, line), line});
            charts.back()->setSeries(lines);
            drawn.push_back(std::make_unique<QSignalSpy>(charts.back().get(), &ChartView::redrawn));
        }
        QSignalSpy frames(&group, &ChartGroup::refreshed);
        page.show();
        QTRY_VERIFY(frames.count() >= 1);
        for (const auto& each : drawn) QVERIFY(each->count() >= 1);
        data->append({20001, 1.7e9 + 3000, 0.3});
        const int before = static_cast<int>(frames.count());
        QTRY_VERIFY(frames.count() > before);
        for (const auto& each : drawn) QTRY_VERIFY(each->count() >= 2);
    }

    void hoveredWorkerGetsItsColour() {
        ChartGroup group;
        LineChart chart(&group);
        const ChartColors colors = paletteColors("light");
        chart.setColors(colors);
        std::vector<LineSeries> lines;
        for (int i = 0; i < 3; ++i) {
            auto data = std::make_shared<SeriesData>();
            for (std::uint64_t step = 0; step <= 100; ++step) data->append({step, double(step), 100.0 + 50 * i});
            lines.push_back({QString("w%1").arg(i), data, i, LinePen::Context});
        }
        chart.setSeries(lines);
        chart.resize(500, 200);
        chart.show();
        group.refreshNow();
        const Range y = chart.yRange();
        const QRectF area = chart.plotArea();
        const auto row = [&](double value) {
            return static_cast<int>(std::lround(area.bottom() - area.height() * (value - y.from) / y.size()));
        };
        QVERIFY(!chart.hoveredSeries());
        QTest::mouseMove(&chart, QPoint(200, row(150)));
        QCOMPARE(chart.hoveredSeries(), std::optional<std::size_t>(1));
        QVERIFY(pixelsOf(chart.image(1).copy(0, row(150) - 3, 400, 6), colors.series[1].line) > 300);
        QTest::mouseMove(&chart, QPoint(200, row(175)));
        QVERIFY(!chart.hoveredSeries());
        QCOMPARE(pixelsOf(chart.image(1).copy(0, row(150) - 3, 400, 6), colors.series[1].line), 0);
    }

    void logXNeverReachesZero() {
        Page page;
        page.group.setRange({-100, 4000});
        page.group.setXScale(Scale::Log);
        QVERIFY(page.group.range().from > 0);
        page.group.refreshNow();
        const Range before = page.group.range();
        turnWheel(page.chart, page.at(1000), 2);
        QVERIFY(std::abs(page.chart.xAt(page.at(1000).x()) - 1000) < 30);
        QVERIFY(page.group.range().to / page.group.range().from < before.to / before.from);
        page.group.pan(0.5);
        QVERIFY(page.group.range().from > before.from);
        page.group.setFollowing(true);
        page.group.refreshNow();
        QCOMPARE(page.group.range(), (Range{1, 5000}));
    }

    void exportsHoldTheValues() {
        Page page;
        page.group.setSmoothing(0.9);
        page.group.setRange({10, 12});
        page.group.refreshNow();
        const QStringList lines = page.chart.csv().trimmed().split('\n');
        QCOMPARE(lines.size(), 4);
        QCOMPARE(lines[0], QString("series,step,unix_time,value,smoothed"));
        QCOMPARE(lines[1].split(',')[1], QString("10"));
        QCOMPARE(lines[1].split(',')[3].toDouble(), page.data->at(9).value);
        QCOMPARE(page.chart.image(2).size(), QSize(1280, 480));
        const QByteArray svg = page.chart.svg();
        QVERIFY(svg.startsWith("<?xml") && svg.contains("polyline"));
        QVERIFY(!page.chart.accessibleName().isEmpty() && page.chart.accessibleDescription().contains("train"));
    }

    void emptyChartSaysWhy() {
        ChartGroup group;
        LineChart chart(&group);
        chart.setColors(paletteColors("dark"));
        chart.resize(400, 200);
        const QImage blank = chart.image(1);
        chart.setEmptyText("Waiting for the first step");
        QVERIFY(chart.image(1) != blank);
    }
};

LOCKSTEP_TEST(LineChartTest)
#include "line_chart_test.moc"
