// A batch in slices that run one after the other: the same update for less memory.
#include "ranks.h"

#include <support/test.h>

#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>
#include <train/memory.h>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace lockstep;
using namespace lockstep::train;
using telemetry::Series;

namespace {

const test::ExecutorMaker kRef = [] { return exec::ref::makeRefExecutor(); };
const test::ExecutorMaker kCpu = [] { return exec::cpu::makeCpuExecutor(); };

RankOptions inSlices(RankOptions options) {
    options.slicesApart = true;
    return options;
}

// Rows with some to evaluate: all of MNIST's takes the reference long.
RankOptions withValidation(RankOptions options, std::int64_t rows, double share) {
    options.data.dataset = "synthetic";
    options.data.shape = {28, 28, 1};
    options.data.syntheticRows = rows;
    options.data.validationSplit = share;
    options.evaluate = true;
    return options;
}

// Nothing that is trained stands in front of the normalisation.
nn::Architecture normalised(const RankOptions& options) {
    nn::LayerSpec flat, norm, logits;
    flat.kind = "flatten";
    norm.kind = "batch_normalization";
    logits.kind = "dense";
    logits.settings = {{"units", std::int64_t{10}}};
    return nn::architectureOf({flat, norm, logits}, options.model.inputShape);
}

std::vector<double> movingMean(const std::vector<StateTensor>& states) {
    const auto found = std::ranges::find(states, std::string("batch_normalization/moving_mean"), &StateTensor::name);
    std::vector<double> values(found->bytes.size() / sizeof(double));
    std::memcpy(values.data(), found->bytes.data(), found->bytes.size());
    return values;
}

}  // namespace

class SlicesTest : public QObject {
    Q_OBJECT
private slots:
    // float64: equal but for the order of sums, also in the short batch at the end of an epoch (10 rows in slices of 8, 8, 8, 8).
    void theUpdateStaysTheSame_data() {
        QTest::addColumn<int>("slices");
        for (const int slices : {2, 3, 4}) QTest::newRow(QByteArray::number(slices).constData()) << slices;
    }
    void theUpdateStaysTheSame() {
        QFETCH(int, slices);
        RankOptions options = test::smallOptions(74, 32, 2);
        options.dtype = graph::DType::F64;
        options.model.kernelL2 = 0.01;
        options.evaluate = true;
        const auto whole = test::runRanks(options, kRef, {1});
        const auto parts = test::runRanks(inSlices(options), kRef, {slices});
        VERIFY_RUNS(whole);
        VERIFY_RUNS(parts);
        QCOMPARE(parts[0].value().steps, whole[0].value().steps);
        QVERIFY(test::worstRelative(parts[0].losses(), whole[0].losses()) < 1e-11);
        QVERIFY(std::abs(parts[0].value().accuracy - whole[0].value().accuracy) < 1e-12);
        QVERIFY(std::abs(parts[0].value().loss - whole[0].value().loss) < 1e-11);
        const auto epochs = [](const test::RankRun& run) { return run.series.at({Series::EpochLoss, telemetry::kNoRank}); };
        QCOMPARE(epochs(parts[0]).size(), epochs(whole[0]).size());
        for (const auto& [step, loss] : epochs(whole[0])) QVERIFY(std::abs(epochs(parts[0]).at(step) - loss) < 1e-11);
    }
    // Dropout is keyed by the row of the batch, so slices drop the same.
    void dropoutDropsTheSame() {
        RankOptions options = test::smallOptions(64, 32, 2);
        options.dtype = graph::DType::F64;
        nn::LayerSpec flat, hidden, drop, logits;
        flat.kind = "flatten";
        hidden.kind = "dense";
        hidden.settings = {{"units", std::int64_t{16}}, {"activation", std::string("relu")}};
        drop.kind = "dropout";
        drop.settings = {{"rate", 0.4}};
        logits.kind = "dense";
        logits.settings = {{"units", std::int64_t{10}}};
        options.model.architecture = nn::architectureOf({flat, hidden, drop, logits}, options.model.inputShape);
        const auto whole = test::runRanks(options, kRef, {1});
        const auto parts = test::runRanks(inSlices(options), kRef, {4});
        VERIFY_RUNS(whole);
        VERIFY_RUNS(parts);
        QVERIFY(test::worstRelative(parts[0].losses(), whole[0].losses()) < 1e-11);
    }
    // Batch normalisation takes the statistics of each slice, so the update is another one; moving statistics are updated once per step.
    void batchNormalisationSeesItsSlice() {
        RankOptions options = test::smallOptions(32, 16, 4);
        options.dtype = graph::DType::F64;
        options.model.architecture = normalised(options);
        std::vector<std::vector<StateTensor>> finals;
        const test::PerRank keep = [&](int, RankOptions&, RankHooks& hooks) {
            hooks.finalStates = [&](std::span<const StateTensor> states) { finals.emplace_back(states.begin(), states.end()); };
        };
        const auto whole = test::runRanks(options, kRef, {1}, keep);
        const auto parts = test::runRanks(inSlices(options), kRef, {2}, keep);
        VERIFY_RUNS(whole);
        VERIFY_RUNS(parts);
        QVERIFY(test::worstRelative(parts[0].losses(), whole[0].losses()) > 1e-6);
        // The mean of the slices' means is the mean of the batch, and nothing trained stands in front of the layer.
        const auto expected = movingMean(finals[0]), found = movingMean(finals[1]);
        for (std::size_t i = 0; i < expected.size(); ++i) QVERIFY(std::abs(found[i] - expected[i]) < 1e-12);
    }
    void memoryFollowsTheSlice() {
        RankOptions options = test::smallOptions(64, 512, 1);
        options.model.preset = "cnn";
        const auto executor = exec::cpu::makeCpuExecutor();
        const data::DatasetFacts facts{{28, 28, 1}, 512, 0, 10, data::Element::U8, 0};
        const auto whole = memoryOf(options, facts, 1, *executor);
        VERIFY_OK(whole);
        options.slices = {4, 0, 4};
        const auto asOne = memoryOf(options, facts, 1, *executor);
        VERIFY_OK(asOne);
        QCOMPARE(asOne->activations, whole->activations);
        const auto apart = memoryOf(inSlices(options), facts, 1, *executor);
        VERIFY_OK(apart);
        QVERIFY(apart->activations < whole->activations / 3);
        QVERIFY(apart->optimizerSlots > whole->optimizerSlots);  // the accumulators
    }
    // On two ranks, with a short batch at the end (10 rows in slices of 8), and with accumulation: the update is that of the whole.
    void ranksAndBatchesSumTheirSlices_data() {
        QTest::addColumn<QList<int>>("slices");
        QTest::addColumn<int>("batches");
        QTest::newRow("two ranks") << QList<int>{2, 2} << 1;
        QTest::newRow("accumulation") << QList<int>{4} << 2;
        QTest::newRow("both") << QList<int>{2, 2} << 3;
    }
    void ranksAndBatchesSumTheirSlices() {
        QFETCH(QList<int>, slices);
        QFETCH(int, batches);
        RankOptions options = withValidation(test::smallOptions(106, 32, 3), 400, 0.2);
        options.accumulation = batches;
        options.dtype = graph::DType::F64;
        options.model.kernelL2 = 0.01;
        for (const auto& executor : {kRef, kCpu}) {
            const bool exact = options.dtype == graph::DType::F64;
            const auto whole = test::runRanks(options, executor, {1});
            const auto parts = test::runRanks(inSlices(options), executor, {slices.begin(), slices.end()});
            VERIFY_RUNS(whole);
            VERIFY_RUNS(parts);
            const double limit = exact ? 1e-11 : 1e-5;
            QCOMPARE(parts[0].value().steps, whole[0].value().steps);
            QVERIFY(test::worstRelative(parts[0].losses(), whole[0].losses()) < limit);
            QVERIFY(std::abs(parts[0].value().loss / whole[0].value().loss - 1) < limit);
            QVERIFY(std::abs(*parts[0].value().valLoss / *whole[0].value().valLoss - 1) < limit);
            QVERIFY(std::abs(parts[0].value().accuracy - whole[0].value().accuracy) < 1e-6);
            for (const auto& run : parts) QCOMPARE(run.value().weightsHash, parts[0].value().weightsHash);
            options.dtype = graph::DType::F32;
        }
    }
    // Moving statistics are updated once per batch, whoever runs its slices and however many batches an update sums.
    void movingStatisticsFollowTheBatch() {
        RankOptions options = test::smallOptions(96, 16, 1);
        options.dtype = graph::DType::F64;
        options.model.architecture = normalised(options);
        options.accumulation = 3;
        std::mutex mutex;
        std::vector<std::vector<StateTensor>> finals;
        const test::PerRank keep = [&](int rank, RankOptions&, RankHooks& hooks) {
            if (rank > 0) return;
            hooks.finalStates = [&](std::span<const StateTensor> states) {
                const std::scoped_lock lock(mutex);
                finals.emplace_back(states.begin(), states.end());
            };
        };
        VERIFY_RUNS(test::runRanks(options, kRef, {1}, keep));
        VERIFY_RUNS(test::runRanks(inSlices(options), kRef, {2}, keep));
        VERIFY_RUNS(test::runRanks(inSlices(options), kRef, {2, 2}, keep));
        const auto expected = movingMean(finals[0]);
        for (const std::size_t other : {1, 2}) {
            const auto found = movingMean(finals[other]);
            for (std::size_t i = 0; i < expected.size(); ++i) QVERIFY(std::abs(found[i] - expected[i]) < 1e-12);
        }
        // Not of zeros alone.
        QVERIFY(std::ranges::any_of(expected, [](double value) { return value > 1e-3; }));
    }
    void kerasReductionTakesNoSlices() {
        RankOptions options = inSlices(test::smallOptions(64, 8, 1));
        options.reduction = Reduction::Replicas;
        VERIFY_ERROR(*test::runRanks(options, kRef, {2})[0].result, "X001");
    }
    // What evaluates runs where the step runs, and needs no more than that.
    void anEvaluationFitsIntoTheStep() {
        const auto executor = exec::cpu::makeCpuExecutor();
        const auto scratch = [](const RankMemory& memory) { return memory.gradients + memory.activations + memory.workspace; };
        RankOptions options = test::smallOptions(64, 256, 1);
        options.slices = {4, 0, 4};
        options.evaluate = true;
        data::DatasetFacts facts{{28, 28, 1}, 512, 0, 10, data::Element::U8, 0};
        for (const char* model : {"cnn", "lenet5", "resnet20"}) {
            options.model.preset = model;
            if (options.model.preset == "resnet20") {
                options.model.inputShape = facts.featureShape = {32, 32, 3};
                options.recompute = {{"add_2", 1}, {"add_5", 1}};
            }
            facts.validationRows = 0;
            const auto without = memoryOf(inSlices(options), facts, 1, *executor);
            VERIFY_OK(without);
            facts.validationRows = 10'000;
            const auto with = memoryOf(inSlices(options), facts, 1, *executor);
            VERIFY_OK(with);
            QVERIFY2(scratch(*with) <= std::max(scratch(*without), std::uint64_t{4} << 20),
                     qPrintable(QString("%1: %2 and %3").arg(model).arg(scratch(*with)).arg(scratch(*without))));
        }
        // Nobody evaluates single rows for a step that is small anyway.
        options = test::smallOptions(64, 16, 1);
        const auto none = memoryOf(options, facts, 1, *executor);
        VERIFY_OK(none);
        options.evaluate = true;
        const auto small = memoryOf(options, facts, 1, *executor);
        VERIFY_OK(small);
        QVERIFY(small->input > none->input + 200 * 28 * 28 * 4);
    }
    // How many rows go at once changes nothing but the order of sums.
    void anEvaluationSaysTheSameInAnyParts() {
        RankOptions options = withValidation(test::smallOptions(64, 64, 1), 600, 0.5);
        options.dtype = graph::DType::F64;
        options.model.preset = "cnn";
        options.steps = 1;
        const auto whole = test::runRanks(options, kRef, {1});
        const auto parts = test::runRanks(inSlices(options), kRef, {32});
        VERIFY_RUNS(whole);
        VERIFY_RUNS(parts);
        QVERIFY(std::abs(*parts[0].value().valLoss / *whole[0].value().valLoss - 1) < 1e-11);
        QCOMPARE(*parts[0].value().valAccuracy, *whole[0].value().valAccuracy);
    }
};

LOCKSTEP_TEST(SlicesTest)
#include "slices_test.moc"
