#include <support/test.h>

#include <nn/layer_table.h>
#include <nn/model.h>

using namespace lockstep;
using namespace lockstep::nn;
using graph::DType;

namespace {

LayerSpec layer(const char* kind, Settings settings = {}, const char* name = "", std::vector<std::string> inputs = {}) {
    return {kind, name, std::move(settings), std::move(inputs)};
}

std::vector<std::int64_t> list(std::initializer_list<std::int64_t> values) { return values; }

LayerSpec dense(std::int64_t units, const char* name = "", std::vector<std::string> inputs = {}) {
    return layer("dense", {{"units", units}}, name, std::move(inputs));
}

LayerSpec convolution(Settings settings) {
    settings.emplace("kernel_size", std::int64_t{3});
    return layer("conv2d", std::move(settings));
}

LayerSpec attention(std::vector<std::string> inputs) {
    return layer("multi_head_attention", {{"num_heads", std::int64_t{2}}, {"key_dim", std::int64_t{3}}}, "", std::move(inputs));
}

Result<Model> build(std::vector<std::int64_t> shape, std::vector<LayerSpec> layers, int classes = 10) {
    ModelOptions options;
    options.classes = classes;
    options.architecture = Architecture{std::move(shape), InputKind::Numbers, std::move(layers), ""};
    return buildModel(options, 4, DType::F64);
}

QString messageOf(const Error& error) { return QString::fromStdString(error.toText()); }

}  // namespace

class ArchitectureTest : public QObject {
    Q_OBJECT
private slots:
    void namesAndInputsAreKeras() {
        const Architecture given{
            {8}, InputKind::Numbers, {dense(3), layer("Dense", {{"units", std::int64_t{3}}}), dense(3, "dense_2"), dense(3)}, ""};
        const auto done = completed(given);
        VERIFY_OK(done);
        QStringList names;
        for (const auto& one : done->layers) names << QString::fromStdString(one.name + "<" + one.inputs.at(0));
        QCOMPARE(names, (QStringList{"dense<input", "dense_1<dense", "dense_2<dense_1", "dense_3<dense_2"}));
        QCOMPARE(done->layers[1].kind, std::string("dense"));
        QCOMPARE(done->output, std::string("dense_3"));
        const auto again = completed(*done);
        VERIFY_OK(again);
        QVERIFY(*again == *done);
    }
    void functionalModelsMayBranch() {
        const auto model = build({6}, {dense(5, "a"), dense(5, "b", {"input"}), layer("add", {}, "sum", {"a", "b"}), dense(10)});
        VERIFY_OK(model);
        VERIFY_OK(verify(model->forward));
        const auto& sum = model->forward.node(*model->forward.find("sum"));
        QCOMPARE(model->forward.node(sum.inputs[0].node).name, std::string("a/bias_add"));
        QCOMPARE(model->forward.node(sum.inputs[1].node).name, std::string("b/bias_add"));
    }
    void anyLayerMayBeTheOutput() {
        ModelOptions options;
        options.classes = 5;
        options.architecture = Architecture{{6}, InputKind::Numbers, {dense(5, "a"), dense(7, "b")}, "a"};
        const auto model = buildModel(options, 2, DType::F32);
        VERIFY_OK(model);
        QCOMPARE(model->forward.type(model->forward.outputs().at("logits")).toText(), std::string("f32[2, 5]"));
    }
    void denseWorksOnTheLastAxis() {
        const auto model = build({3, 6}, {dense(4), layer("flatten"), dense(10)});
        VERIFY_OK(model);
        QCOMPARE(model->weights[0].type.shape.toText(), std::string("[6, 4]"));
        QCOMPARE(model->weights[2].type.shape.toText(), std::string("[12, 10]"));
    }
    void reshapeFindsTheOpenAxis() {
        const auto model = build({12}, {layer("reshape", {{"target_shape", list({2, -1})}}), layer("flatten"), dense(10)});
        VERIFY_OK(model);
        const auto& g = model->forward;
        QCOMPARE(g.type({*g.find("reshape"), 0}).toText(), std::string("f64[4, 2, 6]"));
    }
    void regularizersAreListed() {
        const Settings settings{
            {"units", std::int64_t{10}}, {"kernel_regularizer", Named{"l2", {{"l2", 0.001}}}}, {"bias_regularizer", std::string("l1")}};
        const auto model = build({6}, {layer("dense", settings)});
        VERIFY_OK(model);
        QCOMPARE(model->regularizations.size(), std::size_t{2});
        QCOMPARE(model->regularizations[0].l2, static_cast<double>(0.001f));
        QCOMPARE(model->regularizations[0].l1, 0.0);
        QCOMPARE(model->regularizations[1].l1, static_cast<double>(0.01f));
    }

    void refusals_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* code, const char* says) {
            QTest::newRow(name) << QString(code) << QString(says);
        };
        row("no layers", "S416", "no layer");
        row("unknown kind", "S415", "Layer densee (number 1): there is no layer of kind \"densee\"");
        row("unknown setting", "S415", "Layer dense (number 1): there is no setting \"unit\"; it has units, activation");
        row("missing setting", "S415", "units is missing");
        row("wrong type", "S415", "units must be a whole number from 1 on, not ten");
        row("out of range", "S415", "units must be a whole number from 1 on, not 0");
        row("unknown activation", "S415", "activation must be one of linear, relu");
        row("pair of three", "S415", "kernel_size must be a whole number or two, from 1 on, not [1, 2, 3]");
        row("unknown initializer", "S415", "kernel_initializer must be an initializer: zeros");
        row("initializer argument", "S415", "random_normal with Keras' arguments");
        row("regularizer", "S415", "kernel_regularizer must be null, {name: l1");
        row("data format", "X009", "data_format: channels_first");
        row("synchronized", "X009", "Layer batch_normalization: synchronized: true");
        row("axis", "X009", "axis: [1]");
        row("groups", "S403", "conv2d: its input f64[4, 6, 6, 3] has 3 channels (axis 3), which 2 groups don't divide");
        row("filters of groups", "S403", "3 groups don't divide its 4 filters");
        row("strides and dilation", "S403", "strides and dilation_rate can't both be above 1");
        row("axis of concatenate", "S403", "k: axis 1 is 4 in input 0 [4, 4, 3], but 6 in input 1 [4, 6, 2]");
        row("concatenated rows", "S403", "axis 0 is none of its input");
        row("attention of rows", "S403", "multi_head_attention: its input is f64[4, 6], but it takes [rows, places, features]");
        row("places of key and value", "S403", "axis 1 (places) of its value f64[4, 6, 2] is 6, of its key f64[4, 4, 3] 4");
        row("numbers for an embedding", "S403", "embedding: its input is f64[4, 6], but it takes whole numbers");
        row("threshold", "X009", "threshold above 0");
        row("activation of Keras", "X009", "activation: mish");
        row("two of a name", "S416", "two layers are named \"a\"");
        row("named input", "S416", "two layers are named \"input\"");
        row("later input", "S416", "layer a reads \"b\", which is no layer before it");
        row("too few inputs", "S416", "layer add takes at least 2 inputs, not 1");
        row("too many inputs", "S416", "layer dense_1 takes 1 inputs, not 2");
        row("unknown output", "S416", "the output \"z\" is no layer");
        row("shapes of add", "S403", "sum: axis 1 is 5 in input 0 [4, 5], but 6 in input 1 [4, 6]");
        row("dense of nothing", "S403", "dense: its input is f64[4], but it takes [rows, features]");
        row("convolution of rows", "S403", "conv2d: its input is f64[4, 6], but it takes [rows, height, width, channels]");
        row("window", "S403", "smaller than the window");
        row("reshape", "S403", "target_shape is [5], but its input f64[4, 6] has 6 features in each row");
        row("classes", "S403", "the model gives f64[4, 7], but there are 10 classes: it must give [rows, 10]");
    }
    void refusals() {
        const std::string test = QTest::currentDataTag();
        const std::map<std::string, Architecture> cases = {
            {"no layers", {{6}, {}, {}, ""}},
            {"unknown kind", {{6}, {}, {layer("densee")}, ""}},
            {"unknown setting", {{6}, {}, {layer("dense", {{"unit", std::int64_t{3}}})}, ""}},
            {"missing setting", {{6}, {}, {layer("dense")}, ""}},
            {"wrong type", {{6}, {}, {layer("dense", {{"units", std::string("ten")}})}, ""}},
            {"out of range", {{6}, {}, {dense(0)}, ""}},
            {"unknown activation", {{6}, {}, {layer("activation", {{"activation", std::string("reluu")}})}, ""}},
            {"pair of three", {{6}, {}, {layer("conv2d", {{"filters", std::int64_t{1}}, {"kernel_size", list({1, 2, 3})}})}, ""}},
            {"unknown initializer",
             {{6}, {}, {layer("dense", {{"units", std::int64_t{1}}, {"kernel_initializer", std::string("he")}})}, ""}},
            {"initializer argument",
             {{6},
              {},
              {layer("dense", {{"units", std::int64_t{1}}, {"kernel_initializer", Named{"random_normal", {{"minval", 1}}}}})},
              ""}},
            {"regularizer",
             {{6}, {}, {layer("dense", {{"units", std::int64_t{1}}, {"kernel_regularizer", Named{"l2", {{"l1", 1}}}}})}, ""}},
            {"data format", {{6}, {}, {layer("flatten", {{"data_format", std::string("channels_first")}})}, ""}},
            {"synchronized", {{6}, {}, {layer("batch_normalization", {{"synchronized", true}})}, ""}},
            {"axis", {{6, 3}, {}, {layer("batch_normalization", {{"axis", list({1})}})}, ""}},
            {"groups", {{6, 6, 3}, {}, {convolution({{"filters", std::int64_t{4}}, {"groups", std::int64_t{2}}})}, ""}},
            {"filters of groups", {{6, 6, 3}, {}, {convolution({{"filters", std::int64_t{4}}, {"groups", std::int64_t{3}}})}, ""}},
            {"strides and dilation",
             {{6, 6, 3},
              {},
              {convolution({{"filters", std::int64_t{4}}, {"strides", std::int64_t{2}}, {"dilation_rate", list({1, 2})}})},
              ""}},
            {"axis of concatenate",
             {{6, 2}, {}, {layer("reshape", {{"target_shape", list({4, 3})}}, "r"), layer("concatenate", {}, "k", {"r", "input"})}, ""}},
            {"concatenated rows", {{6, 3}, {}, {layer("concatenate", {{"axis", std::int64_t{0}}}, "", {"input", "input"})}, ""}},
            {"attention of rows", {{6}, {}, {attention({"input"})}, ""}},
            {"places of key and value",
             {{6, 2}, {}, {layer("reshape", {{"target_shape", list({4, 3})}}, "r"), attention({"input", "input", "r"})}, ""}},
            {"numbers for an embedding",
             {{6}, {}, {layer("embedding", {{"input_dim", std::int64_t{4}}, {"output_dim", std::int64_t{4}}})}, ""}},
            {"threshold", {{6}, {}, {layer("re_lu", {{"threshold", 0.5}})}, ""}},
            {"activation of Keras", {{6}, {}, {layer("activation", {{"activation", std::string("mish")}})}, ""}},
            {"two of a name", {{6}, {}, {dense(1, "a"), dense(1, "a")}, ""}},
            {"named input", {{6}, {}, {dense(1, "input")}, ""}},
            {"later input", {{6}, {}, {dense(1, "a", {"b"}), dense(1, "b")}, ""}},
            {"too few inputs", {{6}, {}, {layer("add")}, ""}},
            {"too many inputs", {{6}, {}, {dense(1), dense(1, "", {"dense", "input"})}, ""}},
            {"unknown output", {{6}, {}, {dense(1)}, "z"}},
            {"shapes of add", {{6}, {}, {dense(5, "a"), layer("add", {}, "sum", {"a", "input"})}, ""}},
            {"dense of nothing", {{}, {}, {dense(5)}, ""}},
            {"convolution of rows", {{6}, {}, {layer("conv2d", {{"filters", std::int64_t{1}}, {"kernel_size", std::int64_t{3}}})}, ""}},
            {"window", {{2, 6, 1}, {}, {layer("conv2d", {{"filters", std::int64_t{1}}, {"kernel_size", std::int64_t{3}}})}, ""}},
            {"reshape", {{6}, {}, {layer("reshape", {{"target_shape", list({5})}})}, ""}},
            {"classes", {{6}, {}, {dense(7)}, ""}},
        };
        QFETCH(QString, code);
        QFETCH(QString, says);
        ModelOptions options;
        options.architecture = cases.at(test);
        const auto model = buildModel(options, 4, DType::F64);
        QVERIFY(!model.ok());
        QCOMPARE(QString::fromStdString(model.error().code), code);
        QVERIFY2(messageOf(model.error()).contains(says), qPrintable(messageOf(model.error())));
    }
    void theModelsRegularizerIsForKernelsOnly() {
        ModelOptions options;
        options.kernelL2 = 0.001;
        options.architecture = Architecture{
            {6, 6, 2},
            {},
            {layer("separable_conv2d", {{"filters", std::int64_t{3}}, {"kernel_size", std::int64_t{3}}}), layer("batch_normalization"),
             layer("flatten"), layer("dense", {{"units", std::int64_t{10}}, {"kernel_regularizer", std::string("l1")}})},
            ""};
        const auto model = buildModel(options, 4, DType::F32);
        VERIFY_OK(model);
        QStringList list;
        for (const Regularization& one : model->regularizations)
            list << QString::fromStdString(model->forward.node(one.weight.node).name) + QStringLiteral(" %1 %2").arg(one.l1).arg(one.l2);
        QCOMPARE(list, (QStringList{"separable_conv2d/depthwise_kernel 0 0.001", "separable_conv2d/pointwise_kernel 0 0.001",
                                    "dense/kernel 0.01 0"}));
    }
    void frozenAndConstantWeightsAreNotTrained() {
        const auto model = build({6}, {layer("dense", {{"units", std::int64_t{5}}, {"trainable", false}}),
                                       layer("batch_normalization", {{"scale", false}}), dense(10)});
        VERIFY_OK(model);
        QStringList roles;
        for (const WeightInfo& weight : model->weights) roles << QString::number(static_cast<int>(weight.role));
        QCOMPARE(roles.join(' '), QStringLiteral("1 1 3 0 2 2 0 0"));
        for (const auto id : model->forward.nodesOf(graph::OpKind::State)) {
            const auto& node = model->forward.node(id);
            const bool trained = node.name == "batch_normalization/beta" || node.name.starts_with("dense_1");
            QCOMPARE(std::string(graph::textAttribute(node.attributes, "role")), std::string(trained ? "weight" : "statistic"));
        }
    }
    void movingStatisticsFollowBothGenerations() {
        for (const bool legacy : {false, true}) {
            const Settings settings{{"moving_variance_rule", std::string(legacy ? "tf_keras" : "keras")}, {"momentum", 0.9}};
            const auto model = build({4, 5, 2}, {layer("batch_normalization", settings), layer("flatten"), dense(10)});
            VERIFY_OK(model);
            QCOMPARE(model->movingStatistics.size(), std::size_t{2});
            QCOMPARE(model->movingStatistics[0].bessel, std::int64_t{0});
            QCOMPARE(model->movingStatistics[1].bessel, std::int64_t{legacy ? 20 : 0});
            QCOMPARE(model->movingStatistics[1].momentum, 0.9);
            QVERIFY(model->forward.find("count") && model->forward.find("statistics_weight"));
        }
    }
    void everyFallbackOfTheTableIsLegal() {
        QVERIFY(layerTable().size() > 5);
        for (const LayerInfo& info : layerTable()) {
            QVERIFY(findLayer(info.kind) != nullptr && findLayer(info.className) == findLayer(info.kind));
            for (const SettingRow& row : info.settings) {
                if (row.fallback.empty()) continue;
                const Setting word = std::string(row.fallback);
                // Words are legal as they are; the rest is seen by building with defaults.
                if (row.kind == SettingKind::Word || row.kind == SettingKind::Initializer) QVERIFY(!problemOf(row, word));
            }
        }
    }
};

LOCKSTEP_TEST(ArchitectureTest)
#include "architecture_test.moc"
