// A trained model at work: the same numbers as the evaluation of the run, from its checkpoint alone.
#include "ranks.h"

#include <support/test.h>

#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>
#include <train/inference.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace lockstep;
using namespace lockstep::train;

namespace {

const test::ExecutorMaker kCpu = [] { return exec::cpu::makeCpuExecutor(); };

const data::Dataset& pictures() {
    static const data::Dataset made = [] {
        data::LoadOptions load;
        load.dataset = "synthetic";
        load.shape = {8, 8, 1};
        load.syntheticRows = 700;
        load.syntheticClasses = 4;
        load.validationSplit = 0.45;  // 315: more than one pass, the last one smaller
        return data::loadDataset(load).value();
    }();
    return made;
}

// Batch normalisation, dropout and a regularizer: what inference does otherwise than training.
nn::ModelOptions model() {
    nn::ModelOptions options;
    options.inputShape = {8, 8, 1};
    options.classes = 4;
    const auto layer = [](const char* kind, nn::Settings settings = {}) { return nn::LayerSpec{kind, "", std::move(settings), {}}; };
    options.architecture = nn::architectureOf(
        {layer("conv2d", {{"filters", std::int64_t{4}}, {"kernel_size", std::int64_t{3}}}), layer("batch_normalization"), layer("re_lu"),
         layer("flatten"), layer("dropout", {{"rate", 0.5}}), layer("dense", {{"units", std::int64_t{4}}})},
        options.inputShape);
    options.kernelL2 = 0.01;
    options.metrics = {{"accuracy"}, {"sparse_top_k_categorical_accuracy", 2}};
    return options;
}

struct Trained {
    test::Scratch scratch;
    std::vector<test::RankRun> runs;
    Checkpoint checkpoint;
    std::string id;
};

std::unique_ptr<Trained> trainOn(const std::vector<int>& slices) {
    auto trained = std::make_unique<Trained>();
    RankOptions options;
    options.model = model();
    options.data.loaded = std::make_shared<const data::Dataset>(pictures());
    options.globalBatch = 32;
    options.epochs = 2;
    options.checkpoint.folder = trained->scratch / "checkpoints";
    trained->runs = test::runRanks(options, kCpu, slices);
    for (const auto& run : trained->runs)
        if (!run.result->ok()) return trained;
    auto loaded = CheckpointStore(options.checkpoint.folder).loadNewest("").value();
    trained->checkpoint = std::move(loaded->checkpoint);
    trained->id = loaded->id;
    return trained;
}

InferenceOptions options() {
    InferenceOptions made;
    made.model = model();
    return made;
}

}  // namespace

class InferenceTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { m_executor = kCpu(); }

    void evaluatesWhatTheRunRecorded_data() {
        QTest::addColumn<QList<int>>("slices");
        QTest::newRow("one rank") << QList<int>{1};
        QTest::newRow("two ranks") << QList<int>{1, 1};
    }
    void evaluatesWhatTheRunRecorded() {
        QFETCH(QList<int>, slices);
        const auto trained = trainOn({slices.begin(), slices.end()});
        VERIFY_RUNS(trained->runs);
        const RankResult& result = trained->runs[0].value();
        auto inference = Inference::create(options(), pictures().validation.rows, trained->checkpoint, trained->id, *m_executor);
        VERIFY_OK(inference);
        std::int64_t told = -1;
        const auto found = inference->evaluate(pictures().validation, [&](std::int64_t done, std::int64_t) { told = done; });
        VERIFY_OK(found);
        QCOMPARE(found->rows, pictures().validation.rows);
        QVERIFY2(std::abs(found->loss - *result.valLoss) < 1e-6 * *result.valLoss,
                 (std::to_string(found->loss) + " " + std::to_string(*result.valLoss)).c_str());
        QCOMPARE(found->metrics.size(), std::size_t{2});
        QCOMPARE(found->metrics[0].first, std::string("accuracy"));
        QVERIFY(std::abs(found->metrics[0].second - *result.valAccuracy) < 1e-9);
        QVERIFY(found->metrics[1].second >= found->metrics[0].second);
        QVERIFY(told > 0 && told < found->rows);
    }
    // Any batch gives each row the same numbers, and their argmax is the accuracy.
    void predictsEachRow() {
        const auto trained = trainOn({1});
        VERIFY_RUNS(trained->runs);
        std::vector<std::vector<float>> all;
        for (const std::int64_t atOnce : {256, 7}) {
            InferenceOptions small = options();
            small.rowsAtOnce = atOnce;
            auto inference = Inference::create(small, pictures().validation.rows, trained->checkpoint, trained->id, *m_executor);
            VERIFY_OK(inference);
            QCOMPARE(inference->resultShape(), std::vector<std::int64_t>{4});
            QVERIFY(inference->form() == (ResultForm{ResultKind::Classes, "softmax"}));
            std::vector<float> values;
            VERIFY_OK(inference->predict(pictures().validation, [&](std::int64_t first, std::int64_t rows, std::span<const float> part) {
                [&] {
                    QCOMPARE(static_cast<std::size_t>(first) * 4, values.size());
                    QCOMPARE(static_cast<std::size_t>(rows) * 4, part.size());
                }();
                values.insert(values.end(), part.begin(), part.end());
                return Result<void>();
            }));
            all.push_back(std::move(values));
        }
        QCOMPARE(all[0].size(), all[1].size());
        int hits = 0;
        for (std::size_t i = 0; i < all[0].size(); ++i) QVERIFY(std::abs(all[0][i] - all[1][i]) < 1e-5F);
        const auto rows = static_cast<std::size_t>(pictures().validation.rows);
        for (std::size_t row = 0; row < rows; ++row) {
            const auto begin = all[0].begin() + static_cast<std::ptrdiff_t>(4 * row);
            hits += std::max_element(begin, begin + 4) - begin == pictures().validation.labels[row] ? 1 : 0;
        }
        QVERIFY(std::abs(static_cast<double>(hits) / static_cast<double>(rows) - *trained->runs[0].value().valAccuracy) < 1e-9);
    }
    void sinkEndsIt() {
        const auto trained = trainOn({1});
        VERIFY_RUNS(trained->runs);
        auto inference = Inference::create(options(), 10, trained->checkpoint, trained->id, *m_executor);
        VERIFY_OK(inference);
        int calls = 0;
        const auto ended =
            inference->predict(pictures().validation, [&](std::int64_t, std::int64_t, std::span<const float>) -> Result<void> {
                ++calls;
                return makeError("F605", {{"file", "x"}});
            });
        VERIFY_ERROR(ended, "F605");
        QCOMPARE(calls, 1);
    }
    void misfitsAreSaid() {
        const auto trained = trainOn({1});
        VERIFY_RUNS(trained->runs);
        const auto refusal = [&](const InferenceOptions& asked, const Checkpoint& checkpoint) {
            const auto made = Inference::create(asked, 8, checkpoint, trained->id, *m_executor);
            return made.ok() ? std::string() : made.error().code + " " + made.error().message;
        };
        InferenceOptions other = options();
        other.model.architecture->layers[0].settings["filters"] = std::int64_t{5};
        std::string said = refusal(other, trained->checkpoint);
        QVERIFY2(said.starts_with("C703") && said.find("conv2d/kernel") != std::string::npos, said.c_str());
        Checkpoint damaged = trained->checkpoint;
        std::erase_if(damaged.tensors, [](const StateTensor& tensor) { return tensor.name == "dense/bias"; });
        said = refusal(options(), damaged);
        QVERIFY2(said.starts_with("C703") && said.find("no dense/bias") != std::string::npos, said.c_str());
        other = options();
        std::erase_if(other.model.architecture->layers, [](const nn::LayerSpec& layer) { return layer.kind == "batch_normalization"; });
        said = refusal(other, trained->checkpoint);
        QVERIFY2(said.starts_with("C703"), said.c_str());
        InferenceOptions full = options();
        full.compile.allow = [](const exec::MemoryReport&) -> Result<void> {
            return makeError("M901", {{"what", "it"}, {"size", "1"}, {"reason", "no"}});
        };
        QVERIFY(refusal(full, trained->checkpoint).starts_with("M901"));
    }
    void rowsThatDoNotFit() {
        const auto trained = trainOn({1});
        VERIFY_RUNS(trained->runs);
        auto inference = Inference::create(options(), 8, trained->checkpoint, trained->id, *m_executor);
        VERIFY_OK(inference);
        data::Split thin = pictures().validation;
        thin.featureShape = {8, 7, 1};
        VERIFY_ERROR(inference->evaluate(thin), "S414");
        data::Split bare = pictures().validation.part(0, 8);
        bare.labels = {};
        VERIFY_ERROR(inference->evaluate(bare), "F629");
        data::Split high = pictures().validation.part(0, 8);
        const std::vector<std::int32_t> labels(8, 4);
        high.labels = labels;
        VERIFY_ERROR(inference->evaluate(high), "F629");
    }
    void formsFollowTheLoss_data() {
        QTest::addColumn<QString>("loss");
        QTest::addColumn<bool>("fromLogits");
        QTest::addColumn<QString>("last");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("activation");
        QTest::newRow("logits") << "sparse_categorical_crossentropy" << true << "linear" << int(ResultKind::Classes) << "softmax";
        QTest::newRow("probabilities") << "sparse_categorical_crossentropy" << false << "softmax" << int(ResultKind::Classes) << "";
        QTest::newRow("softmax nevertheless") << "sparse_categorical_crossentropy" << true << "softmax" << int(ResultKind::Classes) << "";
        QTest::newRow("binary") << "binary_crossentropy" << true << "linear" << int(ResultKind::YesOrNo) << "sigmoid";
        QTest::newRow("binary sigmoid") << "binary_crossentropy" << false << "sigmoid" << int(ResultKind::YesOrNo) << "";
        QTest::newRow("numbers") << "mean_squared_error" << true << "linear" << int(ResultKind::Measurement) << "";
    }
    void formsFollowTheLoss() {
        QFETCH(QString, loss);
        QFETCH(bool, fromLogits);
        QFETCH(QString, last);
        QFETCH(int, kind);
        QFETCH(QString, activation);
        InferenceOptions made;
        made.model.inputShape = {3};
        made.model.classes = 2;
        made.model.loss.name = loss.toStdString();
        made.model.loss.fromLogits = fromLogits;
        if (nn::targetsOf(made.model.loss) == nn::TargetKind::Values) made.model.metrics = {{"mean_absolute_error"}};
        made.model.architecture = nn::architectureOf(
            {nn::LayerSpec{"dense", "", {{"units", std::int64_t{2}}, {"activation", last.toStdString()}}, {}}}, made.model.inputShape);
        Checkpoint checkpoint;
        for (const char* name : {"dense/kernel", "dense/bias"}) {
            StateTensor tensor{name, "weight", {graph::DType::F32, {2}}, {}};
            if (std::string(name) == "dense/kernel") tensor.type.shape = {3, 2};
            tensor.bytes.resize(tensor.type.bytes());
            checkpoint.tensors.push_back(std::move(tensor));
        }
        const auto inference = Inference::create(made, 1, checkpoint, "it", *m_executor);
        VERIFY_OK(inference);
        QVERIFY(inference->form() == (ResultForm{static_cast<ResultKind>(kind), activation.toStdString()}));
    }
    void activations() {
        std::vector<float> row = {1000, 1001, std::log(2.0F) + 1000};
        applyActivation({ResultKind::Classes, "softmax"}, row);
        QVERIFY(std::abs(row[0] + row[1] + row[2] - 1) < 1e-6F && std::abs(row[2] / row[0] - 2) < 1e-3F);
        row = {0, -200, std::log(3.0F)};
        applyActivation({ResultKind::YesOrNo, "sigmoid"}, row);
        QVERIFY(row[0] == 0.5F && row[1] < 1e-30F && std::abs(row[2] - 0.75F) < 1e-6F);
        row = {4, 5};
        applyActivation({ResultKind::Classes, ""}, row);
        QVERIFY(row == (std::vector<float>{4, 5}));
    }

private:
    std::unique_ptr<exec::Executor> m_executor;
};

LOCKSTEP_TEST(InferenceTest)
#include "inference_test.moc"
