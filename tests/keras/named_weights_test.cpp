#include "fixtures.h"

#include <support/test.h>

#include <keras/named_weights.h>

#include <QRegularExpression>

#include <map>

using namespace lockstep;
using namespace lockstep::keras;

namespace {

struct Loaded {
    KerasFile model;
    Architecture architecture;
};

Loaded load(const std::string& name) {
    auto model = readKeras(test::kerasFixtures() / name);
    auto architecture = parseArchitecture(model->config, name);
    return {std::move(*model), std::move(*architecture)};
}

}  // namespace

class NamedWeightsTest : public QObject {
    Q_OBJECT
private slots:
    void names_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QStringList>("names");
        QTest::newRow("cnn") << "cnn.keras"
                             << QStringList{"conv1/kernel", "conv1/bias", "conv2/kernel", "conv2/bias", "logits/kernel", "logits/bias"};
        QTest::newRow("transformer") << "more/transformer.keras"
                                     << QStringList{"emb/embeddings",
                                                    "att/query/kernel",
                                                    "att/query/bias",
                                                    "att/key/kernel",
                                                    "att/key/bias",
                                                    "att/value/kernel",
                                                    "att/value/bias",
                                                    "att/attention_output/kernel",
                                                    "att/attention_output/bias",
                                                    "ln/gamma",
                                                    "ln/beta",
                                                    "out/kernel",
                                                    "out/bias"};
        QTest::newRow("separable")
            << "more/separable.keras"
            << QStringList{
                   "sep/depthwise_kernel", "sep/pointwise_kernel", "sep/bias", "dw/kernel", "dw/bias", "dense/kernel", "dense/bias"};
    }
    void names() {
        QFETCH(QString, file);
        QFETCH(QStringList, names);
        const auto loaded = load(file.toStdString());
        const auto weights = namedWeights(loaded.model, loaded.architecture, "x");
        VERIFY_OK(weights);
        QStringList found;
        for (const auto& weight : *weights) found << QString::fromStdString(weight.layer + "/" + weight.variable);
        // Keras names the last layer of `separable` itself, with a number that depends on what was made before.
        if (file.contains("separable")) found.replaceInStrings(QRegularExpression("^dense_\\d+/"), "dense/");
        QCOMPARE(found, names);
    }
    void shapes() {
        const auto loaded = load("resnet20.keras");
        const auto weights = namedWeights(loaded.model, loaded.architecture, "x");
        VERIFY_OK(weights);
        std::map<std::string, const Tensor*> byName;
        std::int64_t trained = 0, moving = 0;
        for (const auto& [layer, variable, tensor] : *weights) {
            byName[layer + "/" + variable] = tensor;
            (variable.starts_with("moving") ? moving : trained) += tensor->shape.elements();
        }
        QCOMPARE(trained, std::int64_t{272'474});
        QCOMPARE(moving, std::int64_t{1'568});
        QCOMPARE(byName.at("stem_conv/kernel")->shape, (graph::Shape{3, 3, 3, 16}));
        QVERIFY(!byName.contains("stem_conv/bias"));
        QCOMPARE(byName.at("stem_bn/moving_variance")->shape, (graph::Shape{16}));
    }

    void thereAndBack_data() {
        QTest::addColumn<QString>("name");
        for (const auto& name : test::goodFiles()) QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void thereAndBack() {
        QFETCH(QString, name);
        const auto [model, architecture] = load(name.toStdString());
        const auto weights = namedWeights(model, architecture, "x");
        VERIFY_OK(weights);
        std::map<std::string, const Tensor*> byName;
        for (const auto& weight : *weights) byName[weight.layer + "/" + weight.variable] = weight.tensor;
        const auto groups = makeGroups(architecture, [&](const LayerConfig& layer, std::string_view variable) {
            return byName.at(layer.name + "/" + std::string(variable));
        });
        VERIFY_OK(groups);
        for (const auto& group : model.groups) {
            const auto* made = findGroup(*groups, group.path);
            if (group.tensors.empty() && made == nullptr) continue;  // parts of MultiHeadAttention without variables
            QVERIFY2(made != nullptr && *made == group, group.path.c_str());
        }
    }

    void groupsThatDontFit() {
        auto loaded = load("cnn.keras");
        for (auto& group : loaded.model.groups)
            if (group.path == "conv2d_1") group.tensors.pop_back();
        const auto weights = namedWeights(loaded.model, loaded.architecture, "x.keras");
        VERIFY_ERROR(weights, "C710");
        QCOMPARE(weights.error().message,
                 std::string("The weights in x.keras don't fit layer conv2: group conv2d_1 has 1 variables, not 2."));
        std::erase_if(loaded.model.groups, [](const WeightGroup& group) { return group.path == "conv2d"; });
        VERIFY_ERROR(namedWeights(loaded.model, loaded.architecture, "x.keras"), "C710");
        VERIFY_ERROR(makeGroups(loaded.architecture, [](const LayerConfig&, std::string_view) { return nullptr; }), "F659");
    }
};

LOCKSTEP_TEST(NamedWeightsTest)
#include "named_weights_test.moc"
