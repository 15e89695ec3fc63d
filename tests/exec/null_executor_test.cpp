#include <support/test.h>

#include <exec_null/null_executor.h>

#include "random_graph.h"

using namespace lockstep;
using namespace lockstep::exec;
using namespace lockstep::graph;

namespace {

// Writes down what it is asked for; fails at one bucket if told so.
class Recorder final : public Collectives {
public:
    QStringList calls;
    int failing = -1;

    Result<void> start(int bucket, std::span<std::byte> data, DType) override {
        calls << QStringLiteral("start %1 %2").arg(bucket).arg(data.size());
        return {};
    }
    Result<void> wait(int bucket) override {
        calls << QStringLiteral("wait %1").arg(bucket);
        if (bucket == failing) return makeError("S403");
        return {};
    }
};

// x·w, its square sum in bucket 0, a second one in bucket 1 that a relu reads.
Graph someGraph() {
    Graph g;
    const Value x = g.input("x", {DType::F32, {100, 50}}).value(), w = g.state("w", {DType::F32, {50, 20}}, "weight").value();
    const Value y{g.append(OpKind::MatMul, "y", {x, w}).value(), 0};
    const Value a{g.append(OpKind::SquareSum, "a", {y}).value(), 0}, b{g.append(OpKind::SquareSum, "b", {y, y}).value(), 0};
    const Value first{g.append(OpKind::AllReduce, "r0", {a}, {{"bucket", std::int64_t{0}}}).value(), 0};
    const Value second{g.append(OpKind::AllReduce, "r1", {b}, {{"bucket", std::int64_t{1}}}).value(), 0};
    const Value z{g.append(OpKind::Relu, "z", {second}).value(), 0};
    g.setOutput("a", first);
    g.setOutput("y", y);
    g.setOutput("z", z);
    return g;
}

}  // namespace

class NullExecutorTest : public QObject {
    Q_OBJECT
private slots:
    void chargesTheRoofline() {
        null::NullExecutor executor({1e9, 1e6, Seconds(0.5)});
        Graph g;
        const Value x = g.input("x", {DType::F32, {10, 10}}).value();
        g.append(OpKind::Relu, "r", {x}).value();       // 800 bytes: 0.8 ms against 100 ns
        g.append(OpKind::MatMul, "m", {x, x}).value();  // 1,200 bytes: 1.2 ms against 2 µs
        CompileOptions options;
        options.timeOps = true;
        const auto program = executor.compile(g, options);
        VERIFY_OK(program);
        VERIFY_OK((*program)->run({}));
        VERIFY_OK((*program)->run({}));
        QCOMPARE(executor.charged().count(), 2 * (0.0008 + 0.0012 + 1.0));
        const auto times = (*program)->times();
        QCOMPARE(times[1].calls, std::uint64_t{2});
        QCOMPARE(times[1].seconds, 2 * 0.5008);
        QCOMPARE(times[0].seconds, 0.0);
        QCOMPARE((*program)->cost().flops, 2100.0);
        QCOMPARE((*program)->memory().activations, std::size_t{448});  // m takes the place of r
    }
    void startsAndWaitsLikeAnyExecutor() {
        null::NullExecutor executor;
        Recorder recorder;
        CompileOptions options;
        options.collectives = &recorder;
        const auto program = executor.compile(someGraph(), options);
        VERIFY_OK(program);
        VERIFY_OK((*program)->run({}));
        QCOMPARE(recorder.calls, (QStringList{"start 0 4", "start 1 4", "wait 1", "wait 0"}));
        recorder.failing = 1;
        VERIFY_ERROR((*program)->run({}), "S403");
    }
    void statesAndOutputs() {
        null::NullExecutor executor;
        Recorder recorder;
        CompileOptions options;
        options.collectives = &recorder;
        const auto program = executor.compile(someGraph(), options);
        VERIFY_OK(program);
        const std::vector<std::byte> values(4000, std::byte{7});
        (*program)->writeState(0, values);
        VERIFY_OK((*program)->run({}));
        std::vector<std::byte> back(4000);
        (*program)->readState(0, back);
        QVERIFY(back == values);
        QCOMPARE((*program)->output("y").size(), std::size_t{8000});
        QCOMPARE((*program)->output("z").size(), std::size_t{4});
        QVERIFY((*program)->output("none").empty());
        QCOMPARE((*program)->memory().weights, std::size_t{4000});
    }
    void refusals() {
        null::NullExecutor executor;
        VERIFY_ERROR(executor.compile(someGraph(), {}), "S407");
        Graph g = someGraph();
        g.setOutput("gone", {NodeId{99}, 0});
        VERIFY_ERROR(executor.compile(g, {}), "S406");
    }
    void runsAnyLegalGraph() {
        null::NullExecutor executor;
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            Recorder recorder;
            CompileOptions options;
            options.collectives = &recorder;
            const auto program = executor.compile(test::randomGraph(seed), options);
            VERIFY_OK(program);
            VERIFY_OK((*program)->run({}));
            QCOMPARE(recorder.calls.filter("start").size(), recorder.calls.filter("wait").size());
        }
    }
};

LOCKSTEP_TEST(NullExecutorTest)
#include "null_executor_test.moc"
