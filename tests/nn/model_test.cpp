#include <support/test.h>

#include <nn/model.h>

#include <set>

using namespace lockstep;
using namespace lockstep::nn;
using graph::DType;
using graph::Shape;

namespace {

std::int64_t parameters(const Model& model) {
    std::int64_t sum = 0;
    for (const auto& weight : model.weights) sum += weight.type.shape.elements();
    return sum;
}

QString shapeOf(const Model& model, std::string_view name) {
    for (const auto& weight : model.weights)
        if (weight.name == name) return QString::fromStdString(weight.type.shape.toText());
    return {};
}

QStringList names(const Model& model) {
    QStringList list;
    for (const auto& weight : model.weights) list << QString::fromStdString(weight.name + " " + weight.type.toText());
    return list;
}

}  // namespace

class ModelTest : public QObject {
    Q_OBJECT
private slots:
    void mlpIsKeras() {
        const auto model = buildModel({"mlp", {28, 28, 1}, 10}, 32, DType::F32);
        VERIFY_OK(model);
        QCOMPARE(parameters(*model), 101770);
        QCOMPARE(names(*model),
                 (QStringList{"dense/kernel f32[784, 128]", "dense/bias f32[128]", "dense_1/kernel f32[128, 10]", "dense_1/bias f32[10]"}));
        VERIFY_OK(verify(model->forward));
    }
    void cnnIsKeras() {
        const auto model = buildModel({"cnn", {28, 28, 1}, 10}, 5, DType::F64);
        VERIFY_OK(model);
        QCOMPARE(parameters(*model), 34826);
        QCOMPARE(names(*model), (QStringList{"conv2d/kernel f64[3, 3, 1, 32]", "conv2d/bias f64[32]", "conv2d_1/kernel f64[3, 3, 32, 64]",
                                             "conv2d_1/bias f64[64]", "dense/kernel f64[1600, 10]", "dense/bias f64[10]"}));
        VERIFY_OK(verify(model->forward));
    }
    void lenet5IsTheUsualOne() {
        const auto model = buildModel({"lenet5", {28, 28, 1}, 10}, 5, DType::F32);
        VERIFY_OK(model);
        QCOMPARE(parameters(*model), 61706);
        VERIFY_OK(verify(model->forward));
    }
    // Names, order and shapes of the recorded weights: conv2d, batch_normalization, conv2d_1, …, dense.
    void resnet20IsTheRecordedOne() {
        const auto model = buildModel({"resnet20", {32, 32, 3}, 10}, 4, DType::F32);
        VERIFY_OK(model);
        VERIFY_OK(verify(model->forward));
        std::int64_t trained = 0, kept = 0;
        QStringList layers;
        for (const auto& weight : model->weights) {
            (weight.role == WeightRole::Trained ? trained : kept) += weight.type.shape.elements();
            layers << QString::fromStdString(weight.name).section('/', 0, 0);
        }
        layers.removeDuplicates();
        QCOMPARE(trained, 272474);
        QCOMPARE(kept, 1568);
        QCOMPARE(layers.size(), 43);
        QCOMPARE(layers.mid(0, 3), (QStringList{"conv2d", "batch_normalization", "conv2d_1"}));
        // The second stage: its projection stands between the two convolutions of its first block, as in Keras' list.
        QCOMPARE(shapeOf(*model, "conv2d_7/kernel"), QStringLiteral("[3, 3, 16, 32]"));
        QCOMPARE(shapeOf(*model, "conv2d_8/kernel"), QStringLiteral("[1, 1, 16, 32]"));
        QCOMPARE(shapeOf(*model, "conv2d_9/kernel"), QStringLiteral("[3, 3, 32, 32]"));
        QCOMPARE(shapeOf(*model, "conv2d_15/kernel"), QStringLiteral("[1, 1, 32, 64]"));
        QCOMPARE(shapeOf(*model, "dense/kernel"), QStringLiteral("[64, 10]"));
        QCOMPARE(model->weights[0].initializer.name, std::string("he_normal"));
        QCOMPARE(model->movingStatistics.size(), std::size_t{42});
    }
    void mobilenetHasItsParameters() {
        const auto model = buildModel({"mobilenet", {32, 32, 3}, 10}, 2, DType::F32);
        VERIFY_OK(model);
        std::int64_t trained = 0;
        for (const auto& weight : model->weights) trained += weight.role == WeightRole::Trained ? weight.type.shape.elements() : 0;
        QCOMPARE(trained, 543050);
        QCOMPARE(shapeOf(*model, "depthwise_conv2d_1/kernel"), QStringLiteral("[3, 3, 64, 1]"));
    }
    void resnet50IsThatOfKerasApplications() {
        const auto model = buildModel({"resnet50", {32, 32, 3}, 10}, 1, DType::F32);
        VERIFY_OK(model);
        QCOMPARE(parameters(*model), 23608202);
        QCOMPARE(model->weights[0].name, std::string("conv1_conv/kernel"));
        QCOMPARE(shapeOf(*model, "conv2_block1_0_conv/kernel"), QStringLiteral("[1, 1, 64, 256]"));
        QCOMPARE(shapeOf(*model, "conv5_block3_3_bn/moving_variance"), QStringLiteral("[2048]"));
        QCOMPARE(shapeOf(*model, "predictions/kernel"), QStringLiteral("[2048, 10]"));
    }
    void transformersTakeTokensAndPictures() {
        const auto tokens = buildModel({"transformer_classifier", {20}, 2}, 3, DType::F32);
        VERIFY_OK(tokens);
        VERIFY_OK(verify(tokens->forward));
        QCOMPARE(tokens->forward.type({*tokens->forward.find("x"), 0}).toText(), std::string("i32[3, 20]"));
        QCOMPARE(shapeOf(*tokens, "embedding/embeddings"), QStringLiteral("[20000, 32]"));
        const auto pictures = buildModel({"transformer_classifier", {28, 28, 1}, 10}, 3, DType::F64);
        VERIFY_OK(pictures);
        VERIFY_OK(verify(pictures->forward));
        QCOMPARE(shapeOf(*pictures, "position_embedding/embeddings"), QStringLiteral("[28, 32]"));
        QCOMPARE(shapeOf(*pictures, "multi_head_attention/attention_output/kernel"), QStringLiteral("[2, 32, 32]"));
    }
    void dropoutIsForTrainingOnlyAndEachHasItsSeed() {
        const auto dropouts = [](std::uint64_t seed, Phase phase) {
            ModelOptions options{"transformer_classifier", {20}, 2};
            options.seed = seed;
            const auto model = buildModel(options, 3, DType::F32, phase).value();
            std::vector<std::int64_t> seeds;
            for (const auto id : model.forward.nodesOf(graph::OpKind::Dropout))
                seeds.push_back(graph::intAttribute(model.forward.node(id).attributes, "seed"));
            return seeds;
        };
        const auto seeds = dropouts(1, Phase::Training);
        QCOMPARE(seeds.size(), std::size_t{4});
        QCOMPARE(std::set<std::int64_t>(seeds.begin(), seeds.end()).size(), seeds.size());
        QVERIFY(dropouts(1, Phase::Training) == seeds);
        QVERIFY(dropouts(2, Phase::Training) != seeds);
        QVERIFY(dropouts(1, Phase::Inference).empty());
    }
    void metricsAreOutputs() {
        ModelOptions options{"mlp", {20}, 4};
        options.metrics = {{"accuracy"}, {"sparse_top_k_categorical_accuracy", 2}};
        const auto model = buildModel(options, 3, DType::F32);
        VERIFY_OK(model);
        QVERIFY(model->forward.outputs().contains("correct"));
        QVERIFY(model->forward.outputs().contains("metric/sparse_top_k_categorical_accuracy"));
        options.metrics = {{"binary_accuracy"}};
        VERIFY_ERROR(buildModel(options, 3, DType::F32), "S418");
        options.loss.name = "mean_squared_error";
        const auto regression = buildModel(options, 3, DType::F32);
        VERIFY_OK(regression);
        QVERIFY(!regression->forward.find("labels") && regression->forward.find("targets"));
        options.metrics = {{"sparse_categorical_accuracy"}};
        VERIFY_ERROR(buildModel(options, 3, DType::F32), "S418");
        options.loss.name = "mean_square_error";
        VERIFY_ERROR(buildModel(options, 3, DType::F32), "S418");
    }
    void inputsOutputsAndStatesAreThoseOfTheContract() {
        for (const char* preset : {"mlp", "cnn"}) {
            const auto model = buildModel({preset, {28, 28, 1}, 10}, 7, DType::F32);
            VERIFY_OK(model);
            const auto& g = model->forward;
            const auto inputs = g.nodesOf(graph::OpKind::Input);
            QCOMPARE(inputs.size(), std::size_t{3});
            QCOMPARE(g.node(inputs[0]).name, std::string("x"));
            QCOMPARE(g.node(inputs[0]).outputs[0].toText(), std::string("f32[7, 28, 28, 1]"));
            QCOMPARE(g.node(inputs[1]).name, std::string("labels"));
            QCOMPARE(g.node(inputs[1]).outputs[0].toText(), std::string("i32[7]"));
            QCOMPARE(g.node(inputs[2]).name, std::string("weights"));
            QCOMPARE(g.node(inputs[2]).outputs[0].toText(), std::string("f32[7]"));
            QCOMPARE(g.type(g.outputs().at("logits")).toText(), std::string("f32[7, 10]"));
            QCOMPARE(g.type(g.outputs().at("loss")).toText(), std::string("f32[]"));
            QCOMPARE(g.type(g.outputs().at("correct")).toText(), std::string("f32[]"));
            const auto states = g.nodesOf(graph::OpKind::State);
            QCOMPARE(states.size(), model->weights.size());
            for (std::size_t i = 0; i < states.size(); ++i) {
                QCOMPARE(g.node(states[i]).name, model->weights[i].name);
                QVERIFY(g.node(states[i]).outputs[0] == model->weights[i].type);
            }
        }
    }
    void otherFeaturesAndClasses() {
        const auto flat = buildModel({"mlp", {20}, 3}, 4, DType::F32);
        VERIFY_OK(flat);
        QVERIFY(flat->forward.nodesOf(graph::OpKind::Reshape).empty());
        const auto colour = buildModel({"cnn", {32, 32, 3}, 100}, 4, DType::F32);
        VERIFY_OK(colour);
        QCOMPARE(colour->weights[0].type.shape.toText(), Shape({3, 3, 3, 32}).toText());
        QCOMPARE(colour->weights[4].type.shape.toText(), Shape({2304, 100}).toText());
    }
    void refusals() {
        const auto unknown = buildModel({"resnet5000", {28, 28, 1}, 10}, 4, DType::F32);
        VERIFY_ERROR(unknown, "S410");
        QVERIFY(unknown.error().message.find("resnet5000") != std::string::npos);
        VERIFY_ERROR(buildModel({"cnn", {784}, 10}, 4, DType::F32), "S403");
        VERIFY_ERROR(buildModel({"cnn", {4, 4, 1}, 10}, 4, DType::F32), "S403");
        VERIFY_ERROR(buildModel({"mlp", {28, 28, 1}, 10}, 0, DType::F32), "S408");
        VERIFY_ERROR(buildModel({"mlp", {28, 28, 1}, 0}, 4, DType::F32), "S415");
        VERIFY_ERROR(buildModel({"mlp", {28, 28, 1}, 10}, 4, DType::I32), "S403");
    }
};

LOCKSTEP_TEST(ModelTest)
#include "model_test.moc"
