// Draws the cards of the Live page in both themes. LOCKSTEP_PICTURES=DIR keeps the pictures to look at.
#include <charts/line_chart.h>
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
    void linesOfTheLivePage_data() {
        QTest::addColumn<QString>("theme");
        QTest::addRow("light") << "light";
        QTest::addRow("dark") << "dark";
    }

    void linesOfTheLivePage() {
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
        loss.setGeometry(0, 0, 632, 217);
        workers.setGeometry(640, 0, 310, 217);
        gradient.setGeometry(0, 225, 310, 135);
        rate.setGeometry(320, 225, 310, 135);
        page.resize(960, 366);
        for (LineChart* chart : {&loss, &workers, &gradient, &rate}) chart->setColors(paletteColors(theme));
        fillLoss(loss);
        fillWorkers(workers);
        fillGradient(gradient);
        fillRate(rate);
        group.setStartTime(1.7e9);
        group.setSmoothing(0.94);
        page.show();
        group.setCursorA(7200);
        group.refreshNow();
        QTest::mouseMove(&loss, QPoint(static_cast<int>(loss.pixelAt(10400)), 60));
        QTest::qWait(20);
        const QImage picture = page.grab().toImage();
        keep(picture, "lines-" + theme);
        QVERIFY(colours(loss.image(1)) > 20);
        QCOMPARE(loss.image(2).width(), 2 * loss.width());
    }
};

LOCKSTEP_TEST(PicturesTest)
#include "pictures_test.moc"
