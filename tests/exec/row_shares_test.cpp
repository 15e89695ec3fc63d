// Dense layers whose weight has more rows than the batch: with several threads each one owns rows of it.
#include <support/test.h>

#include "whole_step.h"

#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>
#include <nn/optimizer.h>
#include <passes/passes.h>

using namespace lockstep;
using graph::DType;
using graph::OpKind;
using graph::Value;

namespace {

// x · a (+ bias, rectified) · b, classified and trained; outputs the gradients too.
Result<graph::Graph> denseStep(std::int64_t rows, std::int64_t inner, std::int64_t width, bool hasBias, const std::string& optimizer) {
    passes::Draft draft;
    graph::Graph& graph = draft.graph;
    LS_TRY_ASSIGN(const Value x, graph.input("x", {DType::F32, {rows, inner}}));
    LS_TRY_ASSIGN(const Value labels, graph.input("labels", {DType::I32, {rows}}));
    LS_TRY_ASSIGN(const Value weights, graph.input("weights", {DType::F32, {rows}}));
    LS_TRY_ASSIGN(const Value first, graph.state("a", {DType::F32, {inner, width}}, "weight"));
    LS_TRY_ASSIGN(const Value bias, graph.state("bias", {DType::F32, {width}}, "weight"));
    LS_TRY_ASSIGN(const Value last, graph.state("b", {DType::F32, {width, 5}}, "weight"));
    LS_TRY_ASSIGN(graph::NodeId y, graph.append(OpKind::MatMul, "product", {x, first}));
    if (hasBias) {
        LS_TRY_ASSIGN(y, graph.append(OpKind::BiasAdd, "biased", {{y, 0}, bias}));
    }
    LS_TRY_ASSIGN(y, graph.append(OpKind::Relu, "rectified", {{y, 0}}));
    LS_TRY_ASSIGN(y, graph.append(OpKind::MatMul, "logits", {{y, 0}, last}));
    LS_TRY_ASSIGN(const graph::NodeId loss, graph.append(OpKind::SoftmaxCrossEntropy, "loss", {{y, 0}, labels, weights}));
    graph.setOutput("loss", {loss, 0});
    LS_TRY(passes::autodiff(draft));
    for (const auto& pair : draft.gradients) graph.setOutput("gradient of " + graph.node(pair.weight.node).name, pair.gradient);
    LS_TRY(passes::gradientNorm(draft));
    nn::OptimizerOptions options;
    options.name = optimizer;
    LS_TRY(passes::updates(draft, options));
    return passes::fuse(graph);
}

}  // namespace

class RowSharesTest : public QObject {
    Q_OBJECT

private slots:
    void cpuAgainstRef_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("inner");
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("hasBias");
        QTest::addColumn<QString>("optimizer");
        QTest::newRow("the mlp") << 32 << 784 << 128 << true << "adam";
        QTest::newRow("odd sizes") << 53 << 521 << 41 << true << "adam";
        QTest::newRow("no bias") << 37 << 331 << 97 << false << "sgd";
        QTest::newRow("one row") << 1 << 4099 << 257 << true << "rmsprop";
        QTest::newRow("more rows than the threads share") << 200 << 257 << 64 << true << "adam";
    }
    void cpuAgainstRef() {
        QFETCH(int, rows);
        QFETCH(int, inner);
        QFETCH(int, width);
        QFETCH(bool, hasBias);
        QFETCH(QString, optimizer);
        const auto graph = denseStep(rows, inner, width, hasBias, optimizer.toStdString());
        VERIFY_OK(graph);
        const auto cpu = exec::cpu::makeCpuExecutor();
        const auto ref = exec::ref::makeRefExecutor();
        const auto expected = test::outputsOf(*ref, *graph, static_cast<float>(rows), 1, 0);
        VERIFY_OK(expected);
        for (const int threads : {1, 2, 3})
            for (const std::size_t guard : {std::size_t{0}, std::size_t{64}}) {
                const auto found = test::outputsOf(*cpu, *graph, static_cast<float>(rows), threads, guard);
                VERIFY_OK(found);
                const QString difference = test::differenceOf(*expected, *found);
                QVERIFY2(difference.isEmpty(), qPrintable(QString("%1 threads: %2").arg(threads).arg(difference)));
            }
    }
};

LOCKSTEP_TEST(RowSharesTest)
#include "row_shares_test.moc"
