#include <support/test.h>

#include <graph/graph.h>

#include "op_rows.h"

using namespace lockstep;
using namespace lockstep::graph;
using namespace lockstep::test;

namespace {

// "f32[2, 3] i32[2]" → types; the parser of graphs is not used here on purpose.
std::vector<TensorType> typesOf(const QString& text) {
    std::vector<TensorType> types;
    for (const QString& one : text.split(' ', Qt::SkipEmptyParts)) {
        const auto open = one.indexOf('[');
        List dims;
        for (const QString& dim : one.mid(open + 1, one.size() - open - 2).split(',', Qt::SkipEmptyParts)) dims.push_back(dim.toLongLong());
        types.push_back({*dtypeNamed(one.left(open).toStdString()), Shape(dims)});
    }
    return types;
}

// Appends one node of inputs of these types to a fresh graph.
Result<std::string> outcome(OpKind op, const QString& inputs, const Attributes& attributes) {
    Graph graph;
    std::vector<Value> values;
    for (const auto& type : typesOf(inputs)) values.push_back(graph.input("in" + std::to_string(values.size()), type).value());
    LS_TRY_ASSIGN(const NodeId id, graph.append(op, "n", values, attributes));
    std::string text;
    for (const auto& type : graph.node(id).outputs) text += (text.empty() ? "" : " ") + type.toText();
    return text;
}

const Attributes kSame{{"strides", List{2, 1}}, {"padding", std::string("same")}};
const Attributes kValid{{"strides", List{1, 1}}, {"padding", std::string("valid")}};
const Attributes kPool{{"window", List{2, 2}}, {"strides", List{2, 2}}, {"padding", std::string("valid")}};
const Attributes kSgd{{"momentum", 0.5}, {"nesterov", std::int64_t{0}}};
const Attributes kSgdPlain{{"momentum", 0.0}, {"nesterov", std::int64_t{0}}};
const Attributes kAdam{{"beta_1", 0.9}, {"beta_2", 0.999}, {"epsilon", 1e-7}};

const Attribute kOne = std::int64_t{1};

std::vector<Good> firstGoodRows() {
    using enum OpKind;
    return {
        {"matmul", MatMul, "f32[2,3] f32[3,4]", {}, "f32[2, 4]"},
        {"matmul a^T", MatMul, "f32[3,2] f32[3,4]", {{"transpose_a", kOne}}, "f32[2, 4]"},
        {"matmul b^T", MatMul, "f64[2,3] f64[4,3]", {{"transpose_b", kOne}}, "f64[2, 4]"},
        {"matmul both", MatMul, "f32[3,2] f32[4,3]", {{"transpose_a", kOne}, {"transpose_b", kOne}}, "f32[2, 4]"},
        {"matmul fused", MatMul, "f32[2,3] f32[3,4] f32[4]", {{"activation", std::string("relu")}}, "f32[2, 4]"},
        {"conv same", Conv2D, "f32[1,7,8,3] f32[3,5,3,9]", kSame, "f32[1, 4, 8, 9]"},
        {"conv valid", Conv2D, "f32[1,7,8,3] f32[3,5,3,9]", kValid, "f32[1, 5, 4, 9]"},
        {"conv fused", Conv2D, "f32[1,7,8,3] f32[3,5,3,9] f32[9]", with(kValid, "activation", std::string("relu")), "f32[1, 5, 4, 9]"},
        {"bias", BiasAdd, "f32[2,3,4] f32[4]", {}, "f32[2, 3, 4]"},
        {"relu", Relu, "f64[]", {}, "f64[]"},
        {"pool", MaxPool2D, "f32[1,5,4,3]", kPool, "f32[1, 2, 2, 3]"},
        {"pool same", MaxPool2D, "f32[1,5,4,3]", with(kPool, "padding", std::string("same")), "f32[1, 3, 2, 3]"},
        {"reshape", Reshape, "i32[2,6]", {{"shape", List{3, 4}}}, "i32[3, 4]"},
        {"matmul bf16", MatMul, "bf16[2,3] bf16[3,4] bf16[4]", {}, "bf16[2, 4]"},
        {"conv f16", Conv2D, "f16[1,7,8,3] f16[3,5,3,9]", kSame, "f16[1, 4, 8, 9]"},
        {"narrow", Cast, "f32[2]", {{"dtype", std::string("bf16")}}, "bf16[2]"},
        {"widen", Cast, "f16[2]", {{"dtype", std::string("f32")}}, "f32[2]"},
        {"reshape to scalar", Reshape, "f32[1,1]", {{"shape", List{}}}, "f32[]"},
        {"add", Add, "f32[2] f32[2]", {}, "f32[2]"},
        {"loss", SoftmaxCrossEntropy, "f32[4,10] i32[4] f32[4]", {}, "f32[]"},
        {"correct", CorrectPredictions, "f64[4,10] i32[4] f64[4]", {}, "f64[]"},
        {"relu grad", ReluGrad, "f32[4] f32[4]", {}, "f32[4]"},
        {"bias grad", BiasGrad, "f32[4,5,6]", {}, "f32[6]"},
        {"conv dx", Conv2DInputGrad, "f32[1,4,8,9] f32[3,5,3,9]", with(kSame, "input_shape", List{1, 7, 8, 3}), "f32[1, 7, 8, 3]"},
        {"conv dw", Conv2DFilterGrad, "f32[1,7,8,3] f32[1,4,8,9]", with(kSame, "filter_shape", List{3, 5, 3, 9}), "f32[3, 5, 3, 9]"},
        {"pool grad", MaxPool2DGrad, "f32[1,2,2,3] f32[1,5,4,3] f32[1,2,2,3]", kPool, "f32[1, 5, 4, 3]"},
        {"loss grad", SoftmaxCrossEntropyGrad, "f32[4,10] i32[4] f32[4]", {}, "f32[4, 10]"},
        {"square sum", SquareSum, "f32[4] f32[2,2] f32[]", {}, "f32[]"},
        {"sqrt", Sqrt, "f32[]", {}, "f32[]"},
        {"all reduce", AllReduce, "f32[4] f32[2,2]", {{"bucket", std::int64_t{0}}}, "f32[4] f32[2, 2]"},
        {"sgd", SgdUpdate, "f32[4] f32[4] f32[]", kSgdPlain, "f32[4]"},
        {"sgd slot", SgdUpdate, "f32[4] f32[4] f32[] f32[4]", kSgd, "f32[4] f32[4]"},
        {"adam", AdamUpdate, "f64[4] f64[4] f64[] f64[] f64[4] f64[4]", kAdam, "f64[4] f64[4] f64[4]"},
    };
}

std::vector<Bad> firstBadRows() {
    using enum OpKind;
    return {
        {"matmul arity", MatMul, "f32[2,3]", {}, "S401", "takes 2 to 3 inputs, not 1"},
        {"matmul inner", MatMul, "f32[2,3] f32[4,5]", {}, "S403", "axis 1 of a f32[2, 3] is 3, axis 0 of b f32[4, 5] is 4"},
        {"matmul inner a^T", MatMul, "f32[2,3] f32[3,5]", {{"transpose_a", kOne}}, "S403", "axis 0 of a f32[2, 3] is 2"},
        {"matmul rank", MatMul, "f32[2,3,1] f32[3,5]", {}, "S403", "a is f32[2, 3, 1], but must have 2 axes"},
        {"matmul dtype", MatMul, "f32[2,3] f64[3,5]", {}, "S403", "one element type"},
        {"matmul ints", MatMul, "i32[2,3] i32[3,5]", {}, "S403", "must be f32, f64, bf16 or f16"},
        {"matmul bias", MatMul, "f32[2,3] f32[3,5] f32[3]", {}, "S403", "bias is f32[3], but must have shape [5]"},
        {"matmul flag", MatMul, "f32[2,3] f32[3,5]", {{"transpose_a", std::int64_t{2}}}, "S408", "must be 0 or 1"},
        {"matmul activation", MatMul, "f32[2,3] f32[3,5]", {{"activation", std::string("tanh")}}, "S408", "must be \"\" or \"relu\""},
        {"conv channels", Conv2D, "f32[1,7,8,3] f32[3,5,2,9]", kSame, "S403", "axis 3 of x f32[1, 7, 8, 3] is 3, axis 2 of w"},
        {"conv small", Conv2D, "f32[1,2,8,3] f32[3,5,3,9]", kValid, "S403", "is smaller than the window"},
        {"conv rank", Conv2D, "f32[7,8,3] f32[3,5,3,9]", kValid, "S403", "must have 4 axes"},
        {"conv bias", Conv2D, "f32[1,7,8,3] f32[3,5,3,9] f32[3]", kValid, "S403", "bias is f32[3], but must have shape [9]"},
        {"conv padding", Conv2D, "f32[1,7,8,3] f32[3,5,3,9]", with(kSame, "padding", std::string("full")), "S408", "must be \"same\""},
        {"conv stride", Conv2D, "f32[1,7,8,3] f32[3,5,3,9]", with(kSame, "strides", List{0, 1}), "S408", "two integers from 1 on"},
        {"conv strides", Conv2D, "f32[1,7,8,3] f32[3,5,3,9]", with(kSame, "strides", List{1, 1, 1}), "S408", "two integers"},
        {"conv no strides", Conv2D, "f32[1,7,8,3] f32[3,5,3,9]", {{"padding", std::string("same")}}, "S408", "\"strides\" is missing"},
        {"bias length", BiasAdd, "f32[2,3] f32[2]", {}, "S403", "b is f32[2], but must have shape [3]"},
        {"bias scalar", BiasAdd, "f32[] f32[1]", {}, "S403", "last axis"},
        {"relu ints", Relu, "i32[2]", {}, "S403", "must be f32, f64, bf16 or f16"},
        {"relu attribute", Relu, "f32[2]", {{"alpha", 0.1}}, "S408", "\"alpha\" is unknown"},
        {"pool small", MaxPool2D, "f32[1,1,4,3]", kPool, "S403", "smaller than the window [2, 2]"},
        {"pool rank", MaxPool2D, "f32[5,4,3]", kPool, "S403", "must have 4 axes"},
        {"reshape count", Reshape, "f32[2,6]", {{"shape", List{5, 2}}}, "S403", "has 12 elements, shape [5, 2] has 10"},
        {"reshape negative", Reshape, "f32[2,6]", {{"shape", List{-1, 2}}}, "S408", "integers from 1 on"},
        {"reshape overflow", Reshape, "f32[2,6]", {{"shape", List{1LL << 40, 1LL << 40}}}, "S408", "2^40"},
        {"reshape rank", Reshape, "f32[1]", {{"shape", List(9, 1)}}, "S408", "at most eight"},
        {"add shapes", Add, "f32[2] f32[3]", {}, "S403", "a is f32[2] and b is f32[3]"},
        {"loss labels", SoftmaxCrossEntropy, "f32[4,10] f32[4] f32[4]", {}, "S403", "must be i32"},
        {"loss rows", SoftmaxCrossEntropy, "f32[4,10] i32[5] f32[4]", {}, "S403", "labels is i32[5], but must have shape [4]"},
        {"loss weights", SoftmaxCrossEntropy, "f32[4,10] i32[4] f64[4]", {}, "S403", "weights is f64[4]"},
        {"correct rank", CorrectPredictions, "f32[4] i32[4] f32[4]", {}, "S403", "logits is f32[4], but must have 2 axes"},
    };
}

std::vector<Bad> badTrainingRows() {
    using enum OpKind;
    return {
        {"relu grad", ReluGrad, "f32[4] f32[5]", {}, "S403", "must be of one type"},
        {"bias grad", BiasGrad, "f32[]", {}, "S403", "last axis"},
        {"conv dx", Conv2DInputGrad, "f32[1,5,8,9] f32[3,5,3,9]", with(kSame, "input_shape", List{1, 7, 8, 3}), "S403",
         "dy is f32[1, 5, 8, 9]"},
        {"conv dx rank", Conv2DInputGrad, "f32[1,4,8,9] f32[3,5,3,9]", with(kSame, "input_shape", List{7, 8, 3}), "S403", "input_shape"},
        {"conv dw", Conv2DFilterGrad, "f32[1,7,8,3] f32[1,4,8,9]", with(kSame, "filter_shape", List{3, 5, 3, 8}), "S403",
         "must have shape [1, 4, 8, 8]"},
        {"pool grad", MaxPool2DGrad, "f32[1,2,2,3] f32[1,6,6,3] f32[1,2,2,3]", kPool, "S403", "must have shape [1, 3, 3, 3]"},
        {"pool grad y", MaxPool2DGrad, "f32[1,2,2,3] f32[1,5,4,3] f32[1,2,2,4]", kPool, "S403", "must be of one type"},
        {"loss grad", SoftmaxCrossEntropyGrad, "f32[4,10] i32[4] f32[3]", {}, "S403", "weights is f32[3]"},
        {"square sum of none", SquareSum, "", {}, "S401", "takes at least 1 inputs, not 0"},
        {"square sum types", SquareSum, "f32[2] f64[2]", {}, "S403", "input 1 is f64[2]"},
        {"sqrt", Sqrt, "f32[1]", {}, "S403", "must have 0 axes"},
        {"all reduce types", AllReduce, "f32[2] f64[2]", {{"bucket", std::int64_t{0}}}, "S403", "one element type"},
        {"all reduce bucket", AllReduce, "f32[2]", {{"bucket", std::int64_t{-1}}}, "S408", "integer from 0 on"},
        {"matmul mixed", MatMul, "bf16[2,3] f32[3,5]", {}, "S403", "must have one element type"},
        {"bias mixed", BiasAdd, "bf16[2,3] f32[3]", {}, "S403", "must have one element type"},
        {"all reduce bf16", AllReduce, "bf16[2]", {{"bucket", std::int64_t{0}}}, "S403", "must be f32 or f64"},
        {"loss in f16", SoftmaxCrossEntropy, "f16[4,10] i32[4] f16[4]", {}, "S403", "logits is f16[4, 10], but must be f32 or f64"},
        {"sgd in bf16", SgdUpdate, "bf16[4] bf16[4] bf16[]", kSgdPlain, "S403", "must be f32 or f64"},
        {"all reduce ints", AllReduce, "i32[2]", {{"bucket", std::int64_t{0}}}, "S403", "must be f32 or f64"},
        {"sgd gradient", SgdUpdate, "f32[4] f32[3] f32[]", kSgdPlain, "S403", "g is f32[3]"},
        {"sgd rate", SgdUpdate, "f32[4] f32[4] f32[1]", kSgdPlain, "S403", "lr is f32[1], but must have 0 axes"},
        {"sgd rate type", SgdUpdate, "f32[4] f32[4] f64[]", kSgdPlain, "S403", "lr is f64[]"},
        {"sgd no slot", SgdUpdate, "f32[4] f32[4] f32[]", kSgd, "S403", "there is no slot"},
        {"sgd slot", SgdUpdate, "f32[4] f32[4] f32[] f32[3]", kSgd, "S403", "slot is f32[3]"},
        {"sgd momentum", SgdUpdate, "f32[4] f32[4] f32[]", with(kSgd, "momentum", HUGE_VAL), "S408", "finite"},
        {"sgd momentum kind", SgdUpdate, "f32[4] f32[4] f32[]", with(kSgd, "momentum", kOne), "S408", "must be a finite real"},
        {"adam arity", AdamUpdate, "f32[4] f32[4] f32[] f32[] f32[4]", kAdam, "S401", "takes 6 to 7 inputs, not 5"},
        {"adam step", AdamUpdate, "f32[4] f32[4] f32[] f32[4] f32[4] f32[4]", kAdam, "S403", "step is f32[4]"},
        {"adam m", AdamUpdate, "f32[4] f32[4] f32[] f32[] f32[5] f32[4]", kAdam, "S403", "m is f32[5]"},
        {"adam v", AdamUpdate, "f32[4] f32[4] f32[] f32[] f32[4] f32[5]", kAdam, "S403", "v is f32[5]"},
        {"input type", Input, "", {{"dtype", std::string("f8")}, {"shape", List{1}}}, "S408", "\"dtype\" must be"},
        {"input empty axis", Input, "", {{"dtype", std::string("f32")}, {"shape", List{0}}}, "S408", "from 1 on"},
        {"state role", State, "", {{"dtype", std::string("f32")}, {"shape", List{1}}, {"role", std::string("x")}}, "S403", "role must be"},
    };
}

template <class Row, class... Families>
std::vector<Row> joined(Families... families) {
    std::vector<Row> all;
    for (const auto family : {families...})
        for (Row& row : family()) all.push_back(std::move(row));
    return all;
}

const std::vector<Good>& goodRows() {
    static const auto all =
        joined<Good>(firstGoodRows, goodNormRows, goodPictureRows, goodArithmeticRows, goodUpdateRows, goodShapeRows, goodTargetRows);
    return all;
}

const std::vector<Bad>& badRows() {
    static const auto all = joined<Bad>(firstBadRows, badTrainingRows, badNormRows, badPictureRows, badArithmeticRows, badUpdateRows,
                                        badShapeRows, badTargetRows);
    return all;
}

}  // namespace

class OpRulesTest : public QObject {
    Q_OBJECT
private slots:
    void goodInputs_data() {
        QTest::addColumn<int>("row");
        const auto& rows = goodRows();
        for (std::size_t i = 0; i < rows.size(); ++i) QTest::newRow(rows[i].name) << static_cast<int>(i);
    }
    void goodInputs() {
        QFETCH(int, row);
        const Good good = goodRows()[static_cast<std::size_t>(row)];
        const auto result = outcome(good.op, good.inputs, good.attributes);
        VERIFY_OK(result);
        QCOMPARE(*result, std::string(good.outputs));
    }
    void badInputs_data() {
        QTest::addColumn<int>("row");
        const auto& rows = badRows();
        for (std::size_t i = 0; i < rows.size(); ++i) QTest::newRow(rows[i].name) << static_cast<int>(i);
    }
    void badInputs() {
        QFETCH(int, row);
        const Bad bad = badRows()[static_cast<std::size_t>(row)];
        const auto result = outcome(bad.op, bad.inputs, bad.attributes);
        QVERIFY2(!result.ok(), "was accepted");
        QCOMPARE(result.error().code, std::string(bad.code));
        QVERIFY2(result.error().message.find(bad.words) != std::string::npos, result.error().message.c_str());
    }
    void everyOpHasGoodAndBadRows() {
        const auto& good = goodRows();
        const auto& bad = badRows();
        for (const OpRow& row : opTable()) {
            QCOMPARE(findOpRow(row.name), &row);
            const auto isSame = [&](const auto& r) { return r.op == row.kind; };
            if (row.minInputs > 0) QVERIFY2(std::any_of(good.begin(), good.end(), isSame), row.name.data());
            QVERIFY2(std::any_of(bad.begin(), bad.end(), isSame), row.name.data());
        }
        QVERIFY(findOpRow("none") == nullptr);
    }
    void windowsAreTensorFlows_data() {
        QTest::addColumn<int>("in");
        QTest::addColumn<int>("window");
        QTest::addColumn<int>("stride");
        QTest::addColumn<QString>("padding");
        QTest::addColumn<QList<int>>("wanted");
        QTest::newRow("valid") << 28 << 3 << 1 << "valid" << QList<int>{26, 0, 0};
        QTest::newRow("valid rest") << 13 << 2 << 2 << "valid" << QList<int>{6, 0, 0};
        QTest::newRow("too small") << 2 << 3 << 1 << "valid" << QList<int>{0, 0, 0};
        QTest::newRow("same odd") << 28 << 3 << 1 << "same" << QList<int>{28, 1, 1};
        QTest::newRow("same stride, even") << 32 << 3 << 2 << "same" << QList<int>{16, 0, 1};
        QTest::newRow("same stride, odd") << 31 << 3 << 2 << "same" << QList<int>{16, 1, 1};
        QTest::newRow("same 1x1 stride 2") << 32 << 1 << 2 << "same" << QList<int>{16, 0, 0};
        QTest::newRow("same even window") << 5 << 4 << 1 << "same" << QList<int>{5, 1, 2};
    }
    void windowsAreTensorFlows() {
        QFETCH(int, in);
        QFETCH(int, window);
        QFETCH(int, stride);
        QFETCH(QString, padding);
        QFETCH(QList<int>, wanted);
        const auto axis = windowAxis(in, window, stride, padding.toStdString());
        QCOMPARE((QList<int>{static_cast<int>(axis.out), static_cast<int>(axis.padBefore), static_cast<int>(axis.padAfter)}), wanted);
    }
    void workOfSomeOps() {
        Graph g;
        const Value a = g.input("a", {DType::F32, {2, 3}}).value(), b = g.input("b", {DType::F32, {3, 4}}).value();
        const Value bias = g.input("bias", {DType::F32, {4}}).value();
        const NodeId plain = g.append(OpKind::MatMul, "m", {a, b}).value();
        QCOMPARE(costOf(g, g.node(plain)).flops, 2.0 * 2 * 3 * 4);
        QCOMPARE(costOf(g, g.node(plain)).bytes, 4.0 * (6 + 12 + 8));
        const NodeId fused = g.append(OpKind::MatMul, "f", {a, b, bias}, {{"activation", std::string("relu")}}).value();
        QCOMPARE(costOf(g, g.node(fused)).flops, 2.0 * 24 + 8 + 8);
        const Value x = g.input("x", {DType::F32, {2, 5, 5, 3}}).value(), w = g.input("w", {DType::F32, {3, 3, 3, 7}}).value();
        const NodeId conv = g.append(OpKind::Conv2D, "c", {x, w}, kValid).value();
        const double flops = 2.0 * (2 * 3 * 3 * 7) * (3 * 3 * 3);
        QCOMPARE(costOf(g, g.node(conv)).flops, flops);
        const NodeId dx = g.append(OpKind::Conv2DInputGrad, "dx", {{conv, 0}, w}, with(kValid, "input_shape", List{2, 5, 5, 3})).value();
        const NodeId dw = g.append(OpKind::Conv2DFilterGrad, "dw", {x, {conv, 0}}, with(kValid, "filter_shape", List{3, 3, 3, 7})).value();
        QCOMPARE(costOf(g, g.node(dx)).flops, flops);
        QCOMPARE(costOf(g, g.node(dw)).flops, flops);
        const NodeId reshape = g.append(OpKind::Reshape, "r", {a}, {{"shape", List{6}}}).value();
        QCOMPARE(costOf(g, g.node(reshape)).bytes, 0.0);
    }
};

LOCKSTEP_TEST(OpRulesTest)
#include "op_rules_test.moc"
