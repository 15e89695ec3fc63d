// Every optimizer against Keras in float64: four updates with given gradients, recorded in tests/fixtures/keras_layers/optimizers.json.
#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <exec_ref/ref_executor.h>
#include <nn/optimizer.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>

using namespace lockstep;
using namespace lockstep::nn;
using graph::DType;
using graph::OpKind;
using nlohmann::json;

namespace {

using Numbers = std::vector<double>;

OptimizerOptions optionsOf(const json& recorded) {
    OptimizerOptions o = optimizerDefaults(recorded.at("name").get<std::string>());
    const json& a = recorded.at("arguments");
    const auto maybe = [&](const char* key, std::optional<double>& field) {
        if (a.contains(key)) field = a.at(key).get<double>();
    };
    o.learningRate = a.value("learning_rate", o.learningRate);
    o.momentum = a.value("momentum", o.momentum);
    o.nesterov = a.value("nesterov", o.nesterov);
    o.beta1 = a.value("beta_1", o.beta1);
    o.beta2 = a.value("beta_2", o.beta2);
    o.epsilon = a.value("epsilon", o.epsilon);
    o.rho = a.value("rho", o.rho);
    o.centered = a.value("centered", o.centered);
    o.initialAccumulator = a.value("initial_accumulator_value", o.initialAccumulator);
    o.amsgrad = a.value("amsgrad", o.amsgrad);
    maybe("weight_decay", o.weightDecay);
    maybe("clipnorm", o.clipnorm);
    maybe("clipvalue", o.clipvalue);
    maybe("global_clipnorm", o.globalClipnorm);
    maybe("loss_scale_factor", o.lossScaleFactor);
    return o;
}

const json& fixture() {
    static const json all = [] {
        const auto file = readFile(test::sourceDir() / "tests/fixtures/keras_layers/optimizers.json");
        return file.ok() ? json::parse(*file) : json::object();
    }();
    return all;
}

// Two weights, whose gradients are fed.
struct Bench {
    graph::Graph graph;
    std::unique_ptr<exec::Executor> executor = exec::ref::makeRefExecutor();
    std::unique_ptr<exec::Program> program;

    Result<void> prepare(const OptimizerOptions& options) {
        std::vector<WeightGradient> pairs;
        const graph::Shape shapes[] = {{2, 3}, {3}};
        for (std::size_t i = 0; i < 2; ++i) {
            LS_TRY_ASSIGN(const auto weight, graph.state("w" + std::to_string(i), {DType::F64, shapes[i]}, "weight"));
            LS_TRY_ASSIGN(const auto gradient, graph.input("g" + std::to_string(i), {DType::F64, shapes[i]}));
            pairs.push_back({weight, gradient});
        }
        LS_TRY(appendUpdates(graph, options, pairs));
        LS_TRY(verify(graph));
        LS_TRY_ASSIGN(program, executor->compile(graph, {}));
        const auto states = graph.nodesOf(OpKind::State);
        for (std::size_t i = 0; i < states.size(); ++i) {
            const auto& type = graph.node(states[i]).outputs[0];
            Numbers start(static_cast<std::size_t>(type.shape.elements()), slotStart(options, graph.node(states[i]).name));
            if (i < 2) start = fixture().at("start")[i].get<Numbers>();
            program->writeState(i, std::as_bytes(std::span(start)));
        }
        return {};
    }

    Result<void> step(double rate, int number) {
        std::vector<Numbers> values;
        for (const auto id : graph.nodesOf(OpKind::Input)) {
            const std::string& name = graph.node(id).name;
            if (name == "learning_rate")
                values.push_back({rate});
            else if (name == "step")
                values.push_back({static_cast<double>(number + 1)});
            else
                values.push_back(gradient(static_cast<std::size_t>(number), name == "g0" ? 0 : 1));
        }
        std::vector<const std::byte*> feeds;
        for (const Numbers& one : values) feeds.push_back(std::as_bytes(std::span(one)).data());
        return program->run({feeds});
    }

    double scale = 1;
    Numbers gradient(std::size_t number, std::size_t weight) const {
        auto values = fixture().at("gradients")[number][weight].get<Numbers>();
        for (double& value : values) value *= scale;
        return values;
    }
    Numbers weight(std::size_t index) const {
        Numbers values(index == 0 ? 6 : 3);
        program->readState(index, std::as_writable_bytes(std::span(values)));
        return values;
    }
};

}  // namespace

class OptimizerCaseTest : public QObject {
    Q_OBJECT
private slots:
    void updatesAreKeras_data() {
        QTest::addColumn<int>("index");
        const json& cases = fixture().at("cases");
        QVERIFY(cases.size() >= 20);
        for (std::size_t i = 0; i < cases.size(); ++i)
            QTest::newRow((cases[i].at("name").get<std::string>() + cases[i].at("arguments").dump()).c_str()) << static_cast<int>(i);
    }
    void updatesAreKeras() {
        QFETCH(int, index);
        const json& recorded = fixture().at("cases")[static_cast<std::size_t>(index)];
        const OptimizerOptions options = optionsOf(recorded);
        Bench bench;
        bench.scale = options.lossScaleFactor.value_or(1);
        VERIFY_OK(bench.prepare(options));
        for (int number = 0; number < 4; ++number) {
            VERIFY_OK(bench.step(options.learningRate, number));
            for (std::size_t weight = 0; weight < 2; ++weight) {
                const auto mine = bench.weight(weight);
                const auto theirs = recorded.at("weights")[static_cast<std::size_t>(number)][weight].get<Numbers>();
                for (std::size_t i = 0; i < mine.size(); ++i) {
                    const double error = std::abs(mine[i] - theirs[i]);
                    QVERIFY2(error <= 1e-9, qPrintable(QStringLiteral("step %1 weight %2[%3]: %4, Keras %5")
                                                           .arg(number)
                                                           .arg(weight)
                                                           .arg(i)
                                                           .arg(mine[i], 0, 'g', 17)
                                                           .arg(theirs[i], 0, 'g', 17)));
                }
            }
        }
    }
};

LOCKSTEP_TEST(OptimizerCaseTest)
#include "optimizer_case_test.moc"
