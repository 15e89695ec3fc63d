// Where a sparse series has its markers.
#include <charts/line_chart.h>
#include <support/test.h>

#include "look.h"

using namespace lockstep::charts;
using lockstep::charts::test::paletteColors;

class MarkersTest : public QObject {
    Q_OBJECT
private slots:
    // A few validations: none may be hidden. Many: every third.
    void markersStandAtEveryPointWhileThereIsRoom() {
        const ChartColors colors = paletteColors("light");
        for (const int count : {2, 9, 400}) {
            ChartGroup group;
            LineChart chart(&group);
            auto data = std::make_shared<SeriesData>();
            for (int i = 1; i <= count; ++i) data->append({static_cast<std::uint64_t>(i * 1000), double(i), i % 2 == 0 ? 1.0 : 2.0});
            LineSeries series{"val", data, 1};
            series.role = LineRole::Secondary;
            chart.setColors(colors);
            chart.setSeries({series});
            chart.resize(640, 240);
            chart.show();
            group.refreshNow();
            const QImage picture = chart.image(1);
            int marked = 0;
            for (int i = 1; i <= count; ++i) {
                const double y = chart.plotArea().bottom() -
                                 chart.plotArea().height() * ((i % 2 == 0 ? 1.0 : 2.0) - chart.yRange().from) / chart.yRange().size();
                const QPoint place(static_cast<int>(chart.pixelAt(i * 1000)), static_cast<int>(y));
                // Two pixels beside the end of a slope there is colour only where a square stands.
                marked += picture.pixelColor(place + QPoint(i == count ? -2 : 2, i % 2 == 0 ? 2 : -2)) == colors.series[1].line;
            }
            if (count < 20)
                QCOMPARE(marked, count);
            else
                QVERIFY2(marked < count / 2, qPrintable(QString::number(marked)));
        }
    }
};

LOCKSTEP_TEST(MarkersTest)
#include "markers_test.moc"
