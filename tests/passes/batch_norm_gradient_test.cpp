// Graphs with batch normalisation through autodiff, against finite differences of the loss; computed by exec/ref in float64.
#include <support/test.h>

#include <base/random.h>
#include <exec_ref/ref_executor.h>
#include <passes/passes.h>

#include <cmath>
#include <cstring>

using namespace lockstep;
using namespace lockstep::passes;
using namespace lockstep::graph;

namespace {

using Numbers = std::vector<double>;

constexpr std::int64_t kRows = 5;
constexpr double kReal = 4;  // the last row is padding

std::span<const std::byte> bytesOf(const Numbers& values) { return std::as_bytes(std::span(values)); }

Numbers numbers(std::span<const std::byte> bytes) {
    Numbers values(bytes.size() / sizeof(double));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

struct Options {
    bool addend = false, relu = false, frozen = false, scaledLoss = false;
};

// x → grouped convolution → batch normalisation (+ a second convolution of x, relu) → global average → dense → smoothed loss.
Graph forwardOf(const Options& options) {
    Graph g;
    const auto add = [&](OpKind op, const char* name, std::vector<Value> inputs, Attributes attributes = {}) {
        return Value{g.append(op, name, std::move(inputs), std::move(attributes)).value(), 0};
    };
    const auto state = [&](const char* name, Shape shape, const char* role = "weight") {
        return g.state(name, {DType::F64, std::move(shape)}, role).value();
    };
    const Value x = g.input("x", {DType::F64, {kRows, 4, 3, 4}}).value();
    const Value labels = g.input("labels", {DType::I32, {kRows}}).value();
    const Value weights = g.input("weights", {DType::F64, {kRows}}).value();
    const Value count = g.input("count", {DType::F64, {}}).value();
    const Value scale = g.input("scale", {DType::F64, {}}).value();
    const Attributes window{{"strides", std::vector<std::int64_t>{1, 1}}, {"padding", std::string("same")}};
    Attributes grouped = window;
    grouped.emplace("groups", std::int64_t{2});
    const Value h = add(OpKind::Conv2D, "conv", {x, state("kernel", {3, 3, 2, 6})}, grouped);
    Value mean = state("moving_mean", {6}, "statistic"), variance = state("moving_variance", {6}, "statistic");
    if (!options.frozen) {
        const Value moments = add(OpKind::BatchMoments, "moments", {h, count});
        const Value spread{moments.node, 1};
        add(OpKind::MovingUpdate, "mean_update", {mean, moments, count}, {{"momentum", 0.99}});
        add(OpKind::MovingUpdate, "variance_update", {variance, spread, count}, {{"momentum", 0.99}});
        mean = moments;
        variance = spread;
    }
    std::vector<Value> inputs = {h, mean, variance, state("gamma", {6}), state("beta", {6})};
    if (options.addend) inputs.push_back(add(OpKind::Conv2D, "shortcut", {x, state("shortcut/kernel", {1, 1, 4, 6})}, window));
    Attributes norm{{"epsilon", 1e-3}};
    if (options.relu) norm.emplace("activation", std::string("relu"));
    const Value y = add(OpKind::BatchNormalize, "norm", std::move(inputs), norm);
    const Attributes whole{
        {"window", std::vector<std::int64_t>{4, 3}}, {"strides", std::vector<std::int64_t>{1, 1}}, {"padding", std::string("valid")}};
    const Value pooled = add(OpKind::AvgPool2D, "pool", {y}, whole);
    const Value flat = add(OpKind::Reshape, "flat", {pooled}, {{"shape", std::vector<std::int64_t>{kRows, 6}}});
    const Value logits = add(OpKind::MatMul, "logits", {flat, state("dense", {6, 3})});
    Value loss = add(OpKind::SoftmaxCrossEntropy, "loss", {logits, labels, weights}, {{"label_smoothing", 0.1}});
    if (options.scaledLoss) loss = add(OpKind::MulScalar, "scaled_loss", {loss, scale});
    g.setOutput("loss", loss);
    return g;
}

// A program with its States filled from their indices, and its feeds.
class Runner {
public:
    explicit Runner(const Graph& graph) : m_graph(graph), m_states(graph.nodesOf(OpKind::State)) {
        m_program = m_executor->compile(graph, {}).value();
        for (std::size_t i = 0; i < m_states.size(); ++i) {
            Philox random(7, i);
            Numbers values(static_cast<std::size_t>(graph.node(m_states[i]).outputs[0].shape.elements()));
            const bool positive = graph.node(m_states[i]).name == "moving_variance";
            for (double& value : values) value = positive ? 0.5 + random.nextDouble() : 2 * random.nextDouble() - 1;
            m_values.push_back(values);
        }
        Philox random(3, 1);
        for (double& value : m_x) value = random.nextNormal();
    }

    // The loss with element `at` of a State moved by `by`; all States are written anew, so that the moving averages stay.
    double lossWith(std::size_t state, std::size_t at, double by) {
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            Numbers values = m_values[i];
            if (i == state) values[at] += by;
            m_program->writeState(i, bytesOf(values));
        }
        const Numbers weights = {0.3, 0.1, 0.4, 0.2, 0}, count = {kReal}, scale = {8};
        const std::vector<std::int32_t> labels = {2, 0, 1, 1, 0};
        const std::byte* feeds[] = {bytesOf(m_x).data(), std::as_bytes(std::span(labels)).data(), bytesOf(weights).data(),
                                    bytesOf(count).data(), bytesOf(scale).data()};
        const auto ran = m_program->run({feeds});
        return ran.ok() ? numbers(m_program->output("loss"))[0] : NAN;
    }
    Numbers output(const std::string& name) const { return numbers(m_program->output(name)); }
    Numbers state(std::size_t index) const {
        Numbers values(m_values[index].size());
        m_program->readState(index, std::as_writable_bytes(std::span(values)));
        return values;
    }
    std::size_t indexOf(Value value) const {
        return static_cast<std::size_t>(std::find(m_states.begin(), m_states.end(), value.node) - m_states.begin());
    }
    const Numbers& initial(std::size_t state) const { return m_values[state]; }

private:
    const Graph& m_graph;
    std::vector<NodeId> m_states;
    std::unique_ptr<exec::Executor> m_executor = exec::ref::makeRefExecutor();
    std::unique_ptr<exec::Program> m_program;
    std::vector<Numbers> m_values;
    Numbers m_x = Numbers(kRows * 4 * 3 * 4);
};

}  // namespace

class BatchNormGradientTest : public QObject {
    Q_OBJECT
private slots:
    void autodiffIsTheSlopeOfTheLoss_data() {
        QTest::addColumn<int>("bits");
        for (int bits = 0; bits < 16; ++bits)
            QTest::addRow("%s%s%s%s", bits & 4 ? "frozen" : "batch", bits & 1 ? " addend" : "", bits & 2 ? " relu" : "",
                          bits & 8 ? " scaled" : "")
                << bits;
    }
    void autodiffIsTheSlopeOfTheLoss() {
        QFETCH(int, bits);
        Draft draft{forwardOf({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0}), {}};
        VERIFY_OK(autodiff(draft));
        VERIFY_OK(verify(draft.graph));
        QCOMPARE(draft.gradients.size(), std::size_t(bits & 1 ? 5 : 4));
        for (const auto& pair : draft.gradients) {
            QCOMPARE(textAttribute(draft.graph.node(pair.weight.node).attributes, "role"), std::string_view("weight"));
            draft.graph.setOutput("d " + draft.graph.node(pair.weight.node).name, pair.gradient);
        }
        Runner run(draft.graph);
        run.lossWith(0, 0, 0);
        std::vector<Numbers> slopes;
        for (const auto& pair : draft.gradients) slopes.push_back(run.output("d " + draft.graph.node(pair.weight.node).name));
        constexpr double kStep = 1e-6;
        for (std::size_t i = 0; i < slopes.size(); ++i) {
            const std::size_t state = run.indexOf(draft.gradients[i].weight);
            for (std::size_t at = 0; at < slopes[i].size(); at += 1 + slopes[i].size() / 20) {
                const double wanted = (run.lossWith(state, at, kStep) - run.lossWith(state, at, -kStep)) / (2 * kStep);
                QVERIFY2(std::abs(slopes[i][at] - wanted) < 1e-8 * (1 + std::abs(wanted)),
                         qPrintable(QStringLiteral("weight %1 at %2: %3, slope %4").arg(state).arg(at).arg(slopes[i][at]).arg(wanted)));
            }
        }
    }
    // They move while the loss is computed, and nothing of it is a gradient.
    void movingStatisticsMove() {
        const Graph graph = forwardOf({});
        Runner run(graph);
        run.lossWith(0, 0, 0);
        const std::size_t mean = run.indexOf({*graph.find("moving_mean"), 0});
        QVERIFY(run.state(mean) != run.initial(mean));
        for (std::size_t c = 0; c < 6; ++c) QVERIFY(std::abs(run.state(mean)[c] - run.initial(mean)[c]) < 0.1);
    }
    // Statistics that depend on a weight in another way than through one batch_moments have no rule.
    void otherStatisticsAreRefused() {
        Graph g;
        const TensorType vector{DType::F64, {3}};
        const Value w = g.state("w", {DType::F64, {2, 3}}, "weight").value();
        const Value gamma = g.state("gamma", vector, "weight").value(), beta = g.state("beta", vector, "weight").value();
        const Value count = g.input("count", {DType::F64, {}}).value();
        const Value shifted{g.append(OpKind::Scale, "shifted", {w}, {{"factor", 2.0}}).value(), 0};
        const NodeId moments = g.append(OpKind::BatchMoments, "moments", {w, count}).value();
        const Value y{
            g.append(OpKind::BatchNormalize, "norm", {shifted, {moments, 0}, {moments, 1}, gamma, beta}, {{"epsilon", 1e-3}}).value(), 0};
        g.setOutput("loss", {g.append(OpKind::SquareSum, "squares", {y}).value(), 0});
        Draft draft{g, {}};
        const auto done = autodiff(draft);
        VERIFY_ERROR(done, "S409");
        QVERIFY2(done.error().message.find("one batch_moments") != std::string::npos, done.error().message.c_str());
    }
};

LOCKSTEP_TEST(BatchNormGradientTest)
#include "batch_norm_gradient_test.moc"
