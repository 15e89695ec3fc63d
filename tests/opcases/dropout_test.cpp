#include <support/test.h>

#include <case_run.h>
#include <exec_ref/ref_executor.h>
#include <graph/dropout.h>

#include <cmath>

using namespace lockstep;
using namespace lockstep::opcases;
using graph::DType;

namespace {

constexpr std::int64_t kColumns = 101;

// Which elements of `rows` rows of ones are kept.
std::vector<double> kept(std::int64_t rows, double step, double firstRow, std::int64_t seed, double rate, DType dtype = DType::F64) {
    graph::Graph g;
    const graph::TensorType scalar{dtype, {}};
    const auto x = g.input("x", {dtype, {rows, kColumns}}).value(), s = g.input("step", scalar).value(), f = g.input("row", scalar).value();
    const auto node = g.append(graph::OpKind::Dropout, "dropout", {x, s, f}, {{"rate", rate}, {"seed", seed}}).value();
    g.setOutput("y", {node, 0});
    const auto executor = exec::ref::makeRefExecutor();
    const auto program = executor->compile(g, {}).value();
    const auto ones = toBytes(std::vector<double>(static_cast<std::size_t>(rows * kColumns), 1.0), dtype);
    const auto stepBytes = toBytes({step}, dtype), rowBytes = toBytes({firstRow}, dtype);
    const std::byte* feeds[] = {ones.data(), stepBytes.data(), rowBytes.data()};
    if (!program->run({feeds}).ok()) return {};
    return toDoubles(program->output("y"), dtype);
}

}  // namespace

class DropoutTest : public QObject {
    Q_OBJECT
private slots:
    void aSplitOfTheRowsDropsTheSame() {
        const auto whole = kept(7, 3, 10, 5, 0.25);
        auto parts = kept(4, 3, 10, 5, 0.25);
        const auto rest = kept(3, 3, 14, 5, 0.25);
        parts.insert(parts.end(), rest.begin(), rest.end());
        QVERIFY(whole == parts);
    }
    void bothTypesDropTheSame() {
        const auto wide = kept(7, 3, 10, 5, 0.5), narrow = kept(7, 3, 10, 5, 0.5, DType::F32);
        QVERIFY(wide == narrow);
    }
    void stepsSeedsAndRowsDiffer() {
        const auto one = kept(1, 3, 10, 5, 0.5);
        QVERIFY(one != kept(1, 4, 10, 5, 0.5));
        QVERIFY(one != kept(1, 3, 11, 5, 0.5));
        QVERIFY(one != kept(1, 3, 10, 6, 0.5));
    }
    void theShareIsTheRate() {
        for (const double rate : {0.1, 0.5, 0.9}) {
            const auto values = kept(400, 1, 0, -9, rate);
            double dropped = 0;
            for (const double value : values) {
                QVERIFY(value == 0 || std::abs(value - 1 / (1 - rate)) < 1e-15);
                dropped += value == 0 ? 1 : 0;
            }
            // Five standard deviations.
            const auto count = static_cast<double>(values.size());
            QVERIFY(std::abs(dropped - rate * count) < 5 * std::sqrt(count * rate * (1 - rate)));
        }
    }
    // The numbers are part of the contract: a checkpoint of one version must go on with the same drops in another.
    void theNumbersStay() {
        QCOMPARE(graph::dropoutNumber(0), 0.0f);
        QVERIFY(graph::dropoutNumber(0xffffffffu) < 1.0f);
        const PhiloxBlock wanted = {0xecb32ebe, 0x92022633, 0xd80a5c4b, 0x5f3fa73a};  // by another program of Philox 4x32-10
        QVERIFY(graph::dropoutBlock(5, 3, 10, 0) == wanted);
    }
};

LOCKSTEP_TEST(DropoutTest)
#include "dropout_test.moc"
