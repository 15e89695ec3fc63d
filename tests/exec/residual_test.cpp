// A residual network's whole step, as the passes make it: on the CPU nodes share steps and memory, which no single op's case shows.
#include <support/test.h>

#include <base/random.h>
#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>
#include <nn/optimizer.h>
#include <passes/passes.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>

using namespace lockstep;
using graph::Attributes;
using graph::DType;
using graph::OpKind;
using graph::Shape;
using graph::Value;

namespace {

using Dims = std::vector<std::int64_t>;

// A convolution with bias, a pool, two residual blocks (the second with a projection) and a classifier, trained by Adam; outputs "loss" and
// the gradient of every weight.
class Network {
public:
    Result<graph::Graph> build(std::int64_t rows, std::int64_t width) {
        LS_TRY_ASSIGN(const Value x, m_draft.graph.input("x", {DType::F32, {rows, 12, 12, 3}}));
        LS_TRY_ASSIGN(const Value labels, m_draft.graph.input("labels", {DType::I32, {rows}}));
        LS_TRY_ASSIGN(const Value weights, m_draft.graph.input("weights", {DType::F32, {rows}}));
        LS_TRY_ASSIGN(m_count, m_draft.graph.input("count", {DType::F32, {}}));
        LS_TRY_ASSIGN(const Value first, state({3, 3, 3, width}));
        LS_TRY_ASSIGN(const Value bias, state({width}));
        LS_TRY_ASSIGN(Value y, add(OpKind::Conv2D, {x, first}, {{"strides", Dims{1, 1}}, {"padding", std::string("same")}}));
        LS_TRY_ASSIGN(y, add(OpKind::BiasAdd, {y, bias}));
        LS_TRY_ASSIGN(y, add(OpKind::Relu, {y}));
        LS_TRY_ASSIGN(y, add(OpKind::MaxPool2D, {y}, {{"window", Dims{2, 2}}, {"strides", Dims{2, 2}}, {"padding", std::string("valid")}}));
        LS_TRY_ASSIGN(y, block(y, width, 1));
        LS_TRY_ASSIGN(y, block(y, 2 * width, 2));
        LS_TRY_ASSIGN(y, add(OpKind::AvgPool2D, {y}, {{"window", Dims{3, 3}}, {"strides", Dims{3, 3}}, {"padding", std::string("valid")}}));
        LS_TRY_ASSIGN(y, add(OpKind::Reshape, {y}, {{"shape", Dims{rows, 2 * width}}}));
        LS_TRY_ASSIGN(const Value kernel, state({2 * width, 5}));
        LS_TRY_ASSIGN(y, add(OpKind::MatMul, {y, kernel}));
        LS_TRY_ASSIGN(const Value loss, add(OpKind::SoftmaxCrossEntropy, {y, labels, weights}));
        m_draft.graph.setOutput("loss", loss);
        LS_TRY(passes::autodiff(m_draft));
        for (const auto& pair : m_draft.gradients) m_draft.graph.setOutput(m_draft.graph.node(pair.weight.node).name, pair.gradient);
        LS_TRY(passes::gradientNorm(m_draft));
        nn::OptimizerOptions adam;
        adam.name = "adam";
        LS_TRY(passes::updates(m_draft, adam));
        return passes::fuse(m_draft.graph);
    }

private:
    Result<Value> add(OpKind op, std::vector<Value> inputs, Attributes attributes = {}) {
        LS_TRY_ASSIGN(const auto node, m_draft.graph.append(op, "n" + std::to_string(m_next++), std::move(inputs), std::move(attributes)));
        return Value{node, 0};
    }
    Result<Value> state(Shape shape) {
        return m_draft.graph.state("w" + std::to_string(m_next++), {DType::F32, std::move(shape)}, "weight");
    }
    // Convolution and normalisation.
    Result<Value> unit(Value x, std::int64_t size, std::int64_t width, std::int64_t stride) {
        LS_TRY_ASSIGN(const Value kernel, state({size, size, m_draft.graph.type(x).shape[3], width}));
        LS_TRY_ASSIGN(const Value gamma, state({width}));
        LS_TRY_ASSIGN(const Value beta, state({width}));
        LS_TRY_ASSIGN(const Value y,
                      add(OpKind::Conv2D, {x, kernel}, {{"strides", Dims{stride, stride}}, {"padding", std::string("same")}}));
        LS_TRY_ASSIGN(const Value mean, add(OpKind::BatchMoments, {y, m_count}));
        return add(OpKind::BatchNormalize, {y, mean, {mean.node, 1}, gamma, beta}, {{"epsilon", 1e-3}});
    }
    Result<Value> block(Value x, std::int64_t width, std::int64_t stride) {
        LS_TRY_ASSIGN(Value y, unit(x, 3, width, stride));
        LS_TRY_ASSIGN(y, add(OpKind::Relu, {y}));
        LS_TRY_ASSIGN(y, unit(y, 3, width, 1));
        Value shortcut = x;
        if (stride > 1) {
            LS_TRY_ASSIGN(shortcut, unit(x, 1, width, stride));
        }
        LS_TRY_ASSIGN(y, add(OpKind::Add, {y, shortcut}));
        return add(OpKind::Relu, {y});
    }

    passes::Draft m_draft;
    Value m_count;
    int m_next = 0;
};

std::vector<float> random(std::size_t count, std::uint64_t seed) {
    Philox generator(seed, 0);
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(generator.nextDouble() - 0.5);
    return values;
}

std::vector<float> toFloats(std::span<const std::byte> bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

// Two steps (the second finds the memory as the first left it), then all outputs and all States.
Result<std::map<std::string, std::vector<float>>> outputsOf(exec::Executor& executor, const graph::Graph& graph, float count, int threads,
                                                            std::size_t guardBytes) {
    exec::CompileOptions options;
    options.threads = threads;
    options.guardBytes = guardBytes;
    LS_TRY_ASSIGN(const auto program, executor.compile(graph, options));
    const auto states = graph.nodesOf(OpKind::State);
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (graph::textAttribute(graph.node(states[i]).attributes, "role") == "slot") continue;
        const auto values = random(static_cast<std::size_t>(graph.node(states[i]).outputs[0].shape.elements()), i);
        program->writeState(i, std::as_bytes(std::span(values)));
    }
    const auto rows = static_cast<std::size_t>(graph.node(*graph.find("labels")).outputs[0].shape[0]);
    const auto x = random(rows * 432, 99);
    std::vector<std::int32_t> labels(rows);
    std::vector<float> weights(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        labels[i] = static_cast<std::int32_t>(i % 5);
        weights[i] = static_cast<float>(i) < count ? 1 / count : 0.0F;
    }
    const auto at = [](const void* data) { return static_cast<const std::byte*>(data); };
    const float rate = 0.01F;
    float number = 1;
    std::vector<const std::byte*> feeds;
    for (const auto id : graph.nodesOf(OpKind::Input)) {
        const std::map<std::string, const void*> byName = {{"x", x.data()},   {"labels", labels.data()}, {"weights", weights.data()},
                                                           {"count", &count}, {"learning_rate", &rate},  {"step", &number}};
        feeds.push_back(at(byName.at(graph.node(id).name)));
    }
    for (; number <= 2; ++number) LS_TRY(program->run({feeds}));
    std::map<std::string, std::vector<float>> found;
    for (const auto& [name, value] : graph.outputs()) found.emplace(name, toFloats(program->output(name)));
    for (std::size_t i = 0; i < states.size(); ++i) {
        auto& values = found["state " + graph.node(states[i]).name];
        values.resize(static_cast<std::size_t>(graph.node(states[i]).outputs[0].shape.elements()));
        program->readState(i, std::as_writable_bytes(std::span(values)));
    }
    if (!program->intact()) return makeError("X001", {{"what", "a guard was overwritten"}});
    return found;
}

}  // namespace

class ResidualTest : public QObject {
    Q_OBJECT

private slots:
    void cpuAgainstRef_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("count");
        QTest::newRow("blocks of channels") << 4 << 16 << 4;
        QTest::newRow("padding rows") << 5 << 16 << 3;
        QTest::newRow("odd channels") << 3 << 19 << 3;
        QTest::newRow("few channels") << 3 << 5 << 2;
        QTest::newRow("large enough for two threads") << 60 << 32 << 59;
    }
    void cpuAgainstRef() {
        QFETCH(int, rows);
        QFETCH(int, width);
        QFETCH(int, count);
        const auto graph = Network().build(rows, width);
        VERIFY_OK(graph);
        const auto cpu = exec::cpu::makeCpuExecutor();
        const auto ref = exec::ref::makeRefExecutor();
        const auto expected = outputsOf(*ref, *graph, static_cast<float>(count), 1, 64);
        VERIFY_OK(expected);
        for (const int threads : {1, 2})
            for (const std::size_t guard : {std::size_t{0}, std::size_t{64}}) {
                const auto found = outputsOf(*cpu, *graph, static_cast<float>(count), threads, guard);
                VERIFY_OK(found);
                for (const auto& [name, values] : *expected) {
                    double difference = 0, size = 0;
                    const auto& mine = found->at(name);
                    for (std::size_t i = 0; i < values.size(); ++i) {
                        difference += std::pow(static_cast<double>(mine[i]) - static_cast<double>(values[i]), 2);
                        size += std::pow(static_cast<double>(values[i]), 2);
                    }
                    QVERIFY2(std::sqrt(difference) <= 2e-5 * std::sqrt(size) + 1e-7, qPrintable(QString("%1: %2 of %3, %4 threads")
                                                                                                    .arg(name.c_str())
                                                                                                    .arg(std::sqrt(difference))
                                                                                                    .arg(std::sqrt(size))
                                                                                                    .arg(threads)));
                }
            }
    }
};

LOCKSTEP_TEST(ResidualTest)
#include "residual_test.moc"
