#include <support/test.h>

#include <telemetry/sample.h>

#include <set>

using namespace lockstep;
using namespace lockstep::telemetry;

class SampleTest : public QObject {
    Q_OBJECT
private slots:
    void namesAreUniqueAndReadBack() {
        std::set<std::string_view> names;
        for (const auto series : allSeries()) {
            QVERIFY(!nameOf(series).empty());
            QVERIFY(names.insert(nameOf(series)).second);
            QVERIFY(findSeries(nameOf(series)) == series);
        }
        QCOMPARE(names.size(), std::size_t{53});
        QVERIFY(!findSeries("Loss"));
        QCOMPARE(nameOf(*metricSeries("auc", MetricValue::Validation)), std::string_view("val_auc"));
        QCOMPARE(nameOf(*metricSeries("mean_absolute_error", MetricValue::Epoch)), std::string_view("epoch_mean_absolute_error"));
        QVERIFY(metricSeries("accuracy", MetricValue::Step) == Series::Accuracy);
        QVERIFY(!metricSeries("loss", MetricValue::Step) && nameOf(static_cast<Series>(200)).empty());
        QVERIFY(nameOf(static_cast<Series>(4000)).empty());
    }
    // Numbers are on disk and on the wire.
    void numbersStay() {
        QVERIFY(nameOf(static_cast<Series>(0)) == "loss");
        QVERIFY(nameOf(static_cast<Series>(7)) == "samples_per_second");
        QVERIFY(nameOf(static_cast<Series>(8)) == "step_seconds");
        QVERIFY(nameOf(static_cast<Series>(16)) == "memory_bytes");
        QVERIFY(nameOf(static_cast<Series>(21)) == "dropped_samples");
        QVERIFY(nameOf(static_cast<Series>(256)) == "sparse_categorical_accuracy");
        QVERIFY(nameOf(static_cast<Series>(279)) == "val_auc");
    }
    void groupsBySeriesAndRank() {
        const std::vector<Sample> samples = {
            {1.0, 0.5, 1, Series::Loss, 0, 0}, {1.5, 0.25, 1, Series::Loss, 1, 0},          {1.6, 9, 1, static_cast<Series>(999), 1, 0},
            {2.0, 0.4, 2, Series::Loss, 0, 0}, {2.5, 0.7, 2, Series::Accuracy, kNoRank, 0},
        };
        const auto batches = toBatches(samples);
        QVERIFY((batches == std::vector<Batch>{{{"loss", 0}, {{1, 1.0, 0.5}, {2, 2.0, 0.4}}},
                                               {{"loss", 1}, {{1, 1.5, 0.25}}},
                                               {{"accuracy", kNoRank}, {{2, 2.5, 0.7}}}}));
        QVERIFY(toBatches({}).empty());
    }
};

LOCKSTEP_TEST(SampleTest)
#include "sample_test.moc"
