// What a run may add to its steps: the average of the weights, a loss scale, regularizers, rules at the end of an epoch.
#include "ranks.h"

#include <support/test.h>

#include <base/file.h>
#include <exec_ref/ref_executor.h>

#include <cmath>
#include <cstring>

using namespace lockstep;
using namespace lockstep::train;
using telemetry::Series;

namespace {

const test::ExecutorMaker kRef = [] { return exec::ref::makeRefExecutor(); };

RankOptions sgdOptions(std::size_t rows, std::int64_t batch, int epochs) {
    static const auto kData = [] {
        data::LoadOptions load;
        load.dataset = "synthetic";
        load.shape = {28, 28, 1};
        load.syntheticRows = 128;
        load.validationSplit = 0.25;
        return std::make_shared<const data::Dataset>(data::loadDataset(load).value());
    }();
    RankOptions options = test::smallOptions(0, batch, epochs);
    options.data.loaded = kData;
    for (std::uint32_t i = 0; i < rows; ++i) options.data.order.push_back(i);
    options.optimizer = nn::optimizerDefaults("sgd");
    options.optimizer.learningRate = 0.1;
    options.dtype = graph::DType::F64;
    return options;
}

struct Ran {
    std::vector<test::RankRun> runs;
    std::map<std::string, std::vector<double>> states;  // of rank 0, behind the last step
    const test::RankRun& first() const { return runs.front(); }
};

Ran run(const RankOptions& options, const std::vector<int>& slices = {1}) {
    Ran ran;
    ran.runs = test::runRanks(options, kRef, slices, [&](int rank, RankOptions&, RankHooks& hooks) {
        if (rank != 0) return;
        hooks.finalStates = [&](std::span<const StateTensor> all) {
            for (const StateTensor& state : all) {
                std::vector<double>& values = ran.states[state.name];
                values.resize(state.bytes.size() / sizeof(double));
                std::memcpy(values.data(), state.bytes.data(), state.bytes.size());
            }
        };
    });
    return ran;
}

double worst(const std::vector<double>& a, const std::vector<double>& b) {
    double most = a.size() == b.size() ? 0 : 1e9;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

}  // namespace

class TechniquesTest : public QObject {
    Q_OBJECT
private slots:
    // Keras: average ← m · average + (1 − m) · weight with m = 0 in the first step; the weights are it in the end.
    void averageOfTheWeights() {
        const auto weightsAfter = [](std::uint64_t steps, bool average, std::optional<std::uint64_t> every = std::nullopt) {
            RankOptions options = sgdOptions(64, 8, 1);
            options.steps = steps;
            options.optimizer.useEma = average;
            options.optimizer.emaMomentum = 0.75;
            options.optimizer.emaOverwriteFrequency = every;
            return run(options).states.at("dense/kernel");
        };
        std::vector<double> expected = weightsAfter(1, false);
        for (std::uint64_t step = 2; step <= 4; ++step) {
            const auto weight = weightsAfter(step, false);
            for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 0.75 * expected[i] + 0.25 * weight[i];
        }
        QVERIFY(worst(weightsAfter(4, true), expected) < 1e-14);
        QVERIFY(worst(weightsAfter(4, true), weightsAfter(4, false)) > 1e-5);
        // Replaced after each step the weights are what the step made of the average before: another run.
        QVERIFY(worst(weightsAfter(4, true, 1), expected) > 1e-6);
        // After the first step the average is the weight.
        QCOMPARE(weightsAfter(1, true, 1), weightsAfter(1, false));
    }
    // Stopped between and resumed: averages are part of a checkpoint; on two ranks too.
    void averageResumes() {
        for (const std::vector<int>& slices : {std::vector<int>{1}, {1, 1}}) {
            const test::Scratch scratch;
            RankOptions options = sgdOptions(64, 8, 1);
            options.optimizer.useEma = true;
            options.optimizer.emaOverwriteFrequency = 3;
            const Ran whole = run(options, slices);
            VERIFY_RUNS(whole.runs);
            std::atomic<bool> stop{true};
            options.checkpoint.folder = scratch / "checkpoints";
            const auto first = test::runRanks(options, kRef, slices, [&](int rank, RankOptions&, RankHooks& hooks) {
                if (rank == 0) hooks.stop = &stop;
            });
            VERIFY_RUNS(first);
            QVERIFY(first[0].value().stopped && first[0].value().steps < 8);
            options.resume = true;
            const Ran rest = run(options, slices);
            VERIFY_RUNS(rest.runs);
            QCOMPARE(rest.first().value().weightsHash, whole.first().value().weightsHash);
            QCOMPARE(rest.states.at("dense/kernel/average"), whole.states.at("dense/kernel/average"));
        }
    }
    void averageCountsBatchesAsKeras() {
        RankOptions options = sgdOptions(64, 8, 1);
        options.optimizer.useEma = true;
        options.accumulation = 2;
        const Ran steps = run(options);
        options.kerasCompatible = true;
        const Ran batches = run(options);
        VERIFY_RUNS(steps.runs);
        VERIFY_RUNS(batches.runs);
        QVERIFY(worst(steps.states.at("dense/kernel"), batches.states.at("dense/kernel")) > 1e-7);
    }
    // A power of two changes nothing but the range on the way.
    void lossScale() {
        RankOptions options = sgdOptions(64, 8, 1);
        options.model.kernelL2 = 0.01;
        const Ran plain = run(options);
        options.optimizer.lossScaleFactor = 1024;
        const Ran scaled = run(options);
        VERIFY_RUNS(plain.runs);
        VERIFY_RUNS(scaled.runs);
        QVERIFY(test::worstRelative(scaled.first().losses(), plain.first().losses()) < 1e-14);
        QCOMPARE(scaled.states.at("dense/kernel"), plain.states.at("dense/kernel"));
    }
    // The loss grows by l1 · Σ|w| and the gradient by l1 · sign(w); on two ranks once, not twice; an evaluation has them too.
    void regularizers() {
        RankOptions options = sgdOptions(32, 32, 1);
        options.evaluate = true;
        const Ran plain = run(options);
        options.steps = 1;
        options.optimizer.learningRate = 0;
        const auto start = run(options).states;
        options.optimizer.learningRate = 0.1;
        options.model.kernelL1 = 0.01;
        options.model.kernelL2 = 0.02;
        const double l1 = double{0.01F}, l2 = double{0.02F};  // Keras rounds them
        double sum = 0, squares = 0;
        for (const char* name : {"dense/kernel", "dense_1/kernel"})
            for (const double w : start.at(name)) {
                sum += std::abs(w);
                squares += w * w;
            }
        std::vector<double> expected = plain.states.at("dense/kernel");
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const double w = start.at("dense/kernel")[i];
            expected[i] -= 0.1 * (l1 * (w > 0 ? 1 : w < 0 ? -1 : 0) + 2 * l2 * w);
        }
        for (const std::vector<int>& slices : {std::vector<int>{1}, {1, 1}}) {
            const Ran ran = run(options, slices);
            VERIFY_RUNS(ran.runs);
            QVERIFY(std::abs(ran.first().losses()[0] - plain.first().losses()[0] - l1 * sum - l2 * squares) < 1e-9);
            QVERIFY(worst(ran.states.at("dense/kernel"), expected) < 1e-12);
            double after = 0;
            for (const char* name : {"dense/kernel", "dense_1/kernel"})
                for (const double w : ran.states.at(name)) after += l1 * std::abs(w) + l2 * w * w;
            RankOptions bare = options;
            bare.optimizer.learningRate = 0;
            bare.model.kernelL1 = bare.model.kernelL2 = 0;
            bare.initialWeights.clear();
            for (const char* name : {"dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias"}) {
                const auto bytes = std::as_bytes(std::span(ran.states.at(name)));
                bare.initialWeights.emplace_back(bytes.begin(), bytes.end());
            }
            const Ran without = run(bare);
            VERIFY_RUNS(without.runs);
            QVERIFY(std::abs(*ran.first().value().valLoss - *without.first().value().valLoss - after) < 1e-9);
        }
    }
    // The values that Keras' rules give for this sequence of losses.
    void earlyStoppingRestoresTheBest() {
        RankOptions options = sgdOptions(32, 8, 6);
        options.optimizer.learningRate = 0.05;
        EarlyStopping rule;
        rule.monitor = "loss";
        rule.goal = Goal::Greater;  // the first epoch is the best
        rule.patience = 2;
        rule.restoreBestWeights = true;
        options.rules.earlyStopping = rule;
        const Ran ran = run(options, {1, 1});
        VERIFY_RUNS(ran.runs);
        QCOMPARE(ran.first().value().epochs, 3);
        QCOMPARE(ran.first().value().endedBy, std::string("early_stopping"));
        QVERIFY(!ran.first().value().stopped);
        options.rules = {};
        options.epochs = 1;
        QVERIFY(worst(ran.states.at("dense/kernel"), run(options, {1, 1}).states.at("dense/kernel")) < 1e-15);
    }
    void rulesResume() {
        const test::Scratch scratch;
        RankOptions options = sgdOptions(32, 8, 5);
        options.rules.reduceOnPlateau = ReduceOnPlateau{"loss", Goal::Greater, 0.5, 1, 0, 1, 0.001};
        options.rules.csvLog = CsvLog{scratch / "log.csv", ";"};
        const Ran whole = run(options);
        VERIFY_RUNS(whole.runs);
        const auto rates = [](const test::RankRun& run) { return run.series.at({Series::LearningRate, telemetry::kNoRank}); };
        // Epochs of 4 steps: the second is no better and halves the rate; the third ends the cooldown and, no better, halves it again.
        const auto all = rates(whole.first());
        QCOMPARE(all.at(8), 0.1);
        QCOMPARE(all.at(9), 0.05);
        QCOMPARE(all.at(13), 0.025);
        const auto log = readFile(scratch / "log.csv");
        VERIFY_OK(log);
        QVERIFY2(log->starts_with("epoch;accuracy;learning_rate;loss\n0;"), log->c_str());
        options.checkpoint.folder = scratch / "checkpoints";
        options.rules.csvLog->file = scratch / "parts.csv";
        std::atomic<bool> stop{false};
        const auto first = test::runRanks(options, kRef, {1}, [&](int, RankOptions&, RankHooks& hooks) {
            hooks.stop = &stop;
            hooks.progress = [&](std::uint64_t step) { stop = step >= 9; };
        });
        VERIFY_RUNS(first);
        QVERIFY(first[0].value().stopped);
        options.resume = true;
        const Ran rest = run(options);
        VERIFY_RUNS(rest.runs);
        QCOMPARE(rest.first().value().weightsHash, whole.first().value().weightsHash);
        for (const auto& [step, rate] : rates(rest.first())) QCOMPARE(rate, all.at(step));
        const auto parts = readFile(scratch / "parts.csv");
        VERIFY_OK(parts);
        QCOMPARE(*parts, *log);
    }
    void furtherMetricsAreMeans() {
        RankOptions options = sgdOptions(10, 4, 2);
        options.evaluate = true;
        options.model.metrics = {{}, {"sparse_top_k_categorical_accuracy", 10, 0.5}, {"sparse_top_k_categorical_accuracy", 3, 0.5}};
        options.model.metrics.pop_back();
        for (const std::vector<int>& slices : {std::vector<int>{1}, {1, 1}}) {
            const Ran ran = run(options, slices);
            VERIFY_RUNS(ran.runs);
            // All ten classes: every row is a hit.
            for (const auto value : {telemetry::MetricValue::Step, telemetry::MetricValue::Epoch, telemetry::MetricValue::Validation}) {
                const auto series = telemetry::metricSeries("sparse_top_k_categorical_accuracy", value);
                const auto& points = ran.first().series.at({*series, telemetry::kNoRank});
                QVERIFY(!points.empty());
                for (const auto& [step, hits] : points) QVERIFY(std::abs(hits - 1) < 1e-12);
            }
        }
    }
    void monitorThatIsNotThere() {
        RankOptions options = sgdOptions(32, 8, 1);
        options.rules.target = Target{"val_loss", Goal::Less, 1};
        VERIFY_ERROR(*run(options).first().result, "S307");
    }
};

LOCKSTEP_TEST(TechniquesTest)
#include "techniques_test.moc"
