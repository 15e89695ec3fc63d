// Every layer and loss against Keras in float64: results, losses, gradients, moving statistics, inference and metrics, recorded in
// tests/fixtures/keras_layers/layers.json.
#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <exec_ref/ref_executor.h>
#include <nn/model.h>
#include <passes/passes.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>

using namespace lockstep;
using namespace lockstep::nn;
using graph::DType;
using graph::Graph;
using graph::OpKind;
using nlohmann::json;

namespace {

using Numbers = std::vector<double>;
using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytesOf(const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

Numbers numbersOf(std::span<const std::byte> bytes) {
    Numbers values(bytes.size() / sizeof(double));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

Setting settingOf(const json& value) {
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (value.is_number()) return value.get<double>();
    if (value.is_array()) return value.get<std::vector<std::int64_t>>();
    return value.get<std::string>();
}

ModelOptions optionsOf(const json& recorded) {
    Architecture model;
    model.inputShape = recorded.at("input_shape").get<std::vector<std::int64_t>>();
    for (const json& one : recorded.at("layers")) {
        LayerSpec layer{one.at("kind"), one.value("name", ""), {}, one.value("inputs", std::vector<std::string>{})};
        const json settings = one.value("settings", json::object());
        for (const auto& [key, value] : settings.items()) layer.settings.emplace(key, settingOf(value));
        model.layers.push_back(std::move(layer));
    }
    ModelOptions options;
    const json& loss = recorded.at("loss_options");
    options.loss.name = loss.at("name");
    options.loss.fromLogits = loss.value("from_logits", true);
    options.loss.labelSmoothing = loss.value("label_smoothing", 0.0);
    options.loss.delta = loss.value("delta", 1.0);
    options.loss.labelTargets = false;
    options.metrics.clear();
    for (const auto& metric : recorded.at("metrics").items()) options.metrics.push_back({metric.key(), 2, 0.5});
    options.architecture = architectureOf(std::move(model.layers), std::move(model.inputShape));
    options.classes = static_cast<int>(recorded.at("output").size() / recorded.at("rows").get<std::size_t>());
    return options;
}

// Feeds of a graph by the names of its Inputs.
class Feeds {
public:
    Feeds(const Graph& graph, const json& recorded) {
        for (const auto id : graph.nodesOf(OpKind::Input)) m_bytes.push_back(bytesFor(graph.node(id), recorded));
        for (const Bytes& bytes : m_bytes) m_feeds.push_back(bytes.data());
    }
    exec::StepInputs inputs() const { return {m_feeds}; }

private:
    static Bytes bytesFor(const graph::Node& node, const json& recorded) {
        const auto tensor = [&](const char* key) {
            if (node.outputs[0].dtype == DType::I32) return bytesOf(recorded.at(key).get<std::vector<std::int32_t>>());
            return bytesOf(recorded.at(key).get<Numbers>());
        };
        if (node.name == "x") return tensor("x");
        if (node.name == "labels" || node.name == "targets") return tensor("y");
        if (node.name == "weights") return tensor("row_weights");
        const double rows = recorded.at("rows");
        return bytesOf(Numbers{node.name == "count" ? rows : node.name == "statistics_weight" ? 1.0 : 0.0});
    }

    std::vector<Bytes> m_bytes;
    std::vector<const std::byte*> m_feeds;
};

class Runner {
public:
    Runner(const Graph& graph, const Model& model, const json& recorded) : m_executor(exec::ref::makeRefExecutor()) {
        auto compiled = m_executor->compile(graph, {});
        if (!compiled.ok()) qFatal("%s", compiled.error().toText().c_str());
        m_program = std::move(compiled).value();
        for (std::size_t i = 0; i < model.weights.size(); ++i) {
            const WeightInfo& weight = model.weights[i];
            if (weight.role == WeightRole::Constant)
                m_program->writeState(i, initialValue(weight, 1, i));
            else
                m_program->writeState(i, bytesOf(recorded.at("weights").at(weight.name).get<Numbers>()));
        }
        const Feeds feeds(graph, recorded);
        const auto ran = m_program->run(feeds.inputs());
        if (!ran.ok()) qFatal("%s", ran.error().toText().c_str());
    }
    Numbers output(const std::string& name) const { return numbersOf(m_program->output(name)); }
    Numbers state(std::size_t index, std::size_t bytes) const {
        Bytes into(bytes);
        m_program->readState(index, into);
        return numbersOf(into);
    }

private:
    std::unique_ptr<exec::Executor> m_executor;
    std::unique_ptr<exec::Program> m_program;
};

// TensorFlow's gelu divides by a √2 that is rounded to float32, in float64 too.
double toleranceOf(const json& recorded) { return recorded.at("name") == "activation_gelu" ? 1e-7 : 1e-9; }

// Empty when all are within the tolerance, relative to the larger of 1 and the recorded number.
std::string difference(const Numbers& mine, const Numbers& theirs, const std::string& what, double tolerance) {
    if (mine.size() != theirs.size()) return what + ": " + std::to_string(mine.size()) + " numbers, not " + std::to_string(theirs.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
        const double error = std::abs(mine[i] - theirs[i]) / std::max(1.0, std::abs(theirs[i]));
        if (!(error <= tolerance))
            return what + "[" + std::to_string(i) + "]: " + std::to_string(mine[i]) + ", Keras " + std::to_string(theirs[i]);
    }
    return {};
}

#define COMPARE_NUMBERS(mine, theirs, what)                                              \
    do {                                                                                 \
        const std::string wrong = difference(mine, theirs, what, toleranceOf(recorded)); \
        QVERIFY2(wrong.empty(), wrong.c_str());                                          \
    } while (false)

const json& recordedCases() {
    static const json cases = [] {
        const auto file = readFile(test::sourceDir() / "tests/fixtures/keras_layers/layers.json");
        return file.ok() ? json::parse(*file).at("cases") : json::array();
    }();
    return cases;
}

}  // namespace

class LayerCaseTest : public QObject {
    Q_OBJECT
private slots:
    void layersAreKeras_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < recordedCases().size(); ++i)
            QTest::newRow(recordedCases()[i].at("name").get<std::string>().c_str()) << static_cast<int>(i);
        QVERIFY(recordedCases().size() >= 50);
    }
    void layersAreKeras() {
        QFETCH(int, index);
        const json& recorded = recordedCases()[static_cast<std::size_t>(index)];
        const ModelOptions options = optionsOf(recorded);
        auto model = buildModel(options, recorded.at("rows"), DType::F64);
        VERIFY_OK(model);
        VERIFY_OK(verify(model->forward));
        model->forward.setOutput("result", model->forward.outputs().at("logits"));

        passes::Draft draft{model->forward, {}};
        VERIFY_OK(passes::autodiff(draft));
        for (const auto& [weight, gradient] : draft.gradients)
            draft.graph.setOutput("gradient of " + draft.graph.node(weight.node).name, gradient);
        for (const MovingStatistic& moving : model->movingStatistics) {
            const graph::Value count{*draft.graph.find("count"), 0};
            VERIFY_OK(draft.graph.append(OpKind::MovingUpdate, "moving", {moving.state, moving.batch, count},
                                         {{"momentum", moving.momentum}, {"bessel", moving.bessel}}));
        }
        VERIFY_OK(verify(draft.graph));
        const Runner run(draft.graph, *model, recorded);
        COMPARE_NUMBERS(run.output("result"), recorded.at("output").get<Numbers>(), "output");
        COMPARE_NUMBERS(run.output("loss"), Numbers{recorded.at("loss").get<double>()}, "loss");
        std::size_t trained = 0;
        for (std::size_t i = 0; i < model->weights.size(); ++i) {
            const WeightInfo& weight = model->weights[i];
            if (weight.role == WeightRole::Constant) continue;
            QCOMPARE(weight.type.shape.dims(), recorded.at("shapes").at(weight.name).get<std::vector<std::int64_t>>());
            if (weight.role == WeightRole::Trained) {
                ++trained;
                COMPARE_NUMBERS(run.output("gradient of " + weight.name), recorded.at("gradients").at(weight.name).get<Numbers>(),
                                "gradient of " + weight.name);
            }
            if (weight.role == WeightRole::Statistic)
                COMPARE_NUMBERS(run.state(i, weight.type.bytes()), recorded.at("statistics").at(weight.name).get<Numbers>(), weight.name);
        }
        QCOMPARE(trained, recorded.at("gradients").size());
        for (const MetricOptions& metric : options.metrics) {
            const std::string metricOutput = metric == options.metrics.front() ? "correct" : "metric/" + metric.name;
            COMPARE_NUMBERS(run.output(metricOutput), Numbers{recorded.at("metrics").at(metric.name).get<double>()}, metric.name);
        }
    }
    void inferenceIsKeras_data() { layersAreKeras_data(); }
    void inferenceIsKeras() {
        QFETCH(int, index);
        const json& recorded = recordedCases()[static_cast<std::size_t>(index)];
        const auto model = buildModel(optionsOf(recorded), recorded.at("rows"), DType::F64, Phase::Inference);
        VERIFY_OK(model);
        QVERIFY(model->movingStatistics.empty());
        QVERIFY(!model->forward.find("count").has_value());
        const Runner run(model->forward, *model, recorded);
        const json& expected = recorded.at("inference_output").empty() ? recorded.at("output") : recorded.at("inference_output");
        COMPARE_NUMBERS(run.output("logits"), expected.get<Numbers>(), "output");
    }
};

LOCKSTEP_TEST(LayerCaseTest)
#include "layer_case_test.moc"
