#include <support/test.h>

#include <nn/optimizer.h>

#include <cmath>
#include <limits>

using namespace lockstep;
using namespace lockstep::nn;
using namespace lockstep::graph;

namespace {

// Two weights with a gradient each.
struct Fixture {
    Graph graph;
    std::vector<WeightGradient> pairs;
    explicit Fixture(DType dtype = DType::F32) {
        const TensorType kernel{dtype, {2, 3}}, bias{dtype, {3}};
        const auto w = graph.state("d/kernel", kernel, "weight").value(), b = graph.state("d/bias", bias, "weight").value();
        pairs = {{w, graph.input("gw", kernel).value()}, {b, graph.input("gb", bias).value()}};
    }
};

OptimizerOptions sgd(double momentum, bool nesterov = false) {
    OptimizerOptions options;
    options.name = "sgd";
    options.learningRate = 0.01;
    options.momentum = momentum;
    options.nesterov = nesterov;
    return options;
}

QStringList stateNames(const Graph& graph) {
    QStringList names;
    for (const auto id : graph.nodesOf(OpKind::State)) {
        const auto& node = graph.node(id);
        names << QString::fromStdString(node.name + ":" + std::string(textAttribute(node.attributes, "role")));
    }
    return names;
}

}  // namespace

class OptimizerTest : public QObject {
    Q_OBJECT
private slots:
    void plainSgdHasNoSlots() {
        Fixture f;
        VERIFY_OK(appendUpdates(f.graph, sgd(0), f.pairs));
        VERIFY_OK(verify(f.graph));
        QCOMPARE(stateNames(f.graph), (QStringList{"d/kernel:weight", "d/bias:weight"}));
        QVERIFY(f.graph.find("learning_rate").has_value());
        QVERIFY(!f.graph.find("step").has_value());
        QCOMPARE(f.graph.nodesOf(OpKind::SgdUpdate).size(), std::size_t{2});
    }
    void momentumIsRoundedAsKerasDoes() {
        for (const DType dtype : {DType::F32, DType::F64}) {
            Fixture f(dtype);
            VERIFY_OK(appendUpdates(f.graph, sgd(0.9, true), f.pairs));
            VERIFY_OK(verify(f.graph));
            QCOMPARE(stateNames(f.graph),
                     (QStringList{"d/kernel:weight", "d/bias:weight", "d/kernel/momentum:slot", "d/bias/momentum:slot"}));
            const auto& update = f.graph.node(f.graph.nodesOf(OpKind::SgdUpdate)[0]);
            QCOMPARE(doubleAttribute(update.attributes, "momentum"), 0.89999997615814208984375);
            QCOMPARE(intAttribute(update.attributes, "nesterov"), 1);
            QCOMPARE(update.outputs.size(), std::size_t{2});
        }
    }
    void nesterovWithoutMomentumIsPlain() {
        Fixture f;
        VERIFY_OK(appendUpdates(f.graph, sgd(0, true), f.pairs));
        QCOMPARE(intAttribute(f.graph.node(f.graph.nodesOf(OpKind::SgdUpdate)[0]).attributes, "nesterov"), 0);
    }
    void adamKeepsItsNumbersAndTwoSlots() {
        Fixture f(DType::F64);
        VERIFY_OK(appendUpdates(f.graph, {}, f.pairs));
        VERIFY_OK(verify(f.graph));
        QCOMPARE(stateNames(f.graph),
                 (QStringList{"d/kernel:weight", "d/bias:weight", "d/kernel/m:slot", "d/kernel/v:slot", "d/bias/m:slot", "d/bias/v:slot"}));
        const auto& update = f.graph.node(f.graph.nodesOf(OpKind::AdamUpdate)[1]);
        QCOMPARE(update.name, std::string("d/bias/update"));
        QCOMPARE(doubleAttribute(update.attributes, "beta_1"), 0.9);
        QCOMPARE(doubleAttribute(update.attributes, "beta_2"), 0.999);
        QCOMPARE(doubleAttribute(update.attributes, "epsilon"), 1e-7);
        QCOMPARE(f.graph.type(update.inputs[2]).toText(), std::string("f64[]"));
        QCOMPARE(f.graph.node(update.inputs[3].node).name, std::string("step"));
    }
    void refusals_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("rate");
        QTest::addColumn<double>("momentum");
        QTest::addColumn<double>("beta1");
        QTest::addColumn<double>("beta2");
        QTest::addColumn<double>("epsilon");
        QTest::addColumn<QString>("word");
        const double nan = std::numeric_limits<double>::quiet_NaN();
        QTest::newRow("unknown") << "adamax" << .1 << 0. << .9 << .999 << 1e-7 << "adamax";
        QTest::newRow("negative rate") << "sgd" << -.1 << 0. << .9 << .999 << 1e-7 << "learning_rate";
        QTest::newRow("no rate") << "adam" << nan << 0. << .9 << .999 << 1e-7 << "learning_rate";
        QTest::newRow("momentum") << "sgd" << .1 << 1.1 << .9 << .999 << 1e-7 << "momentum";
        QTest::newRow("beta_1") << "adam" << .1 << 0. << 1. << .999 << 1e-7 << "beta_1";
        QTest::newRow("beta_2") << "adam" << .1 << 0. << .9 << -.1 << 1e-7 << "beta_2";
        QTest::newRow("epsilon") << "adam" << .1 << 0. << .9 << .999 << 0. << "epsilon";
    }
    void refusals() {
        QFETCH(QString, name);
        QFETCH(double, rate);
        QFETCH(double, momentum);
        QFETCH(double, beta1);
        QFETCH(double, beta2);
        QFETCH(double, epsilon);
        QFETCH(QString, word);
        Fixture f;
        const auto result = appendUpdates(f.graph, {name.toStdString(), rate, momentum, false, beta1, beta2, epsilon}, f.pairs);
        VERIFY_ERROR(result, "S411");
        QVERIFY(QString::fromStdString(result.error().message).contains(word));
    }
    void nothingToTrain() {
        Graph graph;
        VERIFY_ERROR(appendUpdates(graph, {}, {}), "S411");
    }
};

LOCKSTEP_TEST(OptimizerTest)
#include "optimizer_test.moc"
