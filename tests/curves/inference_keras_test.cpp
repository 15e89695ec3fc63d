// model.evaluate and model.predict of real Keras (tests/fixtures/inference), from the same weights and rows.
#include "recorded.h"

#include <imports/keras_model.h>
#include <support/test.h>

#include <base/file.h>
#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>
#include <train/inference.h>

#include <nlohmann/json.hpp>

#include <cmath>

using namespace lockstep;

namespace {

nlohmann::json recorded() {
    const auto text = readFile(test::sourceDir() / "tests/fixtures/inference/keras.json");
    return text.ok() ? nlohmann::json::parse(*text) : nlohmann::json();
}

struct Loaded {
    train::InferenceOptions options;
    train::Checkpoint weights;
};

Result<Loaded> load(const std::string& name) {
    Loaded loaded;
    nn::ModelOptions& model = loaded.options.model;
    LS_TRY_ASSIGN(const keras::KerasFile file, keras::readKeras(test::curveFolder() / name));
    LS_TRY_ASSIGN(model.architecture, imports::architectureOf(file, name));
    model.inputShape = model.architecture->inputShape;
    model.metrics = {{"accuracy"}, {"sparse_top_k_categorical_accuracy", 3}};
    LS_TRY_ASSIGN(const nn::Model built, nn::buildModel(model, 1, graph::DType::F32));
    LS_TRY_ASSIGN(auto weights, imports::weightsOf(file, built, graph::DType::F32, name));
    for (std::size_t i = 0; i < weights.size(); ++i)
        loaded.weights.tensors.push_back({built.weights[i].name, "weight", built.weights[i].type, std::move(weights[i])});
    return loaded;
}

Result<data::Split> rowsOf(const std::string& name, std::int64_t count) {
    if (name.starts_with("resnet")) return bench::recordedPictures(count);
    data::LoadOptions options;
    options.folder = test::sourceDir() / "resources/data/mnist";
    static const test::Scratch scratch;
    options.cacheFolder = scratch / "cache";
    LS_TRY_ASSIGN(data::Dataset dataset, data::loadDataset(options));
    return std::move(dataset.validation);
}

}  // namespace

class InferenceKerasTest : public QObject {
    Q_OBJECT
private slots:
    void models_data() {
        QTest::addColumn<int>("index");
        QTest::addColumn<bool>("reference");
        QTest::newRow("cnn, cpu") << 0 << false;
        QTest::newRow("resnet20, cpu") << 1 << false;
        QTest::newRow("resnet20, ref") << 1 << true;
    }
    void models() {
        QFETCH(int, index);
        QFETCH(bool, reference);
        const auto keras = recorded();
        QVERIFY(keras.is_object());
        const auto& expected = keras["models"][static_cast<std::size_t>(index)];
        const std::string name = expected["file"];
        const auto loaded = load(name);
        VERIFY_OK(loaded);
        const auto rows = rowsOf(name, expected["rows"]);
        VERIFY_OK(rows);
        QCOMPARE(rows->rows, expected["rows"].get<std::int64_t>());
        const auto executor = reference ? exec::ref::makeRefExecutor() : exec::cpu::makeCpuExecutor();
        auto inference = train::Inference::create(loaded->options, rows->rows, loaded->weights, name, *executor);
        VERIFY_OK(inference);
        const auto found = inference->evaluate(*rows);
        VERIFY_OK(found);
        const double loss = expected["loss"];
        QVERIFY2(std::abs(found->loss - loss) < 2e-6 * loss, (std::to_string(found->loss) + " " + std::to_string(loss)).c_str());
        // Keras gives float32.
        QVERIFY(std::abs(found->metrics[0].second - expected["accuracy"].get<double>()) < 1e-6);
        QVERIFY(std::abs(found->metrics[1].second - expected["top3"].get<double>()) < 1e-6);
        comparePredictions(*inference, rows->part(0, 7), expected);
    }

private:
    static void comparePredictions(train::Inference& inference, const data::Split& rows, const nlohmann::json& expected) {
        const auto form = inference.form();
        QCOMPARE(form.activation, std::string("softmax"));
        std::size_t seen = 0;
        double worst = 0, worstProbability = 0, largest = 0;
        VERIFY_OK(inference.predict(rows, [&](std::int64_t first, std::int64_t count, std::span<const float> values) {
            for (std::int64_t row = 0; row < count; ++row) {
                std::vector<float> one(values.begin() + row * 10, values.begin() + (row + 1) * 10);
                const auto at = static_cast<std::size_t>(first + row);
                for (std::size_t c = 0; c < one.size(); ++c) {
                    const double logit = expected["logits"][at][c];
                    worst = std::max(worst, std::abs(static_cast<double>(one[c]) - logit));
                    largest = std::max(largest, std::abs(logit));
                }
                train::applyActivation(form, one);
                for (std::size_t c = 0; c < one.size(); ++c)
                    worstProbability =
                        std::max(worstProbability, std::abs(static_cast<double>(one[c]) - expected["probabilities"][at][c].get<double>()));
                ++seen;
            }
            return Result<void>();
        }));
        QCOMPARE(seen, std::size_t{7});
        QVERIFY2(worst < 1e-5 * std::max(1.0, largest), std::to_string(worst).c_str());
        QVERIFY2(worstProbability < 1e-5, std::to_string(worstProbability).c_str());
    }
};

LOCKSTEP_TEST(InferenceKerasTest)
#include "inference_keras_test.moc"
