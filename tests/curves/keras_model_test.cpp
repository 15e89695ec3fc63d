// Any .keras file of layers that are built becomes a model of the engine, its weights found by name.
#include "recorded.h"

#include <imports/keras_model.h>
#include <support/test.h>

#include <exec_cpu/cpu_executor.h>

using namespace lockstep;

namespace {

Result<nn::Model> modelOf(const keras::KerasFile& file, int classes = 10) {
    nn::ModelOptions options;
    options.classes = classes;
    LS_TRY_ASSIGN(options.architecture, imports::architectureOf(file, "a file"));
    options.inputShape = options.architecture->inputShape;
    return nn::buildModel(options, 2, graph::DType::F32);
}

std::vector<std::string> namesOf(const nn::Model& model) {
    std::vector<std::string> names;
    for (const nn::WeightInfo& weight : model.weights) names.push_back(weight.name);
    return names;
}

// {"pool_size": [2, 2]} → {"pool_size": [3, 3]}
void replace(std::string& text, std::string_view what, std::string_view by) {
    const auto at = text.find(what);
    QVERIFY(at != std::string::npos);
    text.replace(at, what.size(), by);
}

}  // namespace

class KerasModelTest : public QObject {
    Q_OBJECT

    static Result<keras::KerasFile> read(const std::string& name) { return keras::readKeras(test::curveFolder() / name); }

private slots:
    void layersKeepTheirNamesAndSettings() {
        const auto file = read("bnmlp.keras");
        VERIFY_OK(file);
        const auto model = imports::architectureOf(*file, "bnmlp.keras");
        VERIFY_OK(model);
        QCOMPARE(model->inputShape, std::vector<std::int64_t>{784});
        QCOMPARE(model->layers.size(), std::size_t{4});
        QCOMPARE(model->layers[1].name, std::string("bn"));
        QVERIFY(model->layers[1].settings.at("momentum") == nn::Setting(0.9));
        QCOMPARE(model->layers[2].kind, std::string("re_lu"));
        VERIFY_OK(nn::completed(*model));
    }
    void manyLayersBecomeAModel() {
        const auto separable = read("more/separable.keras");
        VERIFY_OK(separable);
        const auto model = modelOf(*separable, 2);
        VERIFY_OK(model);
        const std::vector<std::string> expected = {
            "sep/depthwise_kernel", "sep/pointwise_kernel", "sep/bias", "dw/kernel", "dw/bias", "dense/kernel", "dense/bias"};
        QCOMPARE(namesOf(*model), expected);
        const auto weights = imports::weightsOf(*separable, *model, graph::DType::F32, "separable.keras");
        VERIFY_OK(weights);
        const auto* group = keras::findGroup(separable->groups, "dense");
        QVERIFY(group != nullptr);
        QCOMPARE((*weights)[5], group->tensors[0].bytes);
    }
    void namedInputsComeInTheirPlace() {
        auto transformer = read("more/transformer.keras");
        VERIFY_OK(transformer);
        VERIFY_ERROR(imports::architectureOf(*transformer, "transformer.keras"), "X009");
        replace(transformer->config, R"("use_causal_mask": true)", R"("use_causal_mask": false)");
        const auto model = imports::architectureOf(*transformer, "transformer.keras");
        VERIFY_OK(model);
        QVERIFY(model->input == nn::InputKind::Tokens);
        const auto built = modelOf(*transformer, 3);
        VERIFY_OK(built);
        VERIFY_OK(imports::weightsOf(*transformer, *built, graph::DType::F32, "transformer.keras"));
    }
    void weightsAreFoundByName() {
        auto file = read("cnn.keras");
        VERIFY_OK(file);
        const auto model = modelOf(*file);
        VERIFY_OK(model);
        const auto inOrder = imports::weightsOf(*file, *model, graph::DType::F32, "cnn.keras");
        VERIFY_OK(inOrder);
        std::ranges::reverse(file->groups);
        const auto turned = imports::weightsOf(*file, *model, graph::DType::F32, "cnn.keras");
        VERIFY_OK(turned);
        QCOMPARE(*turned, *inOrder);
    }
    void otherWeightsAreRefused() {
        const auto cnn = read("cnn.keras"), mlp = read("mlp.keras");
        VERIFY_OK(cnn);
        VERIFY_OK(mlp);
        const auto model = modelOf(*cnn);
        VERIFY_OK(model);
        VERIFY_ERROR(imports::weightsOf(*mlp, *model, graph::DType::F32, "mlp.keras"), "S413");
    }
    void whatIsNotBuiltIsSaid() {
        const auto twoEnds = read("more/two_ends.keras");
        VERIFY_OK(twoEnds);
        VERIFY_ERROR(imports::architectureOf(*twoEnds, "two_ends.keras"), "X009");
        auto masked = read("more/transformer.keras");
        VERIFY_OK(masked);
        replace(masked->config, R"("sliding_window": null)", R"("sliding_window": 4)");
        VERIFY_ERROR(imports::architectureOf(*masked, "masked.keras"), "X009");
        auto open = read("cnn.keras");
        VERIFY_OK(open);
        replace(open->config, "[null, 28, 28, 1]", "[null, null, 28, 1]");
        VERIFY_ERROR(imports::architectureOf(*open, "open.keras"), "X009");
    }
    // Another layer under the same weights: the curve must not be within tolerance any more.
    void theFilesLayersAreTrained() {
        const auto executor = exec::cpu::makeCpuExecutor();
        auto options = test::parityOptions("mlp-sgd", graph::DType::F32);
        VERIFY_OK(options);
        replace(options->weights.config, R"("activation": "relu")", R"("activation": "tanh")");
        const auto result = bench::runParity(*options, *executor);
        VERIFY_OK(result);
        QVERIFY(result->complete && !result->withinTolerance);
        QCOMPARE(result->miss->what, std::string("loss"));
        QCOMPARE(result->miss->step, std::size_t{1});
        QVERIFY(result->miss->difference > result->miss->allowed);
    }
};

LOCKSTEP_TEST(KerasModelTest)
#include "keras_model_test.moc"
