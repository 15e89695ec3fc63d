#include <support/test.h>

#include <graph/graph.h>

#include "graph_fixture.h"

using namespace lockstep;
using namespace lockstep::graph;
using lockstep::test::Fixture;

class GraphTest : public QObject {
    Q_OBJECT
private slots:
    void namesAreMadeUnique() {
        Fixture f;
        const Value a = f.add(OpKind::Relu, {f.x}), b = f.add(OpKind::Relu, {f.x});
        QCOMPARE(f.g.node(a.node).name, std::string("n_1"));
        QCOMPARE(f.g.node(b.node).name, std::string("n_2"));
        QVERIFY(f.g.find("n_2") == b.node);
        QVERIFY(!f.g.find("n_3"));
    }
    void namesOfSourcesAreTheirIdentity() {
        Fixture f;
        VERIFY_ERROR(f.g.input("x", f.type), "S404");
        VERIFY_ERROR(f.g.state("x", f.type, "weight"), "S404");
        VERIFY_ERROR(f.g.append(OpKind::Relu, "", {f.x}), "S404");
    }
    void refusedNodesLeaveTheGraphAsItWas() {
        Fixture f;
        const Graph before = f.g;
        VERIFY_ERROR(f.g.append(OpKind::Relu, "y", {Value{NodeId{50}, 0}}), "S402");
        VERIFY_ERROR(f.g.append(OpKind::Relu, "y", {Value{f.x.node, 1}}), "S402");
        VERIFY_ERROR(f.g.append(OpKind::Add, "y", {f.x, f.lr}), "S403");
        VERIFY_ERROR(f.g.append(OpKind::Add, "y", {f.x}), "S401");
        VERIFY_ERROR(f.g.append(OpKind::Relu, "y", {f.x}, {{"a", 1.0}}), "S408");
        QVERIFY(f.g == before);
    }
    void types() {
        QCOMPARE(TensorType({DType::F64, {2, 3}}).bytes(), std::size_t{48});
        QCOMPARE(Shape{}.elements(), std::int64_t{1});
        QCOMPARE(Shape{}.toText(), std::string("[]"));
        QVERIFY(!dtypeNamed("f8"));
        for (const DType dtype : {DType::F32, DType::F64, DType::I32, DType::BF16, DType::F16}) QCOMPARE(*dtypeNamed(nameOf(dtype)), dtype);
    }
};

LOCKSTEP_TEST(GraphTest)
#include "graph_test.moc"
