#include <support/test.h>

#include <exec/executor.h>
#include <exec_cpu/cpu_executor.h>
#include <graph/graph.h>

#include <array>
#include <cmath>

using namespace lockstep;
using namespace lockstep::graph;

namespace {

constexpr std::int64_t kCount = 40;
using Values = std::array<float, kCount>;

// One momentum update of a weight whose gradient is zero.
Result<Graph> momentumOnly() {
    Graph graph;
    const TensorType vector{DType::F32, {kCount}};
    LS_TRY_ASSIGN(const Value gradient, graph.input("g", vector));
    LS_TRY_ASSIGN(const Value rate, graph.input("learning_rate", {DType::F32, {}}));
    LS_TRY_ASSIGN(const Value weight, graph.state("w", vector, "weight"));
    LS_TRY_ASSIGN(const Value slot, graph.state("w/momentum", vector, "slot"));
    LS_TRY(graph.append(OpKind::SgdUpdate, "update", {weight, gradient, rate, slot}, {{"momentum", 0.5}, {"nesterov", std::int64_t{0}}}));
    return graph;
}

}  // namespace

class DenormalsTest : public QObject {
    Q_OBJECT
private slots:
    void areZeroInsideAStepOnly() {
        const auto graph = momentumOnly();
        VERIFY_OK(graph);
        const auto executor = exec::cpu::makeCpuExecutor();
        auto program = executor->compile(*graph, {});
        VERIFY_OK(program);
        Values gradient{}, slot{};
        slot.fill(1e-39F);
        slot[0] = 1.0F;
        (*program)->writeState(1, std::as_bytes(std::span(slot)));
        const float rate = 0.1F;
        const std::array<const std::byte*, 2> feeds = {reinterpret_cast<const std::byte*>(gradient.data()),
                                                       reinterpret_cast<const std::byte*>(&rate)};
        VERIFY_OK((*program)->run({feeds}));
        (*program)->readState(1, std::as_writable_bytes(std::span(slot)));
        QCOMPARE(slot[0], 0.5F);
        for (std::size_t i = 1; i < slot.size(); ++i) QCOMPARE(std::fpclassify(slot[i]), FP_ZERO);
        // The caller's own arithmetic is as it was.
        volatile float small = 1e-39F;
        small = small * 0.5F;
        QCOMPARE(std::fpclassify(small), FP_SUBNORMAL);
    }
};

LOCKSTEP_TEST(DenormalsTest)
#include "denormals_test.moc"
