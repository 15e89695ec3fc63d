// Gradient accumulation: several batches make one update.
#include "ranks.h"

#include <support/sanitizer.h>
#include <support/test.h>

#include <exec_ref/ref_executor.h>

#include <cmath>

using namespace lockstep;
using namespace lockstep::train;
using telemetry::Series;

namespace {

const test::ExecutorMaker kRef = [] { return exec::ref::makeRefExecutor(); };

}  // namespace

class AccumulationTest : public QObject {
    Q_OBJECT
private slots:
    // Four batches of 32 are one of 128, float64: equal but for the order of sums.
    void accumulatedBatchesAreOneBatch() {
        RankOptions options = test::mnistOptions("mlp", 128, test::kThreadSanitizer ? 3 : 8);
        options.dtype = graph::DType::F64;
        const auto whole = test::runRanks(options, kRef, {1});
        options.globalBatch = 32;
        options.accumulation = 4;
        const auto parts = test::runRanks(options, kRef, {1});
        VERIFY_RUNS(whole);
        VERIFY_RUNS(parts);
        QCOMPARE(parts[0].value().steps, whole[0].value().steps);
        QVERIFY(test::worstRelative(parts[0].losses(), whole[0].losses()) < 1e-11);
        const auto norms = [](const test::RankRun& run) { return run.series.at({Series::GradientNorm, telemetry::kNoRank}); };
        for (const auto& [step, norm] : norms(whole[0])) QVERIFY(std::abs(norms(parts[0]).at(step) - norm) < 1e-11 * norm);
        // A rate is that of all batches of an update.
        QVERIFY(parts[0].series.at({Series::SamplesPerSecond, 0}).at(2) > 0);
    }
    // 10 rows in batches of 4, 4, 2, two of them per update: an update may take batches of two epochs; the one left over at the end of
    // the run changes nothing, but counts in its epoch.
    void accumulationGoesOverTheEndOfAnEpoch() {
        RankOptions options = test::smallOptions(10, 4, 3);
        options.accumulation = 2;
        options.evaluate = true;
        const auto runs = test::runRanks(options, kRef, {1});
        VERIFY_RUNS(runs);
        QCOMPARE(runs[0].value().steps, std::uint64_t(4));
        QCOMPARE(runs[0].value().epochs, 3);
        QCOMPARE(runs[0].series.at({Series::EpochLoss, telemetry::kNoRank}).size(), std::size_t(3));
        QVERIFY(std::isfinite(runs[0].value().loss) && runs[0].value().valLoss.has_value());
    }
    void accumulationNeedsOneRank() {
        RankOptions options = test::smallOptions(64, 8, 1);
        options.accumulation = 2;
        const auto runs = test::runRanks(options, kRef, {1, 1});
        for (const auto& run : runs) VERIFY_ERROR(*run.result, "X009");
    }
    // Stopped and resumed between two updates, in the middle of an epoch: the same weights as without a stop.
    void accumulationResumes() {
        const test::Scratch scratch;
        RankOptions options = test::smallOptions(100, 8, 2);
        options.accumulation = 3;
        const auto whole = test::runRanks(options, kRef, {1});
        options.checkpoint.folder = scratch / "checkpoints";
        options.steps = 3;
        const auto first = test::runRanks(options, kRef, {1});
        options.steps.reset();
        options.resume = true;
        const auto rest = test::runRanks(options, kRef, {1});
        VERIFY_RUNS(whole);
        VERIFY_RUNS(first);
        VERIFY_RUNS(rest);
        QCOMPARE(rest[0].value().steps, whole[0].value().steps);
        QCOMPARE(rest[0].value().weightsHash, whole[0].value().weightsHash);
    }
};

LOCKSTEP_TEST(AccumulationTest)
#include "accumulation_test.moc"
