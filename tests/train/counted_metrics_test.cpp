// Metrics of counts while training: counts are summed over rows, ranks and checkpoints, never values.
#include "ranks.h"

#include <support/test.h>

#include <exec_ref/ref_executor.h>

#include <cmath>

using namespace lockstep;
using namespace lockstep::train;
using telemetry::MetricValue;

namespace {

const test::ExecutorMaker kRef = [] { return exec::ref::makeRefExecutor(); };

// 50 rows: batches of 16, the last one of 2; 23 for validation.
RankOptions options(const std::vector<nn::MetricOptions>& metrics) {
    data::LoadOptions load;
    load.dataset = "synthetic";
    load.shape = {6, 6, 1};
    load.syntheticRows = 73;
    load.syntheticClasses = 2;
    load.validationSplit = 0.32;
    RankOptions made;
    made.data.loaded = std::make_shared<const data::Dataset>(data::loadDataset(load).value());
    made.model.inputShape = {6, 6, 1};
    made.model.classes = 2;
    made.model.architecture = nn::architectureOf(
        {nn::LayerSpec{"flatten", "", {}, {}}, nn::LayerSpec{"dense", "", {{"units", std::int64_t{1}}}, {}}}, made.model.inputShape);
    made.model.loss.name = "binary_crossentropy";
    made.model.metrics = metrics;
    made.optimizer = nn::optimizerDefaults("sgd");
    made.optimizer.learningRate = 0.02;
    made.globalBatch = 16;
    made.epochs = 2;
    made.dtype = graph::DType::F64;
    return made;
}

const std::vector<nn::MetricOptions> kAll = {{"precision", 5, 0.0}, {"auc"}, {"recall", 5, 0.0}};

using Points = std::map<std::uint64_t, double>;
Points pointsOf(const test::RankRun& run, const char* metric, MetricValue value) {
    const auto found = run.series.find({*telemetry::metricSeries(metric, value), telemetry::kNoRank});
    return found == run.series.end() ? Points() : found->second;
}

double furthest(const Points& a, const Points& b) {
    if (a.size() != b.size() || a.empty()) return 1e9;
    double most = 0;
    for (const auto& [step, value] : a) most = std::max(most, b.contains(step) ? std::abs(value - b.at(step)) : 1e9);
    return most;
}

}  // namespace

class CountedMetricsTest : public QObject {
    Q_OBJECT

    static void compare(const test::RankRun& run, const test::RankRun& other) {
        for (const nn::MetricOptions& metric : kAll)
            for (const auto value : {MetricValue::Step, MetricValue::Epoch, MetricValue::Validation}) {
                const auto here = pointsOf(run, metric.name.c_str(), value), there = pointsOf(other, metric.name.c_str(), value);
                QVERIFY2(furthest(here, there) < 1e-9, metric.name.c_str());
            }
    }

private slots:
    void anyNumberOfRanks_data() {
        QTest::addColumn<QList<int>>("slices");
        QTest::addColumn<int>("accumulation");
        QTest::newRow("two ranks") << QList<int>{1, 1} << 1;
        QTest::newRow("three ranks") << QList<int>{1, 1, 1} << 1;
        QTest::newRow("two ranks, accumulation") << QList<int>{1, 1} << 2;
    }
    void anyNumberOfRanks() {
        QFETCH(QList<int>, slices);
        QFETCH(int, accumulation);
        RankOptions asked = options(kAll);
        asked.accumulation = accumulation;
        const auto one = test::runRanks(asked, kRef, {1});
        VERIFY_RUNS(one);
        const auto several = test::runRanks(asked, kRef, {slices.begin(), slices.end()});
        VERIFY_RUNS(several);
        compare(one[0], several[0]);
        // The counts of an epoch are not the mean of its steps' values.
        double mean = 0;
        const auto steps = pointsOf(one[0], "auc", MetricValue::Step);
        for (const auto& [step, value] : steps)
            if (step <= steps.size() / 2) mean += value / static_cast<double>(steps.size() / 2);
        const auto epochs = pointsOf(one[0], "auc", MetricValue::Epoch);
        QVERIFY(epochs.begin()->second > 0.3 && epochs.begin()->second < 1);
        if (accumulation == 1) QVERIFY(std::abs(epochs.begin()->second - mean) > 1e-4);
    }
    // Stopped in the middle of an epoch, its counts come back with the checkpoint, on all ranks.
    void resumesWithItsCounts() {
        for (const std::vector<int>& slices : {std::vector<int>{1}, {1, 1}}) {
            RankOptions asked = options(kAll);
            const auto whole = test::runRanks(asked, kRef, slices);
            VERIFY_RUNS(whole);
            const test::Scratch scratch;
            asked.checkpoint.folder = scratch / "checkpoints";
            asked.steps = 6;  // the second of the second epoch
            const auto part = test::runRanks(asked, kRef, slices);
            VERIFY_RUNS(part);
            asked.steps.reset();
            asked.resume = true;
            const auto rest = test::runRanks(asked, kRef, slices);
            VERIFY_RUNS(rest);
            for (const nn::MetricOptions& metric : kAll) {
                const auto all = pointsOf(whole[0], metric.name.c_str(), MetricValue::Epoch);
                const auto resumed = pointsOf(rest[0], metric.name.c_str(), MetricValue::Epoch);
                QCOMPARE(resumed.size(), std::size_t{1});
                QVERIFY2(std::abs(resumed.begin()->second - all.rbegin()->second) < 1e-12, metric.name.c_str());
            }
        }
    }
    // One-hot targets of two classes say the same as the number of the class.
    void oneHotTargets() {
        RankOptions asked = options({{"accuracy"}, {"auc"}});
        asked.model.architecture = nn::architectureOf(
            {nn::LayerSpec{"flatten", "", {}, {}}, nn::LayerSpec{"dense", "", {{"units", std::int64_t{2}}}, {}}}, asked.model.inputShape);
        asked.model.loss.name = "categorical_crossentropy";
        asked.model.metrics = {{"accuracy"}};
        const auto labels = test::runRanks(asked, kRef, {1, 1});
        VERIFY_RUNS(labels);
        asked.model.loss.labelTargets = false;
        asked.model.metrics = {{"accuracy"}, {"auc"}, {"precision", 5, 0.5, 1}};
        const auto rows = test::runRanks(asked, kRef, {1, 1});
        VERIFY_RUNS(rows);
        QVERIFY(test::worstRelative(rows[0].losses(), labels[0].losses()) < 1e-12);
        QCOMPARE(rows[0].value().accuracy, labels[0].value().accuracy);
        // The largest of a row is its class.
        const auto precision = pointsOf(rows[0], "precision", MetricValue::Validation);
        QVERIFY(!precision.empty() && std::abs(precision.rbegin()->second - *rows[0].value().valAccuracy) < 1e-12);
        const auto auc = pointsOf(rows[0], "auc", MetricValue::Validation);
        QVERIFY(auc.rbegin()->second > 0.4 && auc.rbegin()->second <= 1);
    }
    void labelsAreRefused() {
        RankOptions asked = options({{"auc"}});
        asked.model.loss.name = "sparse_categorical_crossentropy";
        asked.model.architecture.reset();
        asked.model.preset = "mlp";
        const auto refused = test::runRanks(asked, kRef, {1});
        VERIFY_ERROR(*refused[0].result, "S418");
        QVERIFY(refused[0].result->error().message.find("auc") != std::string::npos);
    }
};

LOCKSTEP_TEST(CountedMetricsTest)
#include "counted_metrics_test.moc"
