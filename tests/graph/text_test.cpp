#include <support/test.h>

#include <base/random.h>
#include <graph/graph.h>

#include "random_graph.h"

using namespace lockstep;
using namespace lockstep::graph;

class TextTest : public QObject {
    Q_OBJECT
private slots:
    void canonicalForm() {
        Graph g;
        const Value x = g.input("x", {DType::F32, {32, 784}}).value();
        const Value w = g.state("dense/kernel", {DType::F32, {128, 784}}, "weight").value();
        const NodeId y =
            g.append(OpKind::MatMul, "dense/matmul", {x, w}, {{"transpose_b", std::int64_t{1}}, {"activation", std::string("relu")}})
                .value();
        g.setOutput("hid\"den", {y, 0});
        QCOMPARE(print(g), std::string("%0 = input \"x\" {dtype = \"f32\", shape = [32, 784]} : f32[32, 784]\n"
                                       "%1 = state \"dense/kernel\" {dtype = \"f32\", role = \"weight\", shape = [128, 784]} : "
                                       "f32[128, 784]\n"
                                       "%2 = matmul \"dense/matmul\" (%0, %1) {activation = \"relu\", transpose_b = 1} : f32[32, 128]\n"
                                       "output \"hid\\\"den\" = %2\n"));
    }
    void secondOutputsRealsAndOddNames() {
        Graph g;
        const TensorType type{DType::F64, {2}}, scalar{DType::F64, {}};
        const Value w = g.state("w\\\n\x01 é", type, "weight").value(), m = g.state("m", type, "slot").value();
        const Value grad = g.input("g", type).value(), lr = g.input("lr", scalar).value();
        const NodeId update =
            g.append(OpKind::SgdUpdate, "u", {w, grad, lr, m}, {{"momentum", 0.1 + 0.2}, {"nesterov", std::int64_t{1}}}).value();
        g.setOutput("slot", {update, 1});
        const std::string text = print(g);
        QVERIFY(text.find("momentum = 0.30000000000000004, nesterov = 1") != std::string::npos);
        QVERIFY(text.find("output \"slot\" = %4.1\n") != std::string::npos);
        const auto back = parse(text);
        VERIFY_OK(back);
        QVERIFY(*back == g);
        QCOMPARE(print(*back), text);
    }
    void wholeNumberedRealsStayReal() {
        for (const double value : {1.0, 0.0, -0.0, 1e300, 5e-324, 1e22, 123456789.0}) {
            Graph g;
            const TensorType scalar{DType::F64, {}};
            const Value w = g.state("w", scalar, "weight").value(), m = g.state("m", scalar, "slot").value();
            g.append(OpKind::SgdUpdate, "u", {w, w, w, m}, {{"momentum", value}, {"nesterov", std::int64_t{0}}}).value();
            const auto back = parse(print(g));
            VERIFY_OK(back);
            QVERIFY(*back == g);
            QCOMPARE(std::signbit(doubleAttribute(back->nodes()[2].attributes, "momentum")), std::signbit(value));
        }
    }
    void randomGraphsSurvive() {
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            const Graph g = test::randomGraph(seed);
            const std::string text = print(g);
            const auto back = parse(text);
            VERIFY_OK(back);
            QVERIFY2(*back == g, text.c_str());
            QCOMPARE(print(*back), text);
            VERIFY_OK(verify(g));
        }
    }
    void blanksCommentsAndEmptyText() {
        QVERIFY(parse("")->nodes().empty());
        const auto g = parse("# a graph\n\n  %0=input \"x\"{shape=[ 2,3 ],dtype=\"f32\"}:f32[2,3] # rows\n\toutput\"y\"=%0");
        VERIFY_OK(g);
        QCOMPARE(g->nodes().size(), std::size_t{1});
        QCOMPARE(g->outputs().size(), std::size_t{1});
    }
    void errorsSayWhere_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("place");
        const QString x = "%0 = input \"x\" {dtype = \"f32\", shape = [2]} : f32[2]\n";
        QTest::newRow("word") << "nonsense"
                              << "line 1, column 9: expected a node";
        QTest::newRow("number") << "%1 = input"
                                << "line 1, column 3: expected node %0";
        QTest::newRow("op") << "%0 = spin \"x\""
                            << "there is no operation \"spin\"";
        QTest::newRow("taken name") << x + "%1 = relu \"x\" (%0) : f32[2]"
                                    << "line 2, column 14: the name \"x\" is taken";
        QTest::newRow("later value") << x + "%1 = relu \"y\" (%1) : f32[2]"
                                     << "S402";
        QTest::newRow("arity") << x + "%1 = relu \"y\" : f32[2]"
                               << "S401";
        QTest::newRow("types") << x + "%1 = add \"y\" (%0, %0) : f32[3]"
                               << "line 2, column 31: type 0 is f32[2]";
        QTest::newRow("dtype") << x + "%1 = relu \"y\" (%0) : f99[2]"
                               << "type 0 is f32[2]";
        QTest::newRow("shapes") << x + "%1 = matmul \"y\" (%0, %0) : f32[2]"
                                << "S403";
        QTest::newRow("attribute") << x + "%1 = relu \"y\" (%0) {speed = 2} : f32[2]"
                                   << "S408";
        QTest::newRow("twice") << x + "%1 = relu \"y\" (%0) {a = 2, a = 3} : f32[2]"
                               << "\"a\" stands twice";
        QTest::newRow("open quote") << "%0 = input \"x\n"
                                    << "line 1, column 14: the text in quotes has no end";
        QTest::newRow("escape") << "%0 = input \"\\q\""
                                << "expected \\\", \\\\ or \\xNN";
        QTest::newRow("list") << "%0 = input \"x\" {shape = [1, ]}"
                              << "expected a number";
        QTest::newRow("real in list") << "%0 = input \"x\" {shape = [1.5]}"
                                      << "expected an integer";
        QTest::newRow("number too long") << "%99999999999999999999 = input"
                                         << "expected an integer";
        QTest::newRow("rest of line") << x.trimmed() + " more"
                                      << "expected the end of the line";
        QTest::newRow("no such value") << x + "output \"y\" = %0.1"
                                       << "there is no such value";
        QTest::newRow("huge index") << x + "output \"y\" = %99999999999999999999"
                                    << "expected a node's number";
        QTest::newRow("output twice") << x + "output \"y\" = %0\noutput \"y\" = %0"
                                      << "there are two outputs";
    }
    void errorsSayWhere() {
        QFETCH(QString, text);
        QFETCH(QString, place);
        const auto graph = parse(text.toStdString());
        VERIFY_ERROR(graph, "S405");
        QVERIFY2(QString::fromStdString(graph.error().message).contains(place), graph.error().message.c_str());
    }
    void noTextCrashesTheParser() {
        const std::string whole = print(test::randomGraph(7));
        Philox random(1, 1);
        for (int i = 0; i < 2000; ++i) {
            std::string text = whole.substr(0, 1 + random.nextBelow(static_cast<std::uint32_t>(whole.size())));
            for (std::uint32_t change = random.nextBelow(4); change > 0; --change) {
                text[random.nextBelow(static_cast<std::uint32_t>(text.size()))] = static_cast<char>(random.nextBelow(256));
            }
            const auto graph = parse(text);
            if (graph.ok())
                QVERIFY(parse(print(*graph)).value() == *graph);
            else
                QCOMPARE(graph.error().code, std::string("S405"));
        }
        VERIFY_ERROR(parse(std::string((16u << 20) + 1, '\n')), "S405");
    }
};

LOCKSTEP_TEST(TextTest)
#include "text_test.moc"
