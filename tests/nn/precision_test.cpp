// Keras' dtype policies (keras/dtype_policies, keras/layers/layer.py).
#include <support/test.h>

#include <nn/precision.h>

using namespace lockstep;
using namespace lockstep::nn;
using graph::DType;
using graph::OpKind;

class PrecisionTest : public QObject {
    Q_OBJECT

    static ModelOptions options(const char* preset, const char* policy) {
        ModelOptions options;
        options.preset = preset;
        if (options.preset == "resnet20") options.inputShape = {32, 32, 3};
        options.policy = policy;
        return options;
    }
    static DType typeOf(const graph::Graph& graph, const char* node) { return graph.node(*graph.find(node)).outputs[0].dtype; }
    static ModelOptions softmaxModel(const char* policy, Settings settings) {
        ModelOptions options;
        settings.merge(Settings{{"units", std::int64_t{10}}, {"activation", std::string("softmax")}});
        options.architecture = architectureOf({{"flatten", {}, {}, {}}, {"dense", "probabilities", std::move(settings), {}}}, {28, 28, 1});
        options.loss.fromLogits = false;
        options.policy = policy;
        return options;
    }

private slots:
    void layersComputeIn16BitsAndVariablesStay() {
        const std::pair<const char*, DType> policies[] = {{"mixed_bfloat16", DType::BF16}, {"mixed_float16", DType::F16}};
        for (const auto& [policy, compute] : policies) {
            const auto model = buildModel(options("mlp", policy), 4, DType::F32);
            VERIFY_OK(model);
            for (const auto id : model->forward.nodesOf(OpKind::State)) QCOMPARE(model->forward.node(id).outputs[0].dtype, DType::F32);
            QCOMPARE(typeOf(model->forward, "dense/matmul"), compute);
            QCOMPARE(typeOf(model->forward, "dense/relu"), compute);
            // A preset's last layer, the loss and what is read out are float32.
            QCOMPARE(typeOf(model->forward, "dense_1/matmul"), DType::F32);
            QCOMPARE(typeOf(model->forward, "loss"), DType::F32);
            QCOMPARE(model->forward.type(model->forward.outputs().at("logits")).dtype, DType::F32);
        }
    }
    // Inputs and results of a normalisation have 16 bits, its variables and moments 32.
    void normalisationsKeepFloat32Inside() {
        const auto model = buildModel(options("resnet20", "mixed_bfloat16"), 2, DType::F32);
        VERIFY_OK(model);
        QCOMPARE(typeOf(model->forward, "conv2d/conv2d"), DType::BF16);
        QCOMPARE(typeOf(model->forward, "batch_normalization"), DType::BF16);
        QCOMPARE(typeOf(model->forward, "batch_normalization/moments"), DType::F32);
        VERIFY_OK(buildModel(options("resnet20", "mixed_bfloat16"), 2, DType::F32, Phase::Inference));
    }
    void everyPresetBuilds() {
        for (const char* preset : {"lenet5", "cnn", "mobilenet", "transformer_classifier"})
            for (const char* policy : {"mixed_bfloat16", "mixed_float16"}) VERIFY_OK(buildModel(options(preset, policy), 2, DType::F32));
    }
    // The recorded float64 curves know no 16 bits.
    void float64ModelsIgnoreThePolicy() {
        const auto model = buildModel(options("mlp", "mixed_float16"), 4, DType::F64);
        VERIFY_OK(model);
        QVERIFY(model->forward == buildModel(options("mlp", "float32"), 4, DType::F64)->forward);
    }
    void aLayersOwnPolicyWins() {
        const auto mixed = buildModel(softmaxModel("mixed_float16", {}), 4, DType::F32);
        VERIFY_OK(mixed);
        QCOMPARE(typeOf(mixed->forward, "probabilities/softmax"), DType::F16);
        // Keras finds the logits behind a softmax only where no cast lies between.
        QCOMPARE(graph::intAttributeOr(mixed->forward.node(*mixed->forward.find("loss")).attributes, "from_logits", 1), std::int64_t{0});
        const auto own = buildModel(softmaxModel("mixed_float16", {{"dtype", std::string("float32")}}), 4, DType::F32);
        VERIFY_OK(own);
        QCOMPARE(typeOf(own->forward, "probabilities/softmax"), DType::F32);
        const auto one = buildModel(softmaxModel("float32", {{"dtype", std::string("mixed_bfloat16")}}), 4, DType::F32);
        VERIFY_OK(one);
        QCOMPARE(typeOf(one->forward, "probabilities/softmax"), DType::BF16);
    }
    void unknownPoliciesAreRefused() {
        VERIFY_ERROR(buildModel(options("mlp", "float16"), 4, DType::F32), "S415");
        VERIFY_ERROR(buildModel(softmaxModel("float32", {{"dtype", std::string("float16")}}), 4, DType::F32), "X009");
        VERIFY_ERROR(buildModel(softmaxModel("float32", {{"dtype", std::string("half")}}), 4, DType::F32), "S415");
    }
    void riskyResultsAreWarnedOf() {
        QCOMPARE(precisionWarnings(softmaxModel("mixed_float16", {})).size(), std::size_t{1});
        QVERIFY(precisionWarnings(softmaxModel("mixed_float16", {})).front().find("the softmax of layer probabilities, is float16") !=
                std::string::npos);
        QVERIFY(precisionWarnings(softmaxModel("mixed_float16", {{"dtype", std::string("float32")}})).empty());
        QVERIFY(precisionWarnings(softmaxModel("float32", {})).empty());
        QVERIFY(precisionWarnings(options("mlp", "mixed_float16")).empty());
    }
};

LOCKSTEP_TEST(PrecisionTest)
#include "precision_test.moc"
