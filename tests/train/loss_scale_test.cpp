// Keras' dynamic loss scale while ranks train.
#include "ranks.h"

#include <support/test.h>

#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>

#include <cmath>

using namespace lockstep;
using namespace lockstep::train;
using telemetry::Series;

namespace {

const test::ExecutorMaker kRef = [] { return exec::ref::makeRefExecutor(); };
const test::ExecutorMaker kCpu = [] { return exec::cpu::makeCpuExecutor(); };

RankOptions halfOptions(std::uint64_t steps) {
    RankOptions options = test::smallOptions(64, 8, 10);
    options.model.preset = "mlp";
    options.model.policy = "mixed_float16";
    options.optimizer.dynamicLossScale = true;
    options.steps = steps;
    return options;
}

// Rows of numbers between 0 and 1 in a fixed order; every `everyLoud`-th is so loud that its gradient is no float16 any more.
std::shared_ptr<const data::Dataset> numbers(std::int64_t rows, std::int64_t firstLoud, std::int64_t everyLoud) {
    struct Memory {
        std::vector<float> features;
        std::vector<std::int32_t> labels;
    };
    const auto memory = std::make_shared<Memory>();
    constexpr std::int64_t kWidth = 28 * 28;
    for (std::int64_t row = 0; row < rows; ++row) {
        const bool loud = row >= firstLoud && (row - firstLoud) % everyLoud == 0;
        for (std::int64_t i = 0; i < kWidth; ++i) {
            const auto value = static_cast<float>((row * 31 + i * 7) % 97) / 97;
            memory->features.push_back(loud ? 2000 * value : value);
        }
        memory->labels.push_back(static_cast<std::int32_t>(row % 10));
    }
    data::Dataset dataset;
    dataset.classes = 10;
    dataset.train.featureShape = {28, 28, 1};
    dataset.train.rows = rows;
    dataset.train.element = data::Element::F32;
    dataset.train.features = std::as_bytes(std::span(memory->features));
    dataset.train.labels = memory->labels;
    dataset.train.keepAlive = memory;
    return std::make_shared<data::Dataset>(dataset);
}

std::map<std::uint64_t, double> seriesOf(const test::RankRun& run, Series series) { return run.series.at({series, telemetry::kNoRank}); }

}  // namespace

class LossScaleTest : public QObject {
    Q_OBJECT
private slots:
    // From a scale at which float16 gradients overflow: steps are skipped, on all ranks alike, until it fits; then training goes on.
    void overflowsAreSkippedOnAllRanks() {
        RankOptions options = halfOptions(24);
        options.optimizer.initialLossScale = 0x1p30;
        for (const auto& executor : {kRef, kCpu}) {
            const auto runs = test::runRanks(options, executor, {1, 1});
            VERIFY_RUNS(runs);
            QCOMPARE(runs[0].value().weightsHash, runs[1].value().weightsHash);
            const auto scales = seriesOf(runs[0], Series::LossScale), skipped = seriesOf(runs[0], Series::SkippedSteps);
            QCOMPARE(scales.size(), std::size_t{24});
            QCOMPARE(skipped.at(1), 1.0);
            const double all = skipped.at(24);
            QVERIFY2(all >= 3 && all < 20, qPrintable(QString::number(all)));
            // Each skipped step halves.
            QCOMPARE(scales.at(24), 0x1p30 / std::pow(2.0, all));
            QVERIFY(runs[0].losses().back() < runs[0].losses().front());
        }
    }
    // The rows that overflow are rank 1's, in every fifth step: the others must skip it, too, for their gradients alone are fine.
    void overflowOnOneRankIsSkippedOnAll() {
        RankOptions options = halfOptions(20);
        options.data.order.clear();
        options.data.shuffle = false;
        options.epochs = 1;
        options.data.loaded = numbers(160, 4 + 2 * 8, 5 * 8);  // batches of 8: rows 4 to 7 of one are rank 1's
        for (const auto& executor : {kRef, kCpu}) {
            const auto runs = test::runRanks(options, executor, {1, 1});
            VERIFY_RUNS(runs);
            QCOMPARE(runs[0].value().weightsHash, runs[1].value().weightsHash);
            const auto skipped = seriesOf(runs[0], Series::SkippedSteps), scales = seriesOf(runs[0], Series::LossScale);
            for (std::uint64_t step = 1; step <= 20; ++step) {
                const double sofar = static_cast<double>((step + 2) / 5);  // steps 3, 8, 13 and 18
                QCOMPARE(skipped.at(step), sofar);
                QCOMPARE(scales.at(step), 32768.0 / std::pow(2.0, sofar));
            }
        }
    }
    // Steps 3 and 4 of four are counted by the second process: the scale grows when it would have.
    void aResumedRunGoesOnCounting() {
        for (const int ranks : {1, 2}) {
            const test::Scratch scratch;
            RankOptions options = halfOptions(10);
            options.optimizer.lossScaleGrowthSteps = 4;
            const std::vector<int> slices(static_cast<std::size_t>(ranks), 1);
            const auto whole = test::runRanks(options, kCpu, slices);
            VERIFY_RUNS(whole);
            options.checkpoint.folder = scratch / "checkpoints";
            options.steps = 6;
            VERIFY_RUNS(test::runRanks(options, kCpu, slices));
            options.steps = 10;
            options.resume = true;
            const auto resumed = test::runRanks(options, kCpu, slices);
            VERIFY_RUNS(resumed);
            const auto expected = seriesOf(whole[0], Series::LossScale), found = seriesOf(resumed[0], Series::LossScale);
            QCOMPARE(found.size(), std::size_t{4});
            for (const auto& [step, scale] : found) QCOMPARE(scale, expected.at(step));
            QCOMPARE(found.at(7), 65536.0);
            QCOMPARE(found.at(8), 131072.0);
            QCOMPARE(resumed[0].value().weightsHash, whole[0].value().weightsHash);
        }
    }
    // As Keras' defaults have it, nothing overflows here, and the curve is that of float32 but for the rounding.
    void theUsualScaleSkipsNothing() {
        const auto runs = test::runRanks(halfOptions(16), kCpu, {1});
        VERIFY_RUNS(runs);
        QCOMPARE(seriesOf(runs[0], Series::SkippedSteps).at(16), 0.0);
        QCOMPARE(seriesOf(runs[0], Series::LossScale).at(16), 32768.0);
        RankOptions whole = halfOptions(16);
        whole.model.policy = "float32";
        whole.optimizer.dynamicLossScale = false;
        const auto exact = test::runRanks(whole, kCpu, {1});
        VERIFY_RUNS(exact);
        QVERIFY(test::worstRelative(runs[0].losses(), exact[0].losses()) < 2e-2);
    }
    void theScaleGrows() {
        RankOptions options = halfOptions(9);
        options.optimizer.lossScaleGrowthSteps = 4;
        const auto runs = test::runRanks(options, kRef, {1});
        VERIFY_RUNS(runs);
        const auto scales = seriesOf(runs[0], Series::LossScale);
        QCOMPARE(scales.at(3), 32768.0);
        QCOMPARE(scales.at(4), 65536.0);
        QCOMPARE(scales.at(8), 131072.0);
    }
    // Nothing learns where every step is skipped: the run says so instead of going on.
    void withoutEndItIsAnError() {
        RankOptions options = halfOptions(40);
        options.optimizer.initialLossScale = 0x1p5;
        options.optimizer.learningRate = 1e30;
        const auto runs = test::runRanks(options, kRef, {1});
        QVERIFY(!runs[0].result->ok());
    }
};

LOCKSTEP_TEST(LossScaleTest)
#include "loss_scale_test.moc"
