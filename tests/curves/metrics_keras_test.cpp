// AUC, precision and recall against real Keras (tests/fixtures/inference), after each of its batches.
#include "recorded.h"

#include <support/test.h>

#include <base/file.h>
#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>
#include <train/inference.h>

#include <nlohmann/json.hpp>

#include <cmath>

using namespace lockstep;

namespace {

const nlohmann::json& recorded() {
    static const nlohmann::json all = [] {
        const auto text = readFile(test::sourceDir() / "tests/fixtures/inference/keras.json");
        return text.ok() ? nlohmann::json::parse(*text)["metrics"] : nlohmann::json::array();
    }();
    return all;
}

std::vector<float> flat(const nlohmann::json& rows) {
    std::vector<float> values;
    for (const auto& row : rows)
        for (const auto& value : row) values.push_back(value.get<float>());
    return values;
}

// A model that gives what it is given.
train::InferenceOptions optionsOf(const nlohmann::json& metric) {
    train::InferenceOptions options;
    nn::ModelOptions& model = options.model;
    const auto width = static_cast<std::int64_t>(metric["predictions"][0].size());
    model.inputShape = {width};
    model.classes = static_cast<int>(width);
    model.architecture = nn::architectureOf({nn::LayerSpec{"flatten", "", {}, {}}}, model.inputShape);
    const bool categorical = metric["case"].get<std::string>().find("one-hot") != std::string::npos;
    model.loss = {categorical ? "categorical_crossentropy" : "binary_crossentropy", metric.value("from_logits", false), 0, 1, false};
    nn::MetricOptions asked{metric["name"].get<std::string>()};
    asked.threshold = metric.value("threshold", asked.threshold);
    asked.topK = metric.value("top_k", std::int64_t{0});
    model.metrics = {asked};
    options.rowsAtOnce = 5;  // neither Keras' batch nor a divisor of the rows
    return options;
}

}  // namespace

class MetricsKerasTest : public QObject {
    Q_OBJECT
private slots:
    void values_data() {
        QTest::addColumn<int>("index");
        QTest::addColumn<bool>("reference");
        int index = 0;
        for (const auto& metric : recorded()) {
            for (const bool reference : {false, true})
                QTest::newRow((metric["case"].get<std::string>() + (reference ? ", ref" : ", cpu")).c_str()) << index << reference;
            ++index;
        }
    }
    void values() {
        QFETCH(int, index);
        QFETCH(bool, reference);
        const auto& metric = recorded()[static_cast<std::size_t>(index)];
        const std::vector<float> predictions = flat(metric["predictions"]), targets = flat(metric["targets"]);
        const auto executor = reference ? exec::ref::makeRefExecutor() : exec::cpu::makeCpuExecutor();
        data::Split all;
        all.featureShape = {static_cast<std::int64_t>(metric["predictions"][0].size())};
        all.rows = static_cast<std::int64_t>(metric["predictions"].size());
        all.element = data::Element::F32;
        all.features = std::as_bytes(std::span(predictions));
        all.targets = targets;
        all.targetWidth = all.featureShape[0];
        const std::int64_t batch = metric["batch"];
        auto inference = train::Inference::create(optionsOf(metric), all.rows, {}, "none", *executor);
        VERIFY_OK(inference);
        std::int64_t seen = 0;
        for (const auto& after : metric["after"]) {
            seen = std::min(seen + batch, all.rows);
            const auto found = inference->evaluate(all.part(0, seen));
            VERIFY_OK(found);
            const double value = found->metrics[0].second, expected = after;
            QVERIFY2(std::abs(value - expected) < 1e-6,
                     (std::to_string(seen) + " rows: " + std::to_string(value) + " " + std::to_string(expected)).c_str());
        }
        QCOMPARE(seen, all.rows);
    }
};

LOCKSTEP_TEST(MetricsKerasTest)
#include "metrics_keras_test.moc"
