#include "fixtures.h"

#include <support/test.h>

#include <keras/architecture.h>

using namespace lockstep;
using namespace lockstep::keras;

namespace {

std::string configOf(const std::string& name) { return test::partsOf(name).config; }

Architecture read(const std::string& name) {
    auto parsed = parseArchitecture(configOf(name), name);
    if (!parsed.ok()) qFatal("%s", parsed.error().toText().c_str());
    return *parsed;
}

const LayerConfig& layerOf(const Architecture& model, const std::string& name) {
    for (const auto& layer : model.layers)
        if (layer.name == name) return layer;
    qFatal("no layer %s", name.c_str());
}

std::string sequentialOf(const std::string& layer) {
    return R"({"module": "keras", "class_name": "Sequential", "config": {"name": "m", "layers": [)"
           R"({"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [null, 4], "name": "x"}},)" +
           layer + "]}}";
}

std::string functionalOf(const std::string& history, const std::string& outputs = R"(["d", 0, 0])") {
    return R"({"module": "keras.src.models.functional", "class_name": "Functional", "config": {"name": "m", "layers": [)"
           R"({"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [null, 4], "name": "x"}, "name": "x", "inbound_nodes": []},)"
           R"({"module": "keras.layers", "class_name": "Dense", "config": {"name": "d", "units": 2}, "name": "d", "inbound_nodes": [)" +
           history + R"(]}], "input_layers": ["x", 0, 0], "output_layers": )" + outputs + "}}";
}

std::string callOf(const std::string& history) {
    return R"({"args": [{"class_name": "__keras_tensor__", "config": {"shape": [null, 4], "dtype": "float32", "keras_history": )" +
           history + R"(}}], "kwargs": {}})";
}

}  // namespace

class ArchitectureTest : public QObject {
    Q_OBJECT
private slots:
    void sequential() {
        const auto model = read("cnn.keras");
        QVERIFY(model.kind == ModelKind::Sequential);
        QCOMPARE(model.name, std::string("cnn"));
        std::vector<std::string> classes, names;
        for (const auto& layer : model.layers) {
            classes.push_back(layer.className);
            names.push_back(layer.name);
        }
        QVERIFY(
            (classes == std::vector<std::string>{"InputLayer", "Conv2D", "MaxPooling2D", "Conv2D", "MaxPooling2D", "Flatten", "Dense"}));
        const auto& conv = layerOf(model, "conv2");
        QCOMPARE(*conv.config.find("filters")->integer(), std::int64_t{64});
        QCOMPARE(conv.config.textOf("activation"), std::string("relu"));
        QCOMPARE(conv.config.find("kernel_initializer")->textOf("class_name"), std::string("GlorotUniform"));
        QCOMPARE(conv.inbound.front().layer, names[2]);
        QVERIFY((model.inputs == std::vector<std::string>{names.front()}));
        QVERIFY((model.outputs == std::vector<std::string>{"logits"}));
        QVERIFY(model.compile.isNull());
    }
    void functional() {
        const auto model = read("resnet20.keras");
        QVERIFY(model.kind == ModelKind::Functional);
        QVERIFY((model.inputs == std::vector<std::string>{"image"}));
        QVERIFY((model.outputs == std::vector<std::string>{"logits"}));
        const auto& add = layerOf(model, "s1b1_add");
        QCOMPARE(add.inbound.size(), std::size_t{2});
        QCOMPARE(add.inbound[0].layer, std::string("stem_relu"));
        QCOMPARE(add.inbound[1].layer, std::string("s1b1_bn2"));
        QVERIFY((add.inbound[0].shape == std::vector<std::int64_t>{-1, 32, 32, 16}));
        QVERIFY(layerOf(model, "stem_bn").callArguments.empty());
        QCOMPARE(*layerOf(model, "stem_bn").config.find("momentum")->number(), 0.99);
    }
    void argumentsOfCalls() {
        const auto model = read("more/transformer.keras");
        const auto& attention = layerOf(model, "att");
        QCOMPARE(attention.inbound.size(), std::size_t{2});
        QCOMPARE(attention.inbound[1].argument, std::string("value"));
        QVERIFY((attention.callArguments == Value::Object{{"use_causal_mask", true}}));
        QVERIFY(layerOf(model, "drop").callArguments.empty());
        QCOMPARE(layerOf(model, "emb").inbound[0].dtype, std::string("int32"));
        QCOMPARE(model.compile.find("optimizer")->textOf("class_name"), std::string("SGD"));
        const auto ends = read("more/two_ends.keras");
        QVERIFY((ends.inputs == std::vector<std::string>{"left", "right"}));
        QVERIFY((ends.outputs == std::vector<std::string>{"y", "both"}));
    }
    void inputThatWasNeverNamed() {
        auto config = configOf("more/built.keras");
        const auto from = config.find(R"({"module": "keras.layers", "class_name": "InputLayer")");
        const auto to = config.find(R"({"module": "keras.layers", "class_name": "Dense")");
        config.erase(from, to - from);
        const auto model = parseArchitecture(config, "built");
        VERIFY_OK(model);
        QCOMPARE(model->layers.front().className, std::string("InputLayer"));
        QVERIFY((*model->layers.front().config.find("batch_shape") == Value(Value::List{Value(), 3})));
        QCOMPARE(model->layers.back().inbound.front().layer, model->layers.front().name);
    }

    // The rule for names of groups, against the names Keras gave.
    void groupsAreThoseOfTheFile_data() {
        QTest::addColumn<QString>("name");
        for (const auto& name : test::goodFiles()) QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void groupsAreThoseOfTheFile() {
        QFETCH(QString, name);
        const auto model = readKeras(test::kerasFixtures() / name.toStdString());
        VERIFY_OK(model);
        const auto architecture = read(name.toStdString());
        const auto groups = weightGroups(architecture);
        QCOMPARE(groups.size(), architecture.layers.size());
        std::size_t named = 0;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (groups[i].empty()) continue;
            const auto* group = findGroup(model->groups, groups[i]);
            QVERIFY2(group != nullptr, groups[i].c_str());
            QCOMPARE(group->layerName, architecture.layers[i].name);
            ++named;
        }
        std::size_t outermost = 0;
        for (const auto& group : model->groups) outermost += group.path.find('/') == std::string::npos;
        QCOMPARE(named, outermost);
    }

    // Printed and read again: the same, without the keys of later versions.
    void printing_data() { groupsAreThoseOfTheFile_data(); }
    void printing() {
        QFETCH(QString, name);
        const auto first = read(name.toStdString());
        const std::string text = printArchitecture(first);
        for (const char* newer : {"quantization_config", "renorm", "input_axes", "output_axes", "shared_object_id", "optional", "ragged",
                                  "DTypePolicy", "build_config", "use_gate", "sliding_window"})
            QVERIFY2(text.find(newer) == std::string::npos, newer);
        const auto again = parseArchitecture(text, "printed");
        VERIFY_OK(again);
        QCOMPARE(printArchitecture(*again), text);
        QCOMPARE(again->layers.size(), first.layers.size());
        QVERIFY(again->inputs == first.inputs && again->outputs == first.outputs && again->name == first.name);
        for (std::size_t i = 0; i < first.layers.size(); ++i) {
            const auto &before = first.layers[i], &after = again->layers[i];
            QVERIFY(before.className == after.className && before.name == after.name && before.inbound == after.inbound);
            QVERIFY(before.callArguments == after.callArguments);
            for (const auto& [key, value] : *after.config.object()) {
                QVERIFY(before.config.find(key) != nullptr);
                if (value.integer() || value.boolean()) QVERIFY(*before.config.find(key) == value);
            }
        }
    }
    // A key of a later version that says something must stay.
    void newerKeysThatMatterStay() {
        auto model = read("bnmlp.keras");
        for (auto& layer : model.layers)
            if (layer.className == "BatchNormalization")
                for (auto& [key, value] : *layer.config.object())
                    if (key == "renorm") value = true;
        const std::string text = printArchitecture(model);
        QVERIFY(text.find(R"("renorm":true)") != std::string::npos);
        QVERIFY(text.find(R"("renorm_momentum":0.99)") != std::string::npos);
    }

    void refused_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("words");
        QTest::newRow("lambda") << "lambda"
                                << "F653"
                                << "Layer evil of";
        QTest::newRow("custom layer") << "custom_layer"
                                      << "F654"
                                      << "class mine>Odd";
        QTest::newRow("custom activation") << "custom_activation"
                                           << "F654"
                                           << "Layer own of";
        QTest::newRow("unknown layer") << "unknown_layer"
                                       << "F654"
                                       << "class GRU";
        QTest::newRow("nested") << "nested"
                                << "F655"
                                << "Layer inner of";
        QTest::newRow("shared") << "shared"
                                << "F655"
                                << "is called 2 times";
    }
    void refused() {
        QFETCH(QString, file);
        QFETCH(QString, code);
        QFETCH(QString, words);
        const auto model = parseArchitecture(configOf("bad/" + file.toStdString() + ".keras"), "x.keras");
        QVERIFY(!model.ok());
        QCOMPARE(QString::fromStdString(model.error().code), code);
        QVERIFY2(QString::fromStdString(model.error().message).contains(words), model.error().message.c_str());
    }

    void malformed_data() {
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const std::string& config, const char* code, const char* words) {
            QTest::newRow(name) << QString::fromStdString(config) << code << words;
        };
        row("no JSON", "{", "F652", "it is not JSON at byte 1");
        row("no object", "[]", "F652", "it describes no model");
        row("no layers", R"({"class_name": "Sequential", "config": {}})", "F652", "no list of layers");
        row("another model", R"({"class_name": "Mine", "module": "my", "config": {"name": "m"}})", "F654", "class my.Mine");
        row("lambda in a regularizer",
            sequentialOf(
                R"({"class_name": "Dense", "config": {"name": "d", "kernel_regularizer": {"class_name": "__lambda__", "config": {"code": "x"}}}})"),
            "F653", "holds Python code");
        row("function",
            sequentialOf(
                R"({"class_name": "Dense", "config": {"name": "d", "activation": {"module": "builtins", "class_name": "function", "config": "f"}}})"),
            "F654", "class builtins.function");
        row("foreign module", sequentialOf(R"({"module": "os", "class_name": "Dense", "config": {"name": "d"}})"), "F654",
            "class os.Dense");
        row("module that looks like ours", sequentialOf(R"({"module": "kerasevil", "class_name": "Dense", "config": {"name": "d"}})"),
            "F654", "kerasevil.Dense");
        row("same name", sequentialOf(R"({"class_name": "Dense", "config": {"name": "x"}})"), "F652", "two layers are called");
        row("no name", sequentialOf(R"({"class_name": "Dense", "config": {}})"), "F652", "has no name");
        row("second input", sequentialOf(R"({"class_name": "InputLayer", "config": {"name": "y"}})"), "F655", "second input");
        row("not built",
            R"({"class_name": "Sequential", "config": {"name": "m", "layers": [{"class_name": "Dense", "config": {"name": "d"}}]}})",
            "F655", "never built");
        row("from nowhere", functionalOf(callOf(R"(["z", 0, 0])")), "F652", "takes from \"z\"");
        row("from itself", functionalOf(callOf(R"(["d", 0, 0])")), "F652", "not before it");
        row("second output", functionalOf(callOf(R"(["x", 0, 1])")), "F655", "several tensors");
        row("no history", functionalOf(callOf("[]")), "F652", "no history");
        row("never called", functionalOf(""), "F655", "is never called");
        row("called with a number", functionalOf(R"({"args": [3], "kwargs": {}})"), "F655", "no tensor");
        row("called with nothing", functionalOf(R"({"args": [], "kwargs": {}})"), "F655", "without a tensor");
        row("older form of calls", functionalOf(R"([["x", 0, 0, {}]])"), "F652", "not in Keras 3's form");
        row("output that is no layer", functionalOf(callOf(R"(["x", 0, 0])"), R"(["q", 0, 0])"), "F652", "no layer");
    }
    void malformed() {
        QFETCH(QString, config);
        QFETCH(QString, code);
        QFETCH(QString, words);
        const auto model = parseArchitecture(config.toStdString(), "x.keras");
        QVERIFY(!model.ok());
        QCOMPARE(QString::fromStdString(model.error().code), code);
        QVERIFY2(QString::fromStdString(model.error().message).contains(words), model.error().message.c_str());
    }
};

LOCKSTEP_TEST(ArchitectureTest)
#include "architecture_test.moc"
