#include <support/test.h>

#include <exec/arena.h>

#include "random_graph.h"

#include <map>

using namespace lockstep;
using namespace lockstep::exec;
using namespace lockstep::graph;

namespace {

// Runs a graph on memory whose bytes carry the name of the value they hold, and says what goes wrong.
class Simulation {
public:
    Simulation(const Graph& graph, const ArenaPlan& plan) : m_graph(graph), m_plan(plan), m_arena(plan.bytes(), Value{NodeId{kFree}, 0}) {}

    QString run() {
        for (std::uint32_t n = 0; n < m_graph.nodes().size(); ++n) {
            const NodeId id{n};
            for (const int bucket : m_plan.waitsBefore(id)) arrive(bucket);
            for (const Value& input : m_graph.node(id).inputs) {
                if (!holds(input)) return QStringLiteral("node %1 reads what is gone").arg(n);
                if (onItsWay(input)) return QStringLiteral("node %1 reads a sum before it is there").arg(n);
            }
            if (!write(id)) return QStringLiteral("node %1 writes over its input or a sum under way").arg(n);
        }
        for (const int bucket : m_plan.waitsAtEnd()) arrive(bucket);
        if (!m_underWay.empty()) return "a sum was never waited for";
        for (const auto& [name, value] : m_graph.outputs()) {
            if (!holds(value)) return QStringLiteral("output is gone");
        }
        return {};
    }

private:
    static constexpr std::uint32_t kFree = 0xffffffff;

    // An alias stands for the value that was really written.
    Value origin(Value value) const {
        while (m_plan.isAlias(m_graph, value.node)) value = m_graph.node(value.node).inputs[0];
        return value;
    }

    bool holds(const Value& value) const {
        const Place& place = m_plan.place(value);
        if (place.space != Space::Arena) return true;
        if (place.offset + place.bytes > m_arena.size()) return false;
        for (std::size_t i = 0; i < place.bytes; ++i) {
            if (m_arena[place.offset + i] != origin(value)) return false;
        }
        return true;
    }

    bool onItsWay(const Value& value) const {
        const Place& place = m_plan.place(value);
        if (place.space != Space::Arena) return false;
        for (const auto& [bucket, range] : m_underWay) {
            if (place.offset < range.second && range.first < place.offset + place.bytes) return true;
        }
        return false;
    }

    bool write(NodeId id) {
        const Node& node = m_graph.node(id);
        if (m_plan.isAlias(m_graph, id)) return true;
        for (std::uint32_t i = 0; i < node.outputs.size(); ++i) {
            const Value value{id, i};
            const Place& place = m_plan.place(value);
            if (place.space != Space::Arena) continue;
            if (node.op != OpKind::AllReduce) {
                if (onItsWay(value)) return false;
                for (const Value& input : node.inputs) {
                    const Place& in = m_plan.place(input);
                    const bool apart = in.offset >= place.offset + place.bytes || place.offset >= in.offset + in.bytes;
                    if (in.space == Space::Arena && !apart) return false;
                }
            }
            for (std::size_t b = 0; b < place.bytes; ++b) m_arena[place.offset + b] = value;
        }
        if (node.op == OpKind::AllReduce) start(static_cast<int>(intAttribute(node.attributes, "bucket")));
        return true;
    }

    void start(int number) {
        const Bucket& bucket = m_plan.buckets()[static_cast<std::size_t>(number)];
        m_underWay[number] = {bucket.offset, bucket.offset + bucket.bytes};
    }

    void arrive(int bucket) { QVERIFY(m_underWay.erase(bucket) == 1); }

    const Graph& m_graph;
    const ArenaPlan& m_plan;
    std::vector<Value> m_arena;
    std::map<int, std::pair<std::size_t, std::size_t>> m_underWay;
};

Value add(Graph& graph, OpKind op, std::vector<Value> inputs, Attributes attributes = {}) {
    return {graph.append(op, "n", std::move(inputs), std::move(attributes)).value(), 0};
}

}  // namespace

class ArenaTest : public QObject {
    Q_OBJECT
private slots:
    void noTwoLiveValuesOverlap() {
        for (std::uint64_t seed = 0; seed < 400; ++seed) {
            const Graph graph = test::randomGraph(seed);
            VERIFY_OK(verify(graph));
            for (const std::size_t guard : {0, 24}) {
                const ArenaPlan plan = planArena(graph, {guard == 0 ? std::size_t{64} : std::size_t{16}, guard});
                const QString finding = Simulation(graph, plan).run();
                QVERIFY2(finding.isEmpty(), qPrintable(QStringLiteral("seed %1: %2\n%3").arg(seed).arg(finding, print(graph).c_str())));
            }
        }
    }
    void theSimulationNoticesABadPlan() {
        // The plan of a graph in which x is dead after node 1, used for one that reads it in node 3.
        Graph shortLife, longLife;
        for (Graph* graph : {&shortLife, &longLife}) {
            Value x = graph->input("x", {DType::F32, {16}}).value();
            const Value a = add(*graph, OpKind::Relu, {x}), b = add(*graph, OpKind::Relu, {a}), c = add(*graph, OpKind::Relu, {b});
            graph->setOutput("d", add(*graph, OpKind::Add, {c, graph == &longLife ? a : c}));
        }
        QVERIFY(Simulation(shortLife, planArena(shortLife)).run().isEmpty());
        QVERIFY(!Simulation(longLife, planArena(shortLife)).run().isEmpty());
    }
    void deadSlotsAreUsedAgain() {
        Graph graph;
        Value x = graph.input("x", {DType::F32, {100}}).value();
        for (int i = 0; i < 50; ++i) x = add(graph, OpKind::Relu, {x});
        QCOMPARE(planArena(graph).bytes(), std::size_t{2 * 448});
        QCOMPARE(planArena(graph, {64, 1}).bytes(), std::size_t{50 * 448});
    }
    void bucketsAreDenseAndAligned() {
        Graph graph;
        const Value x = graph.input("x", {DType::F32, {3}}).value(), y = graph.input("y", {DType::F32, {5, 7}}).value();
        const Value a = add(graph, OpKind::Relu, {y}), b = add(graph, OpKind::Relu, {x}), c = add(graph, OpKind::SquareSum, {x});
        const Value sums = add(graph, OpKind::AllReduce, {a, b, c}, {{"bucket", std::int64_t{0}}});
        const ArenaPlan plan = planArena(graph);
        const Bucket& bucket = plan.buckets()[0];
        QCOMPARE(bucket.bytes, std::size_t{4 * (35 + 3 + 1)});
        QCOMPARE(bucket.offset % 64, std::size_t{0});
        QCOMPARE(plan.place(a).offset, bucket.offset);
        QCOMPARE(plan.place(b).offset, bucket.offset + 140);
        QCOMPARE(plan.place(c).offset, bucket.offset + 152);
        QVERIFY(plan.place({sums.node, 1}) == plan.place(b));
        QCOMPARE(plan.waitsAtEnd().size(), std::size_t{1});
    }
    void updatesWriteTheirStates() {
        Graph graph;
        const TensorType type{DType::F32, {8}}, scalar{DType::F32, {}};
        const Value g = graph.input("g", type).value(), lr = graph.input("lr", scalar).value(), step = graph.input("step", scalar).value();
        const Value w = graph.state("w", type, "weight").value(), m = graph.state("m", type, "slot").value();
        const Value v = graph.state("v", type, "slot").value();
        const Value update = add(graph, OpKind::AdamUpdate, {w, g, lr, step, m, v}, {{"beta_1", .9}, {"beta_2", .99}, {"epsilon", 1e-7}});
        const ArenaPlan plan = planArena(graph);
        QCOMPARE(plan.bytes(), std::size_t{0});
        for (std::uint32_t i = 0; i < 3; ++i) {
            QCOMPARE(plan.place({update.node, i}).space, Space::State);
            QCOMPARE(plan.place({update.node, i}).index, std::size_t{i});
        }
        QCOMPARE(plan.place(step).index, std::size_t{2});
        const MemoryReport report = memoryOf(graph, plan);
        QCOMPARE(report.weights, std::size_t{32});
        QCOMPARE(report.optimizerSlots, std::size_t{64});
    }
    void aReshapeIsFreeUnlessItIsReduced() {
        Graph graph;
        const Value x = graph.input("x", {DType::F32, {2, 3}}).value();
        const Value flat = add(graph, OpKind::Reshape, {x}, {{"shape", std::vector<std::int64_t>{6}}});
        const Value r = add(graph, OpKind::Relu, {flat});
        const Value out = add(graph, OpKind::Reshape, {r}, {{"shape", std::vector<std::int64_t>{3, 2}}});
        add(graph, OpKind::AllReduce, {out}, {{"bucket", std::int64_t{0}}});
        const ArenaPlan plan = planArena(graph);
        QVERIFY(plan.isAlias(graph, flat.node));
        QCOMPARE(plan.place(flat).space, Space::Feed);
        QVERIFY(!plan.isAlias(graph, out.node));
        QVERIFY(Simulation(graph, plan).run().isEmpty());
    }
    void memoryReportAddsUp() {
        Graph graph;
        const Value x = graph.input("x", {DType::F32, {64}}).value();
        const Value a = add(graph, OpKind::Relu, {x}), b = add(graph, OpKind::Relu, {a});
        add(graph, OpKind::AllReduce, {b}, {{"bucket", std::int64_t{0}}});
        const ArenaPlan plan = planArena(graph);
        const MemoryReport report = memoryOf(graph, plan);
        QCOMPARE(report.gradients, std::size_t{256});
        QCOMPARE(report.activations, std::size_t{256});
        QCOMPARE(costOf(graph).flops, 64.0 * 3);
    }
};

LOCKSTEP_TEST(ArenaTest)
#include "arena_test.moc"
