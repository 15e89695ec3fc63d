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
