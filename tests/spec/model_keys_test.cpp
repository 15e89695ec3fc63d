#include <support/scratch.h>
#include <support/test.h>

#include <spec/run_spec.h>

using namespace lockstep;
using namespace lockstep::spec;

namespace {

const std::string kSmall = "name: small\n";

}  // namespace

// Models, optimizers, schedules and losses in a specification.
class ModelKeysTest : public QObject {
    Q_OBJECT
private slots:
    void errors_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* text, const char* code, const char* says) {
            QTest::newRow(name) << QString(text) << QString(code) << QString(says);
        };
        row("value out of range", "training: {optimizer: {clipnorm: -1}}", "S304", "spec.yaml:2:34: training.optimizer.clipnorm");
        row("number for a flag", "training: {optimizer: {use_ema: 1}}", "S303", "must be true or false");
        row("unknown schedule", "training: {optimizer: {schedule: {name: cosine_decai}}}", "S304", "did you mean \"cosine_decay\"?");
        row("no list of numbers", "training: {optimizer: {schedule: {values: 3}}}", "S303", "a list of numbers");
        row("no list of layers", "model: {layers: dense}", "S303", "model.layers must be a list of layers");
        row("layer without a class", "model: {layers: [{units: 3}]}", "S305", "spec.yaml:2:18: model.layers.0.class_name is missing");
        row("unknown class", "model:\n  layers:\n    - {class_name: dense, units: 3}\n    - {class_name: conv2}", "S304",
            "spec.yaml:5:20: model.layers.1.class_name must be one of dense");
        row("class like another", "model: {layers: [{class_name: dens}]}", "S304", "did you mean \"dense\"?");
        row("unknown setting", "model: {layers: [{class_name: dense, unit: 3}]}", "S302",
            "spec.yaml:2:38: unknown key \"model.layers.0.unit\"; did you mean \"units\"?");
        row("setting is missing", "model: {layers: [{class_name: dense}]}", "S305", "model.layers.0.units");
        row("setting out of range", "model: {layers: [{class_name: dense, units: 0}]}", "S304",
            "model.layers.0.units must be a whole number from 1 on");
        row("setting of another type", "model: {layers: [{class_name: dense, units: [[a]]}]}", "S303", "a list of whole numbers");
        row("unknown activation", "model: {layers: [{class_name: dense, units: 1, activation: rellu}]}", "S304", "did you mean \"relu\"?");
        row("unknown initializer", "model: {layers: [{class_name: dense, units: 1, kernel_initializer: he_norma}]}", "S304",
            "did you mean \"he_normal\"?");
        row("regularizer", "model: {layers: [{class_name: dense, units: 1, kernel_regularizer: {name: l2, l2: x}}]}", "S303",
            "model.layers.0.kernel_regularizer.l2 must be a number");
        row("no layers", "model: {layers: []}", "S416", "spec.yaml:2:");
        row("unknown input", "model: {layers: [{class_name: dense, units: 1, inputs: [a]}]}", "S416", "reads \"a\", which is no layer");
        row("no list of callbacks", "training: {callbacks: csv_logger}", "S303", "must be a list of callbacks");
        row("unknown callback", "training: {callbacks: [early_stoping]}", "S304",
            "spec.yaml:2:24: training.callbacks.0 must be one of early_stopping");
        row("callback without a name", "training: {callbacks: [{patience: 3}]}", "S305", "training.callbacks.0.name");
        row("unknown setting of a callback", "training: {callbacks: [{name: early_stopping, patiense: 3}]}", "S302",
            "\"training.callbacks.0.patiense\"; did you mean \"patience\"?");
        row("setting of a callback out of range", "training: {callbacks: [{name: early_stopping, patience: -1}]}", "S304", "from 0 to 1");
        row("mode of a callback", "training: {callbacks: [{name: early_stopping, mode: up}]}", "S304", "one of auto, min, max");
        row("scheduler without a factor", "training: {callbacks: [learning_rate_scheduler]}", "S305", "training.callbacks.0.factor");
        row("log outside the run", "training: {callbacks: [{name: csv_logger, filename: ../x.csv}]}", "S304", "a plain file name");
        row("log over another file", "training: {callbacks: [{name: csv_logger, filename: run.db}]}", "S304", "ends in .csv");
        row("callback twice", "training: {callbacks: [csv_log, CSVLogger]}", "S307", "csv_logger is given twice");
        row("two that set the rate", "training: {callbacks: [reduce_on_plateau, {name: learning_rate_scheduler, factor: 0.5}]}", "S307",
            "both set the learning rate");
        row("callback and schedule",
            "training: {callbacks: [reduce_on_plateau], optimizer: {schedule: {name: cosine_decay, decay_steps: 9}}}", "S307",
            "and so does the schedule cosine_decay");
        row("target without a limit", "stop: {target: val_loss}", "S304", "such as \"val_accuracy >= 0.98\"");
        row("target that is no number", "stop: {target: \"loss <= low\"}", "S304", "stop.target");
        row("metric twice", "training: {metrics: [accuracy, binary_accuracy, accuracy]}", "S307", "names accuracy twice");
        row("smoothing of sparse labels", "training: {loss_options: {label_smoothing: 2}}", "S304", "from 0 to 1");
    }
    void errors() {
        QFETCH(QString, text);
        QFETCH(QString, code);
        QFETCH(QString, says);
        const auto spec = parseRunSpec(kSmall + text.toStdString(), "spec.yaml");
        QVERIFY(!spec.ok());
        QVERIFY2(spec.error().code == code.toStdString(), spec.error().toText().c_str());
        QVERIFY2(spec.error().message.find(says.toStdString()) != std::string::npos, spec.error().toText().c_str());
        QCOMPARE(spec.error().exitCode, 3);
    }
    void keysAreRead() {
        const auto read = [](const std::string& text) { return parseRunSpec(kSmall + text, "spec.yaml"); };
        auto spec = read(
            "model:\n  kernel_regularizer: {l2: 0.001}\n  layers:\n"
            "    - {class_name: Conv2D, name: first, filters: 4, kernel_size: [3, 3], activation: relu, kernel_initializer: he_normal}\n"
            "    - {class_name: batch_normalization, momentum: 0.9, center: false}\n"
            "    - {class_name: relu}\n"
            "    - {class_name: add, inputs: [first, re_lu]}\n"
            "    - {class_name: flatten}\n"
            "    - {class_name: dense, units: 10, kernel_regularizer: {name: l2, l2: 1.0}, bias_regularizer: null}\n"
            "training:\n  loss: categorical_crossentropy\n  loss_options: {label_smoothing: 0.1}\n"
            "  metrics: [accuracy, top_k_categorical_accuracy]\n  metric_options: {k: 3}\n"
            "  optimizer:\n    name: adamw\n    amsgrad: true\n    global_clipnorm: 2\n"
            "    schedule: {name: piecewise_constant_decay, boundaries: [10, 20], values: [1.0, 0.5, 0.25]}\n");
        VERIFY_OK(spec);
        const auto& layers = spec->model.layers;
        QCOMPARE(layers.size(), std::size_t{6});
        QCOMPARE(layers[0].kind, std::string("conv2d"));
        QCOMPARE(layers[0].name, std::string("first"));
        QVERIFY(layers[0].settings.at("kernel_size") == nn::Setting(std::vector<std::int64_t>{3, 3}));
        QVERIFY(layers[1].settings.at("center") == nn::Setting(false));
        QCOMPARE(layers[3].inputs, (std::vector<std::string>{"first", "re_lu"}));
        QVERIFY(layers[5].settings.at("kernel_regularizer") == nn::Setting(nn::Named{"l2", {{"l2", 1.0}}}));
        const auto& optimizer = spec->training.optimizer;
        QCOMPARE(*optimizer.weightDecay, 0.004);
        QVERIFY(optimizer.amsgrad && *optimizer.globalClipnorm == 2.0 && !optimizer.clipnorm);
        QCOMPARE(nn::learningRateAt(nn::scheduleOf(optimizer), 15), 0.5);
        QCOMPARE(spec->training.loss.labelSmoothing, 0.1);
        const auto options = modelOptionsOf(*spec, {{8, 8, 1}, 10, 0});
        QCOMPARE(options.metrics.size(), std::size_t{2});
        QCOMPARE(options.metrics[1].k, std::int64_t{3});
        QCOMPARE(options.kernelL2, 0.001);
        QCOMPARE(options.architecture->inputShape, (std::vector<std::int64_t>{8, 8, 1}));

        const std::string text = printRunSpec(*spec);
        auto again = parseRunSpec(text, "printed.yaml");
        if (!again.ok()) QFAIL((again.error().toText() + "\n" + text).c_str());
        QVERIFY2(*again == *spec, text.c_str());
        // What came later belongs to the hash only where it is used.
        QVERIFY(specHash(*spec) != specHash(*read("training: {loss: categorical_crossentropy, optimizer: {name: adamw}}")));
    }
    void keysAreChecked() {
        const auto codeOf = [](const std::string& text) { return parseRunSpec(kSmall + text, "spec.yaml").error().code; };
        QCOMPARE(codeOf("training: {optimizer: {clipnorm: 1, clipvalue: 1}}"), std::string("S411"));
        QCOMPARE(codeOf("training: {optimizer: {schedule: {name: cosine_decay}}}"), std::string("S417"));
        QCOMPARE(codeOf("training: {loss_options: {label_smoothing: 0.1}}"), std::string("S418"));
        QCOMPARE(codeOf("training: {optimizer: {name: lion, rho: 0.5}}"), std::string("S307"));
        QCOMPARE(codeOf("training: {optimizer: {name: nadam}}"), std::string("X009"));
        QCOMPARE(codeOf("model: {layers: [{class_name: flatten, data_format: channels_first}]}"), std::string("X009"));
    }
    void callbacksHaveKerasDefaults() {
        const auto spec = parseRunSpec(kSmall +
                                           "training: {callbacks: [EarlyStopping, {name: reduce_on_plateau, factor: 0.5, min_lr: 1}]}\n"
                                           "stop: {target: \"val_loss <= 0.25\", time: 2m}\n",
                                       "spec.yaml");
        VERIFY_OK(spec);
        const auto& callbacks = spec->training.callbacks;
        QCOMPARE(callbacks.size(), std::size_t{2});
        QCOMPARE(callbacks[0].name, std::string("early_stopping"));
        QVERIFY(settingOf(callbacks[0], "monitor") == nn::Setting(std::string("val_loss")));
        QVERIFY(settingOf(callbacks[0], "patience") == nn::Setting(std::int64_t{0}));
        QVERIFY(settingOf(callbacks[0], "baseline") == nn::Setting(std::monostate{}));
        QVERIFY(settingOf(callbacks[1], "factor") == nn::Setting(0.5));
        QVERIFY(settingOf(callbacks[1], "min_delta") == nn::Setting(0.0001));
        QVERIFY(settingOf(callbacks[1], "patience") == nn::Setting(std::int64_t{10}));
        const auto target = parseStopTarget(*spec->stopTarget, "spec.yaml");
        VERIFY_OK(target);
        QVERIFY(target->monitor == "val_loss" && !target->greater && target->value == 0.25);
        QCOMPARE(spec->stopTime->count(), 120.0);
        QCOMPARE(parseRunSpec(printRunSpec(*spec), "printed.yaml").value() == *spec, true);
    }
    void defaultsFollowTheOptimizer() {
        const auto of = [](const std::string& name) {
            return parseRunSpec(kSmall + "training: {optimizer: {name: " + name + "}}", "spec.yaml")->training.optimizer;
        };
        QVERIFY(of("lion") == nn::optimizerDefaults("lion"));
        QVERIFY(of("adamw") == nn::optimizerDefaults("adamw"));
        QVERIFY(of("sgd") == nn::optimizerDefaults("sgd"));
    }
};

LOCKSTEP_TEST(ModelKeysTest)
#include "model_keys_test.moc"
