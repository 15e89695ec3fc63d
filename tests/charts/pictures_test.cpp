// Draws the cards of the Live page in both themes. LOCKSTEP_PICTURES=DIR keeps the pictures to look at.
#include <charts/lane_view.h>
#include <charts/line_chart.h>
#include <charts/stack_chart.h>
#include <support/test.h>

#include "look.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QSet>

#include <cmath>

using namespace lockstep::charts;
using lockstep::charts::test::lossCurve;
using lockstep::charts::test::Noise;
using lockstep::charts::test::paletteColors;

namespace {

std::shared_ptr<SeriesData> curve(std::size_t points, std::uint64_t stride, const std::function<double(double)>& at) {
    auto data = std::make_shared<SeriesData>();
    for (std::size_t i = 1; i <= points; ++i)
        data->append({i * stride, 1.7e9 + 0.0725 * double(i * stride), at(double(i) / double(points))});
    return data;
}

void fillLoss(LineChart& chart) {
    Noise noise(77);
    const auto train = lossCurve(12400, 5);
    chart.setTitle("Loss");
    chart.setYScale(Scale::Log);
    chart.setCursorTags(true);
    chart.setSeries({{"train", train, 0, LinePen::Series, LineRole::Main, {train}},
                     {"val", curve(31, 400, [&](double t) { return 0.37 + 1.7 * std::exp(-t * 7) + 0.02 * noise.normal(); }), 1,
                      LinePen::Series, LineRole::Secondary}});
    chart.setEvents({{EventKind::Resume, 4000, 1.7e9 + 290, "resumed from 4 000"}});
}

void fillWorkers(LineChart& chart) {
    std::vector<LineSeries> workers;
    for (int i = 0; i < 8; ++i) {
        Noise noise(200 + i);
        workers.push_back({QString("w%1").arg(i),
                           curve(1240, 10, [&](double t) { return 1640 + 60 * noise.normal() - (i == 6 && t > 0.91 ? 640 : 0); }), i,
                           i == 6 ? LinePen::Warning : LinePen::Context});
    }
    chart.setTitle("Throughput per worker");
    chart.setSeries(workers);
}

void fillGradient(LineChart& chart) {
    Noise noise(31);
    const auto norm = curve(12400, 1, [&](double t) { return (0.55 + 2.9 * std::exp(-t * 9)) * std::exp(0.15 * noise.normal()); });
    chart.setTitle("Gradient norm");
    chart.setEndLabels(false);
    chart.setSeries({{"L2", norm, 0, LinePen::Series, LineRole::Main, {norm}}});
}

void fillRate(LineChart& chart) {
    chart.setTitle("Learning rate");
    chart.setEndLabels(false);
    chart.setSmoothingOverride(0);
    chart.setSeries({{"rate", curve(12400, 1, [](double t) { return t < 0.08 ? 5 * t : 0.2 * (1 + std::cos((t - 0.08) * 2.2)); })}});
}

void fillStack(StackChart& chart) {
    chart.setTitle("Step time");
    std::vector<StackLayer> layers;
    Noise noise(12);
    const auto layer = [&](const QString& name, int color, double mean, double late) {
        layers.push_back(
            {name, curve(1240, 10, [&, mean, late](double t) { return mean * std::exp(0.03 * noise.normal()) + (t > 0.91 ? late : 0); }),
             color});
    };
    layer("data", 7, 2.3, 0);
    layer("compute", 0, 39, 0);
    layer("comm", 2, 7, 23);
    layer("optimiser", 3, 1.5, 0);
    chart.setLayers(layers);
}

void fillLanes(LaneView& lanes) {
    std::vector<Lane> all;
    for (int i = 0; i < 8; ++i) {
        Noise noise(500 + i);
        double extra = 0;
        all.push_back(
            {i, i < 4 ? "gpu-a" : "gpu-b", QString("w%1").arg(i), QString(":%1").arg(i % 4), curve(i == 2 ? 1100 : 1240, 10, [&](double t) {
                 if (noise.below(120) == 0) extra = extra > 0 ? 0 : 0.2 * noise.uniform() + 0.08;
                 return 39 * std::exp(0.02 * noise.normal()) * (1 + extra + (i == 6 && t > 0.91 ? 0.65 : 0));
             })});
    }
    lanes.setTitle("Workers");
    lanes.setLanes(all);
    std::vector<ChartEvent> events;
    for (const std::uint64_t step : {2000, 6000, 8000, 10000}) events.push_back({EventKind::Checkpoint, step, 0, "checkpoint"});
    events.push_back({EventKind::Resume, 4000, 0, "resumed"});
    events.push_back({EventKind::Alert, 11320, 0, "late", 6});
    events.push_back({EventKind::WorkerLost, 11000, 0, "lost", 2});
    lanes.setEvents(events);
}

void keep(const QImage& image, const QString& name) {
    const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
    if (!folder.isEmpty()) QVERIFY(image.save(folder + "/" + name + ".png"));
}

int colours(const QImage& image) {
    QSet<QRgb> seen;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) seen.insert(image.pixel(x, y));
    return static_cast<int>(seen.size());
}

}  // namespace

class PicturesTest : public QObject {
    Q_OBJECT
private slots:
    void chartsOfTheLivePage_data() {
        QTest::addColumn<QString>("theme");
        QTest::addRow("light") << "light";
        QTest::addRow("dark") << "dark";
    }

    void chartsOfTheLivePage() {
        QFETCH(QString, theme);
        QFont font("DejaVu Sans");
        font.setPixelSize(13);
        ChartGroup group;
        QWidget page;
        page.setFont(font);
        QPalette palette;
        palette.setColor(QPalette::Window, paletteColors(theme).border);
        page.setPalette(palette);
        page.setAutoFillBackground(true);
        LineChart loss(&group, &page);
        LineChart workers(&group, &page);
        LineChart gradient(&group, &page);
        LineChart rate(&group, &page);
        StackChart stack(&group, &page);
        LaneView lanes(&group, &page);
        loss.setGeometry(0, 0, 632, 217);
        workers.setGeometry(640, 0, 310, 217);
        stack.setGeometry(0, 225, 310, 135);
        gradient.setGeometry(320, 225, 310, 135);
        rate.setGeometry(640, 225, 310, 135);
        lanes.setGeometry(0, 368, 950, 190);
        page.resize(950, 558);
        for (ChartView* chart : std::initializer_list<ChartView*>{&loss, &workers, &gradient, &rate, &stack, &lanes})
            chart->setColors(paletteColors(theme));
        fillStack(stack);
        fillLanes(lanes);
        fillLoss(loss);
        fillWorkers(workers);
        fillGradient(gradient);
        fillRate(rate);
        group.setStartTime(1.7e9);
        group.setSmoothing(0.94);
        page.show();
        group.setCursorA(7200);
        group.refreshNow();
        QTest::mouseMove(&loss, QPoint(50, 50));
        QTest::mouseMove(&loss, QPoint(static_cast<int>(loss.pixelAt(10400)), 60));
        QTest::qWait(20);
        const QImage picture = page.grab().toImage();
        keep(picture, "live-" + theme);
        for (ChartView* chart : std::initializer_list<ChartView*>{&loss, &workers, &gradient, &rate, &stack, &lanes}) {
            QVERIFY(colours(chart->image(1)) > 8);
            QVERIFY(chart->svg().size() > 1000);
        }
        QCOMPARE(lanes.latest()->rank, 6);
        QTest::mouseMove(&lanes, QPoint(static_cast<int>(lanes.pixelAt(11800)), 120));
        QTest::qWait(20);
        keep(lanes.grab().toImage(), "lanes-tooltip-" + theme);
        QCOMPARE(loss.image(2).width(), 2 * loss.width());
    }

    // Mean and band over ranks on a time axis, a resume, few points, log x, letters twice as large.
    void otherCharts() {
        QFont font("DejaVu Sans");
        font.setPixelSize(13);
        QWidget page;
        page.setFont(font);
        page.resize(950, 470);
        ChartGroup time;
        ChartGroup steps;
        ChartGroup logX;
        time.setXAxis(XAxis::Elapsed);
        time.setStartTime(1.7e9);
        time.setSmoothing(0.8);
        logX.setXScale(Scale::Log);
        logX.setSmoothing(0.9);
        Noise noise(88);
        LineChart band(&time, &page);
        std::vector<std::shared_ptr<const SeriesData>> ranks;
        for (int i = 0; i < 4; ++i) ranks.push_back(curve(3000, 4, [&](double) { return 1600 + 80 * noise.normal() + 30 * i; }));
        band.setSeries(
            {{"mean", curve(3000, 4, [&](double) { return 1645 + 20 * noise.normal(); }), 2, LinePen::Series, LineRole::Main, ranks}});
        LineChart resumed(&steps, &page);
        const auto pieces = std::make_shared<SeriesData>();
        for (std::uint64_t step = 1; step <= 600; ++step) pieces->append({step, 0, 1 / (1 + 0.01 * double(step)) + 0.02 * noise.normal()});
        for (std::uint64_t step = 401; step <= 900; ++step)
            pieces->append({step, 0, 0.9 / (1 + 0.01 * double(step)) + 0.02 * noise.normal()});
        resumed.setSeries({{"train", pieces, 0}});
        resumed.setEvents({{EventKind::Resume, 400, 0, "resumed from 400"}});
        LineChart few(&logX, &page);
        few.setSeries({{"train", lossCurve(20000, 3), 0},
                       {"val", curve(8, 2500, [](double t) { return 1 - 0.5 * t; }), 1, LinePen::Series, LineRole::Secondary}});
        LineChart many(&steps, &page);
        std::vector<LineSeries> lines;
        for (int i = 0; i < 12; ++i)
            lines.push_back({QString("run %1").arg(i), curve(40, 22, [&](double t) { return 1 + 0.1 * i + 0.4 * std::sin(4 * t + i); }), i,
                             LinePen::Series, LineRole::Secondary});
        many.setSeries(lines);
        LineChart large(&steps, &page);
        QFont twice = font;
        twice.setPixelSize(26);
        large.setFont(twice);
        large.setSeries({{"train", pieces, 0}});
        LineChart empty(&steps, &page);
        empty.setEmptyText("Waiting for the first step (rendezvous done, 4 of 4 workers)");
        int place = 0;
        for (LineChart* chart : {&band, &resumed, &few, &many, &large, &empty}) {
            chart->setColors(paletteColors("light"));
            chart->setGeometry((place % 2) * 480, (place / 2) * 158, 470, 150);
            ++place;
        }
        page.show();
        for (ChartGroup* group : {&time, &steps, &logX}) group->refreshNow();
        QTest::mouseMove(&many, QPoint(200, 60));
        QTest::qWait(20);
        keep(page.grab().toImage(), "others");
        QVERIFY(many.plotArea().right() < many.width() - 60);
        QVERIFY(large.plotArea().height() < resumed.plotArea().height() - 10);
        QVERIFY(band.yRange().from < 1500 && band.yRange().to > 1800);
    }
};

LOCKSTEP_TEST(PicturesTest)
#include "pictures_test.moc"
