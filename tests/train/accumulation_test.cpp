// Gradient accumulation: several batches make one update.
#include "ranks.h"

#include <support/sanitizer.h>
#include <support/test.h>

#include <exec_ref/ref_executor.h>

#include <cmath>
#include <cstring>

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
    // Ranks sum once per update: the same as one rank, with uneven batches too (10 rows in 4, 4, 2) and two epochs in one update.
    void severalRanksAreOne() {
        for (const auto reduction : {Reduction::Rows, Reduction::Replicas}) {
            RankOptions options = test::smallOptions(10, 4, 4);
            options.dtype = graph::DType::F64;
            options.accumulation = 2;
            const auto one = test::runRanks(options, kRef, {1});
            options.reduction = reduction;
            const auto two = test::runRanks(options, kRef, {1, 1});
            VERIFY_RUNS(one);
            VERIFY_RUNS(two);
            // Batches of 4 and 2 are halves on both ranks, so both reductions are the mean.
            QVERIFY(test::worstRelative(two[0].losses(), one[0].losses()) < 1e-11);
            const auto epochs = [](const test::RankRun& run) { return run.series.at({Series::EpochLoss, telemetry::kNoRank}); };
            QCOMPARE(epochs(two[0]).size(), epochs(one[0]).size());
            for (const auto& [step, loss] : epochs(one[0])) QVERIFY(std::abs(epochs(two[0]).at(step) - loss) < 1e-11);
            QCOMPARE(two[0].value().weightsHash, two[1].value().weightsHash);
        }
    }
    // Keras' reduction keeps the statistics of replica 0: those of its rows, batch after batch, as a run of them alone has them. The first
    // layer is frozen, so that what is normalised does not depend on the update.
    void movingStatisticsOfSeveralRanks() {
        const auto statistics = [](const std::vector<std::uint32_t>& order, std::int64_t batch, const std::vector<int>& slices) {
            RankOptions options = test::smallOptions(0, batch, 1);
            options.data.order = order;
            options.data.shuffle = false;
            options.dtype = graph::DType::F64;
            options.accumulation = 3;
            options.reduction = Reduction::Replicas;
            options.model.architecture = nn::architectureOf({{"flatten", {}, {}, {}},
                                                             {"dense", {}, {{"units", std::int64_t{8}}, {"trainable", false}}, {}},
                                                             {"batch_normalization", "bn", {{"momentum", 0.7}}, {}},
                                                             {"dense", {}, {{"units", std::int64_t{10}}}, {}}},
                                                            {28, 28, 1});
            std::vector<StateTensor> kept;
            const auto runs = test::runRanks(options, kRef, slices, [&](int rank, RankOptions&, RankHooks& hooks) {
                hooks.finalStates = [&kept, rank](std::span<const StateTensor> all) {
                    for (const StateTensor& state : all)
                        if (rank == 0 && (state.name == "bn/moving_mean" || state.name == "bn/moving_variance")) kept.push_back(state);
                };
            });
            for (const auto& run : runs)
                if (!run.result->ok()) kept.clear();
            return kept;
        };
        // Batches of 4 rows, the first half of each is replica 0's.
        std::vector<std::uint32_t> all, first;
        for (std::uint32_t i = 0; i < 24; ++i) {
            all.push_back(7 * i);
            if (i % 4 < 2) first.push_back(7 * i);
        }
        const auto two = statistics(all, 4, {1, 1}), one = statistics(first, 2, {1});
        QCOMPARE(two.size(), std::size_t{2});
        QCOMPARE(one.size(), std::size_t{2});
        for (std::size_t i = 0; i < 2; ++i) {
            const auto values = [](const StateTensor& state) {
                std::vector<double> list(state.bytes.size() / sizeof(double));
                std::memcpy(list.data(), state.bytes.data(), state.bytes.size());
                return list;
            };
            const auto a = values(two[i]), b = values(one[i]);
            for (std::size_t k = 0; k < a.size(); ++k) QVERIFY(std::abs(a[k] - b[k]) < 1e-12);
            QVERIFY(std::abs(b[0] - (i == 0 ? 0.0 : 1.0)) > 1e-3);  // they moved
        }
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
