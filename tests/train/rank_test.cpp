#include "ranks.h"

#include <support/sanitizer.h>
#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <data/dataset.h>
#include <exec_ref/ref_executor.h>
#include <nn/model.h>
#include <train/checkpoint.h>

#include <atomic>
#include <cmath>
#include <cstring>

using namespace lockstep;
using namespace lockstep::train;
using telemetry::Series;

namespace {

const test::ExecutorMaker kRef = [] { return exec::ref::makeRefExecutor(); };

bool soak() { return qEnvironmentVariableIsSet("LOCKSTEP_SOAK"); }

}  // namespace

class RankTest : public QObject {
    Q_OBJECT
private slots:
    void oneRankLearns() {
        const auto runs = test::runRanks(test::mnistOptions("mlp", 32, 40), kRef, {1});
        VERIFY_RUNS(runs);
        const auto losses = runs[0].losses();
        QCOMPARE(losses.size(), std::size_t(40));
        QVERIFY(losses.front() > 2.0 && losses.back() < 1.0);
        QCOMPARE(runs[0].value().steps, std::uint64_t(40));
        QCOMPARE(runs[0].value().weightsHash.size(), std::size_t(64));
        QVERIFY(!runs[0].value().valLoss);
        QVERIFY((runs[0].phases == std::vector<std::string>{"data", "compile", "rendezvous", "first step"}));
        for (const Series series : {Series::Accuracy, Series::GradientNorm, Series::LearningRate})
            QCOMPARE(runs[0].series.at({series, telemetry::kNoRank}).size(), std::size_t(40));
        for (const Series series : {Series::StepSeconds, Series::SamplesPerSecond, Series::InputWaitSeconds, Series::ComputeSeconds})
            QCOMPARE(runs[0].series.at({series, 0}).size(), std::size_t(40));
    }
    void theOrderOfRowsHasASeedOfItsOwn() {
        const auto hashOf = [](std::optional<std::uint64_t> shuffleSeed) {
            RankOptions options = test::mnistOptions("mlp", 32, 3);
            options.data.shuffleSeed = shuffleSeed;
            const auto runs = test::runRanks(options, kRef, {1});
            return runs[0].result->ok() ? runs[0].value().weightsHash : std::string();
        };
        const auto usual = hashOf({});
        QCOMPARE(hashOf(RankOptions().seed), usual);
        QVERIFY(hashOf(7) != usual);
    }
    void twoRanksAreOneRank_data() {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<int>("steps");
        QTest::newRow("mlp") << "mlp" << (soak() ? 100 : test::kThreadSanitizer ? 5 : 15);
        // No thread of its own, and a convolution in plain loops takes long.
        if (!test::kThreadSanitizer) QTest::newRow("cnn") << "cnn" << (soak() ? 100 : 2);
    }
    void twoRanksAreOneRank() {
        // 2 × 64 rows against 1 × 128, float64: equal but for the order of sums.
        QFETCH(QString, preset);
        QFETCH(int, steps);
        RankOptions options = test::mnistOptions(preset.toStdString(), 128, static_cast<std::uint64_t>(steps));
        options.dtype = graph::DType::F64;
        const auto one = test::runRanks(options, kRef, {1});
        const auto two = test::runRanks(options, kRef, {1, 1});
        VERIFY_RUNS(one);
        VERIFY_RUNS(two);
        const double worst = test::worstRelative(two[0].losses(), one[0].losses());
        QVERIFY2(worst < 1e-9, std::to_string(worst).c_str());
        QCOMPARE(two[0].value().weightsHash, two[1].value().weightsHash);
    }
    void unevenSplits() {
        // Batches of 50, 50, 7 rows over three ranks (17 + 17 + 16; 3 + 3 + 1), two slices on one rank, and more slices than rows.
        RankOptions options = test::smallOptions(107, 50, 2);
        options.dtype = graph::DType::F64;
        const auto one = test::runRanks(options, kRef, {1});
        VERIFY_RUNS(one);
        for (const auto& slices : {std::vector<int>{1, 1, 1}, {2, 1}, {3, 4, 3}}) {
            const auto runs = test::runRanks(options, kRef, slices);
            VERIFY_RUNS(runs);
            QVERIFY(test::worstRelative(runs[0].losses(), one[0].losses()) < 1e-11);
            QVERIFY(std::abs(runs[0].value().accuracy - one[0].value().accuracy) < 1e-12);
            for (const auto& run : runs) QCOMPARE(run.value().weightsHash, runs[0].value().weightsHash);
        }
    }
    void manyBucketsOnAThread() {
        RankOptions options = test::smallOptions(300, 60, 2);
        const auto one = test::runRanks(options, kRef, {1, 1});
        options.bytesPerPack = 1000;
        const auto many = test::runRanks(options, kRef, {1, 1});
        VERIFY_RUNS(one);
        VERIFY_RUNS(many);
        QVERIFY(many[0].losses() == one[0].losses());
        QCOMPARE(many[1].value().weightsHash, one[0].value().weightsHash);
    }
    void epochValuesAreTrueMeans() {
        // 107 rows in batches of 50: the short batch counts by its rows.
        RankOptions options = test::smallOptions(107, 50, 2);
        const auto runs = test::runRanks(options, kRef, {1, 1});
        VERIFY_RUNS(runs);
        const auto losses = runs[0].losses();
        const auto& epochs = runs[0].series.at({Series::EpochLoss, telemetry::kNoRank});
        QCOMPARE(epochs.size(), std::size_t(2));
        QVERIFY(std::abs(epochs.at(3) - (50 * losses[0] + 50 * losses[1] + 7 * losses[2]) / 107) < 1e-12);
        QVERIFY(std::abs(epochs.at(6) - (50 * losses[3] + 50 * losses[4] + 7 * losses[5]) / 107) < 1e-12);
        QCOMPARE(runs[1].value().loss, epochs.at(6));
        QCOMPARE(runs[0].value().epochs, 2);
        // A rank's own means, weighted by its rows, give the mean of all.
        const double first = runs[0].series.at({Series::Loss, 0}).at(3), second = runs[1].series.at({Series::Loss, 1}).at(3);
        QVERIFY(std::abs((4 * first + 3 * second) / 7 - losses[2]) < 1e-6);
    }
    void evaluationIsTheTrueMean() {
        RankOptions options = test::smallOptions(64, 64, 1);
        options.dtype = graph::DType::F64;
        options.evaluate = true;
        const auto one = test::runRanks(options, kRef, {1});
        const auto three = test::runRanks(options, kRef, {1, 1, 1});  // 10000 rows: 3334, 3334, 3332
        VERIFY_RUNS(one);
        VERIFY_RUNS(three);
        QVERIFY(std::abs(*three[2].value().valLoss / *one[0].value().valLoss - 1) < 1e-9);
        QCOMPARE(*three[0].value().valAccuracy, *one[0].value().valAccuracy);
        const double hits = *one[0].value().valAccuracy * 10000;  // a whole number of rows
        QVERIFY(std::abs(hits - std::round(hits)) < 1e-6);
        QCOMPARE(one[0].series.at({Series::ValLoss, telemetry::kNoRank}).at(1), *one[0].value().valLoss);
    }
    void resumedRunIsTheSameRun_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("optimizer");
        QTest::newRow("one rank, adam") << 1 << "adam";
        QTest::newRow("two ranks, adam") << 2 << "adam";
        QTest::newRow("two ranks, momentum") << 2 << "sgd";
    }
    void resumedRunIsTheSameRun() {
        // 30 steps = 17 steps, stopped in the middle of an epoch, + 13 steps: the same bits.
        QFETCH(int, ranks);
        QFETCH(QString, optimizer);
        const std::vector<int> slices(static_cast<std::size_t>(ranks), 1);
        test::Scratch scratch;
        RankOptions options = test::smallOptions(300, 32, 3);
        options.optimizer.name = optimizer.toStdString();
        if (optimizer == "sgd") options.optimizer.momentum = 0.9;
        options.checkpoint = {scratch / "whole", std::nullopt, 2, "hash"};
        const auto whole = test::runRanks(options, kRef, slices);
        VERIFY_RUNS(whole);
        QCOMPARE(whole[0].losses().size(), std::size_t(30));

        options.checkpoint.folder = scratch / "parts";
        options.steps = 17;
        VERIFY_RUNS(test::runRanks(options, kRef, slices));
        options.steps.reset();
        options.resume = true;
        const auto rest = test::runRanks(options, kRef, slices);
        VERIFY_RUNS(rest);
        QCOMPARE(rest[0].series.at({Series::Loss, telemetry::kNoRank}).begin()->first, std::uint64_t(18));
        const auto expected = whole[0].losses(), got = rest[0].losses();
        QVERIFY((got == std::vector<double>(expected.begin() + 17, expected.end())));
        for (const auto& run : rest) QCOMPARE(run.value().weightsHash, whole[0].value().weightsHash);
        QCOMPARE(rest[0].value().loss, whole[0].value().loss);
        // The whole state, slots included.
        const auto a = CheckpointStore(scratch / "whole").loadNewest("hash"), b = CheckpointStore(scratch / "parts").loadNewest("hash");
        QVERIFY((*a)->checkpoint == (*b)->checkpoint);
        // A finished run that is resumed has nothing to do and the same result.
        const auto again = test::runRanks(options, kRef, slices);
        VERIFY_RUNS(again);
        QCOMPARE(again[0].value().loss, whole[0].value().loss);
        QCOMPARE(again[0].value().weightsHash, whole[0].value().weightsHash);
    }
    void stopOnOneRankStopsAllAtOneStep() {
        test::Scratch scratch;
        RankOptions options = test::smallOptions(320, 32, 1000);
        options.checkpoint = {scratch.path(), std::nullopt, 2, "h"};
        std::atomic<bool> stop = false;
        std::atomic<std::uint64_t> askedAt = 0;
        const auto runs = test::runRanks(options, kRef, {1, 1, 1}, [&](int rank, RankOptions&, RankHooks& hooks) {
            if (rank != 2) return;
            hooks.stop = &stop;
            hooks.progress = [&](std::uint64_t step) {
                if (step != 7) return;
                stop = true;
                askedAt = step;
            };
        });
        VERIFY_RUNS(runs);
        for (const auto& run : runs) {
            QVERIFY(run.value().stopped);
            QCOMPARE(run.value().steps, std::uint64_t(8));
            QCOMPARE(run.value().weightsHash, runs[0].value().weightsHash);
        }
        QCOMPARE(runs[0].checkpoints.size(), std::size_t(1));
        QCOMPARE(runs[0].checkpoints[0].first, std::uint64_t(8));
        QVERIFY(runs[1].checkpoints.empty());
    }
    void checkpointOnRequestAndByTime() {
        test::Scratch scratch;
        RankOptions options = test::smallOptions(320, 32, 3);
        options.checkpoint = {scratch.path(), std::nullopt, 9, "h"};
        std::atomic<bool> now = false;
        auto runs = test::runRanks(options, kRef, {1, 1}, [&](int rank, RankOptions&, RankHooks& hooks) {
            hooks.checkpointNow = &now;
            if (rank == 1) hooks.progress = [&](std::uint64_t step) { now = now || step == 5; };
        });
        VERIFY_RUNS(runs);
        QVERIFY(!now);
        QCOMPARE(runs[0].checkpoints.size(), std::size_t(2));  // the asked one and the last
        QVERIFY(runs[0].checkpoints[0].first >= 6 && runs[0].checkpoints[0].first <= 8);
        QCOMPARE(runs[0].checkpoints[1].first, std::uint64_t(30));
        options.checkpoint.every = Seconds(1e-6);
        runs = test::runRanks(options, kRef, {1});
        VERIFY_RUNS(runs);
        QVERIFY(runs[0].checkpoints.size() >= 3);
        QVERIFY(runs[0].series.count({Series::CheckpointSeconds, 0}) == 1);
    }
    void unwritableCheckpointsAreWarnings() {
        test::Scratch scratch;
        VERIFY_OK(replaceFile(scratch / "file", "x"));
        RankOptions options = test::smallOptions(64, 32, 2);
        options.checkpoint = {scratch / "file" / "checkpoints", Seconds(1e-6), 2, "h"};
        const auto runs = test::runRanks(options, kRef, {1});
        VERIFY_RUNS(runs);
        QCOMPARE(runs[0].value().steps, std::uint64_t(4));
        QVERIFY(!runs[0].warnings.empty());
        QVERIFY(runs[0].checkpoints.empty());
    }
    void damagedCheckpointFallsBackOnAllRanks() {
        test::Scratch scratch;
        RankOptions options = test::smallOptions(320, 32, 1);
        options.checkpoint = {scratch.path(), std::nullopt, 2, "h"};
        for (const std::uint64_t steps : {3u, 6u}) {
            options.steps = steps;
            VERIFY_RUNS(test::runRanks(options, kRef, {1, 1}));
            options.resume = true;
        }
        std::filesystem::resize_file(scratch / "step-0000000006.lsc", 5000);
        options.steps = 10;
        const auto runs = test::runRanks(options, kRef, {1, 1});
        VERIFY_RUNS(runs);
        QCOMPARE(runs[1].series.at({Series::StepSeconds, 1}).begin()->first, std::uint64_t(4));
        QCOMPARE(runs[0].warnings.size(), std::size_t(1));
        QCOMPARE(runs[0].warnings[0].code, std::string("C701"));
        options.checkpoint.specHash = "another";
        const auto refused = test::runRanks(options, kRef, {1, 1});
        VERIFY_ERROR(*refused[0].result, "C702");
        VERIFY_ERROR(*refused[1].result, "R512");
    }
    void resumeWithoutACheckpointStartsAnew() {
        test::Scratch scratch;
        RankOptions options = test::smallOptions(64, 32, 1);
        options.checkpoint = {scratch / "none", std::nullopt, 2, "h"};
        options.resume = true;
        const auto runs = test::runRanks(options, kRef, {1, 1});
        VERIFY_RUNS(runs);
        QCOMPARE(runs[0].warnings.at(0).code, std::string("C704"));
        QCOMPARE(runs[0].losses().size(), std::size_t(2));
    }
    void aLossThatIsNoNumberEndsTheRun() {
        test::Scratch scratch;
        RankOptions options = test::smallOptions(320, 32, 5);
        options.optimizer = {"sgd", 1e30, 0, false, 0.9, 0.999, 1e-7};
        options.checkpoint = {scratch.path(), Seconds(1e-6), 2, "h"};
        const auto runs = test::runRanks(options, kRef, {1, 1});
        for (const auto& run : runs) {
            QVERIFY(!run.result->ok());
            const Error& error = run.result->error();
            QVERIFY2(error.code == "R503" || error.code == "R513", error.toText().c_str());
            QCOMPARE(error.exitCode, 7);
            QVERIFY2(error.message.find("at step 2") != std::string::npos, error.message.c_str());
        }
        const auto kept = CheckpointStore(scratch.path()).loadNewest("h");
        VERIFY_OK(kept);
        QVERIFY(!kept->has_value() || (*kept)->checkpoint.step < 2);
    }
    void theRankOfABadLossIsNamed() {
        // A weight that overflows for the rows of rank 1 only: pixel 400 is dark in the rows of rank 0.
        RankOptions options = test::smallOptions(0, 2, 1);
        auto dark = rowsWherePixel400(false), bright = rowsWherePixel400(true);
        options.data.order = {dark, bright};
        options.initialWeights = weightsWithInfinityAt(400);
        const auto runs = test::runRanks(options, kRef, {1, 1});
        for (const auto& run : runs) {
            VERIFY_ERROR(*run.result, "R503");
            QVERIFY2(run.result->error().message.find("on rank 1.") != std::string::npos, run.result->error().message.c_str());
        }
    }
    void ranksThatDifferAreTold() {
        const RankOptions options = test::smallOptions(64, 32, 1);
        const auto runs = test::runRanks(options, kRef, {1, 1, 1}, [](int rank, RankOptions& own, RankHooks&) {
            if (rank == 1) own.seed = 99;
        });
        for (const auto& run : runs) {
            VERIFY_ERROR(*run.result, "R508");
            QVERIFY(run.result->error().message.find("ank 1") != std::string::npos);
        }
        const auto overlapping = test::runRanks(options, kRef, {1, 1}, [](int, RankOptions& own, RankHooks&) { own.slices.first = 0; });
        for (const auto& run : overlapping) VERIFY_ERROR(*run.result, "R511");
    }
    void badOptionsAreRefused() {
        RankOptions options = test::smallOptions(64, 2, 1);
        const auto small = test::runRanks(options, kRef, {2, 1});
        for (const auto& run : small) VERIFY_ERROR(*run.result, "S310");
        options = test::smallOptions(64, 32, 1);
        options.model.inputShape = {32, 32, 3};
        VERIFY_ERROR(*test::runRanks(options, kRef, {1})[0].result, "S414");
        options = test::smallOptions(64, 32, 1);
        options.model.classes = 7;
        VERIFY_ERROR(*test::runRanks(options, kRef, {1})[0].result, "F613");
        options = test::smallOptions(64, 32, 1);
        options.initialWeights.resize(3);
        VERIFY_ERROR(*test::runRanks(options, kRef, {1})[0].result, "S413");
        options = test::smallOptions(64, 32, 1);
        options.model.preset = "gpt";
        VERIFY_ERROR(*test::runRanks(options, kRef, {1})[0].result, "S410");
    }

private:
    static std::uint32_t rowsWherePixel400(bool bright) {
        data::LoadOptions load;
        load.folder = test::sourceDir() / "resources/data/mnist";
        load.cacheFolder = test::cacheOfTests();
        const auto dataset = data::loadDataset(load);
        for (std::uint32_t row = 0; row < 1000; ++row)
            if ((dataset->train.features[row * 784 + 400] > std::byte{0}) == bright) return row;
        return 0;
    }
    static std::vector<std::vector<std::byte>> weightsWithInfinityAt(std::size_t pixel) {
        std::vector<std::vector<std::byte>> weights;
        const auto model = nn::buildModel({"mlp", {28, 28, 1}, 10}, 1, graph::DType::F32);
        for (std::size_t i = 0; i < model->weights.size(); ++i) weights.push_back(nn::initialValue(model->weights[i], 1, i));
        // 3e38 · pixel · 1e36 overflows; with a dark pixel the logits stay below 1e38.
        const float huge = 3e38f, large = 1e36f;
        for (std::size_t unit = 0; unit < 128; ++unit) std::memcpy(weights[0].data() + 4 * (pixel * 128 + unit), &huge, 4);
        for (std::size_t i = 0; i < 1280; ++i) std::memcpy(weights[2].data() + 4 * i, &large, 4);
        return weights;
    }
};

LOCKSTEP_TEST(RankTest)
#include "rank_test.moc"
