// Every recorded configuration written as a specification: what the program makes of it follows real Keras' curve.
#include "spec_runs.h"

#include <base/file.h>
#include <support/test.h>

#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>

#include <nlohmann/json.hpp>

using namespace lockstep;
using nlohmann::json;

namespace {

// The recorded Keras calls in the words of a specification.
std::string specOf(const json& file) {
    std::string training = "  global_batch_size: 32\n  epochs: 1\n",
                optimizer = "name: " + file.at("optimizer").at("class").get<std::string>();
    for (char& letter : optimizer) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    for (const auto& [key, value] : file.at("optimizer").at("args").items()) {
        if (key == "gradient_accumulation_steps")
            training += "  " + key + ": " + value.dump() + "\n";
        else
            optimizer += ", " + key + ": " + value.dump();
    }
    if (const double smoothing = file.at("loss").value("label_smoothing", 0.0); smoothing != 0)
        training += "  loss: categorical_crossentropy\n  loss_options: {label_smoothing: " + json(smoothing).dump() + "}\n";
    const json& regularizer = file.at("regularizer");
    const std::string l2 = regularizer.is_object() ? ", kernel_regularizer: {l2: " + regularizer.at("l2").dump() + "}" : "";
    const std::string model = file.at("model");
    const std::string data = model == "resnet20" ? "{dataset: synthetic, shape: [32, 32, 3], rows: 8}" : "{dataset: mnist, shuffle: false}";
    return "name: curve\nstrategy: OneDeviceStrategy\ncluster: {hosts: [{name: here}]}\nmodel: {preset: " + model + l2 +
           "}\ndata: " + data + "\ntraining:\n" + training + "  optimizer: {" + optimizer + "}\n";
}

}  // namespace

class FromSpecTest : public QObject {
    Q_OBJECT

    // The recorded run with everything from the specification but rows and weights.
    static Result<train::RankOptions> runOf(const std::string& yaml, const bench::ParityOptions& parity) {
        LS_TRY_ASSIGN(auto recorded, bench::recordedRun(parity));
        LS_TRY_ASSIGN(auto ranks, test::rankOptionsOf(yaml, 1));
        train::RankOptions options = std::move(ranks[0]);
        options.data = recorded.data;
        options.initialWeights = recorded.initialWeights;
        options.dtype = parity.dtype;
        options.stopOnNan = false;
        return options;
    }

private slots:
    void curve_data() {
        QTest::addColumn<QString>("name");
        for (const std::string& name : test::curveNames())
            if (!name.starts_with("resnet20") || name == "resnet20-momentum-l2")
                QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void curve() {
        QFETCH(QString, name);
        const auto text = readFile(test::curveFolder() / (name.toStdString() + ".json"));
        VERIFY_OK(text);
        const std::string yaml = specOf(json::parse(*text));
        const auto parity = test::parityOptions(name.toStdString(), graph::DType::F32);
        VERIFY_OK(parity);
        const auto options = runOf(yaml, *parity);
        if (!options.ok()) QFAIL((options.error().toText() + "\n" + yaml).c_str());
        QCOMPARE(options->accumulation, parity->curve.accumulation);
        const auto executor = exec::cpu::makeCpuExecutor();
        const auto result = bench::runRecorded(*parity, *options, *executor);
        VERIFY_OK(result);
        QVERIFY(result->complete);
        QVERIFY2(result->withinTolerance, qPrintable(QString("loss is off by %1 at step %2, gradient norm by %3, weights by %4")
                                                         .arg(result->worstRelative)
                                                         .arg(result->worstStep)
                                                         .arg(result->worstGradientNorm)
                                                         .arg(result->worstWeight)));
    }
    // Layers in the place of the preset, Sequential and with inputs, are the same model.
    void layersAreThePreset_data() {
        QTest::addColumn<QString>("layers");
        QTest::newRow("sequential")
            << "[{class_name: Flatten}, {class_name: Dense, units: 128, activation: relu}, {class_name: Dense, units: 10}]";
        QTest::newRow("functional")
            << "[{class_name: flatten, name: f, inputs: [input]}, {class_name: dense, name: h, units: 128, inputs: [f]}, "
               "{class_name: relu, name: r, inputs: [h]}, {class_name: dense, name: o, units: 10, inputs: [r]}]";
    }
    void layersAreThePreset() {
        QFETCH(QString, layers);
        const auto parity = test::parityOptions("mlp-sgd", graph::DType::F64);
        VERIFY_OK(parity);
        const std::string yaml =
            "name: layers\nstrategy: OneDeviceStrategy\ncluster: {hosts: [{name: here}]}\nmodel: {layers: " + layers.toStdString() +
            "}\ndata: {shuffle: false}\ntraining:\n  global_batch_size: 32\n  epochs: 1\n" +
            "  optimizer: {name: sgd, learning_rate: " + std::to_string(parity->curve.optimizer.learningRate) + "}\n";
        const auto options = runOf(yaml, *parity);
        VERIFY_OK(options);
        const auto executor = exec::ref::makeRefExecutor();
        const auto result = bench::runRecorded(*parity, *options, *executor);
        VERIFY_OK(result);
        QVERIFY2(result->complete && result->withinTolerance, qPrintable(QString::number(result->worstRelative)));
    }
};

LOCKSTEP_TEST(FromSpecTest)
#include "from_spec_test.moc"
