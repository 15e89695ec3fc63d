// Gradient checkpointing: the same bits for less memory.
#include "ranks.h"

#include <support/sanitizer.h>
#include <support/test.h>

#include <exec/arena.h>
#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>
#include <passes/pipeline.h>
#include <train/memory.h>

using namespace lockstep;
using namespace lockstep::train;

namespace {

const test::ExecutorMaker kRef = [] { return exec::ref::makeRefExecutor(); };
const test::ExecutorMaker kCpu = [] { return exec::cpu::makeCpuExecutor(); };

RankOptions syntheticOptions(const std::string& preset, std::int64_t batch, std::uint64_t steps) {
    RankOptions options = test::mnistOptions(preset, batch, steps);
    options.data.dataset = "synthetic";
    options.data.shape = {16, 16, 3};
    options.data.syntheticRows = 40;
    options.model.inputShape = options.data.shape;
    return options;
}

// From "keep nearly all" to "keep nearly nothing".
std::vector<passes::RecomputeChoice> choicesOf(const RankOptions& options) {
    const auto model = nn::buildModel(options.model, options.globalBatch, options.dtype).value();
    passes::TrainStepOptions step;
    step.optimizer = options.optimizer;
    step.allReduce = false;
    const auto made = passes::makeTrainStep(model, step).value();
    const auto work = [](const graph::Graph& graph) -> double { return exec::costOf(graph).flops; };
    return passes::recomputeChoices(made.graph, made.lastForward, work).value();
}

// A convolution, a normalisation, dropout and dense layers.
nn::Architecture dropoutModel() {
    const auto layer = [](const char* kind, const char* name, std::map<std::string, nn::Setting, std::less<>> settings = {}) {
        nn::LayerSpec spec;
        spec.kind = kind;
        spec.name = name;
        spec.settings = std::move(settings);
        return spec;
    };
    nn::Architecture model;
    model.inputShape = {16, 16, 3};
    const std::vector<std::int64_t> three = {3, 3};
    model.layers = {layer("conv2d", "first", {{"filters", std::int64_t{8}}, {"kernel_size", three}}),
                    layer("batch_normalization", "norm"),
                    layer("activation", "act", {{"activation", std::string("relu")}}),
                    layer("dropout", "drop", {{"rate", 0.3}}),
                    layer("conv2d", "second", {{"filters", std::int64_t{8}}, {"kernel_size", three}, {"activation", std::string("gelu")}}),
                    layer("dropout", "drop_again", {{"rate", 0.5}}),
                    layer("flatten", "flat"),
                    layer("dense", "hidden", {{"units", std::int64_t{32}}, {"activation", std::string("relu")}}),
                    layer("dense", "logits", {{"units", std::int64_t{10}}})};
    return model;
}

}  // namespace

class RecomputeTrainTest : public QObject {
    Q_OBJECT
private slots:
    void bitsStayTheSame_data() {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<bool>("reference");
        for (const char* preset : {"resnet20", "mobilenet", "transformer_classifier"}) QTest::newRow(preset) << preset << false;
        if (!test::kThreadSanitizer) QTest::newRow("resnet20, ref") << "resnet20" << true;
    }
    void bitsStayTheSame() {
        QFETCH(QString, preset);
        QFETCH(bool, reference);
        const std::uint64_t steps = reference || test::kThreadSanitizer ? 3 : 20;
        RankOptions options = syntheticOptions(preset.toStdString(), 8, steps);
        const auto choices = choicesOf(options);
        const auto plain = test::runRanks(options, reference ? kRef : kCpu, {1});
        VERIFY_RUNS(plain);
        QVERIFY(choices.size() > 1);
        for (const std::size_t i : {choices.size() / 2, choices.size() - 1}) {
            options.recompute = choices[i].cuts;
            const auto again = test::runRanks(options, reference ? kRef : kCpu, {1});
            VERIFY_RUNS(again);
            QCOMPARE(again[0].losses(), plain[0].losses());
            QCOMPARE(again[0].series.at({telemetry::Series::GradientNorm, telemetry::kNoRank}),
                     plain[0].series.at({telemetry::Series::GradientNorm, telemetry::kNoRank}));
            QCOMPARE(again[0].value().weightsHash, plain[0].value().weightsHash);
        }
    }
    // Dropout draws the same rows again, moving statistics are updated once; with accumulation and on two ranks too.
    void dropoutAccumulationAndRanks_data() {
        QTest::addColumn<int>("accumulation");
        QTest::addColumn<int>("ranks");
        QTest::newRow("plain") << 1 << 1;
        QTest::newRow("accumulation") << 2 << 1;
        QTest::newRow("two ranks") << 1 << 2;
    }
    void dropoutAccumulationAndRanks() {
        QFETCH(int, accumulation);
        QFETCH(int, ranks);
        RankOptions options = syntheticOptions("cnn", 8, 20);
        options.model.architecture = dropoutModel();
        options.accumulation = accumulation;
        const std::vector<int> slices(static_cast<std::size_t>(ranks), 1);
        const auto plain = test::runRanks(options, kCpu, slices);
        VERIFY_RUNS(plain);
        options.recompute = {{"second"}, {"act", 2}};
        const auto again = test::runRanks(options, kCpu, slices);
        VERIFY_RUNS(again);
        QCOMPARE(again[0].losses(), plain[0].losses());
        QCOMPARE(again[0].value().weightsHash, plain[0].value().weightsHash);
    }
    // What the executor plans gets smaller, too, not only what the graph's arena says.
    void memoryGetsSmaller() {
        RankOptions options = syntheticOptions("resnet20", 128, 1);
        const auto executor = exec::cpu::makeCpuExecutor();
        const auto facts = data::readDatasetFacts(options.data);
        VERIFY_OK(facts);
        const auto whole = memoryOf(options, *facts, 1, *executor);
        VERIFY_OK(whole);
        options.recompute = choicesOf(options).back().cuts;
        const auto least = memoryOf(options, *facts, 1, *executor);
        VERIFY_OK(least);
        qInfo("activations %.1f MiB, with recompute %.1f MiB", static_cast<double>(whole->activations) / (1 << 20),
              static_cast<double>(least->activations) / (1 << 20));
        QVERIFY(least->activations < whole->activations / 2);
        QCOMPARE(least->weights, whole->weights);
        QCOMPARE(least->optimizerSlots, whole->optimizerSlots);
    }
};

LOCKSTEP_TEST(RecomputeTrainTest)
#include "recompute_test.moc"
