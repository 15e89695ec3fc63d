// A residual network's whole step, as the passes make it: on the CPU nodes share steps and memory, which no single op's case shows.
#include <support/test.h>

#include "whole_step.h"

#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>
#include <nn/optimizer.h>
#include <passes/passes.h>

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
        const auto expected = test::outputsOf(*ref, *graph, static_cast<float>(count), 1, 64);
        VERIFY_OK(expected);
        for (const int threads : {1, 2})
            for (const std::size_t guard : {std::size_t{0}, std::size_t{64}}) {
                const auto found = test::outputsOf(*cpu, *graph, static_cast<float>(count), threads, guard);
                VERIFY_OK(found);
                const QString difference = test::differenceOf(*expected, *found);
                QVERIFY2(difference.isEmpty(), qPrintable(QString("%1 threads: %2").arg(threads).arg(difference)));
            }
    }
};

LOCKSTEP_TEST(ResidualTest)
#include "residual_test.moc"
