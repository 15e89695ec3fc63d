// Models, losses, optimizers and callbacks of a specification, through the program.
#include "program.h"

#include <support/test.h>

#include <base/file.h>

#include <cmath>
#include <map>

using namespace lockstep;
using test::Json;
using test::Program;

namespace {

// 48 pictures in 6 batches of 8.
const std::string kData = "{dataset: synthetic, rows: 48, shape: [8, 8, 1], classes: 4, shuffle: false}";

std::string specOf(const std::string& model, const std::string& training, const std::string& data = kData, int devices = 1,
                   const std::string& more = "") {
    const std::string names = devices == 1 ? "\"cpu:0\"" : "\"cpu:0\", \"cpu:1\"";
    return "schema: 1\nname: keys\nstrategy: MirroredStrategy\ncluster:\n  hosts: [{name: here, devices: [" + names +
           "]}]\n  oversubscribe: true\nmodel: " + model + "\ndata: " + data + "\ntraining: {" + training + "}\n" + more;
}

}  // namespace

class TrainingTest : public QObject {
    Q_OBJECT

    Json runOf(const std::string& spec, int code = 0) {
        [&] { QVERIFY(replaceFile(m_program->folder() / "own.yaml", spec).ok()); }();
        const auto ended = m_program->run({"run", "own.yaml", "--json"}, 120);
        [&] { QVERIFY2(ended.code == code, (ended.out + ended.err).c_str()); }();
        return ended.json();
    }
    // Of the last run: step → value.
    std::map<int, double> seriesOf(const char* name) {
        std::map<int, double> values;
        const auto told = m_program->run({"metrics", "last", "--series", name, "--json=lines"});
        for (const auto& line : QString::fromStdString(told.out).split('\n', Qt::SkipEmptyParts)) {
            const Json point = Json::parse(line.toStdString());
            values[point["step"].get<int>()] = point["value"].get<double>();
        }
        return values;
    }
    std::unique_ptr<Program> m_program;

private slots:
    void init() { m_program = std::make_unique<Program>(); }
    void cleanup() { m_program.reset(); }

    void presets_data() {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<int>("batch");
        for (const char* preset : {"resnet20", "mobilenet", "transformer_classifier"}) QTest::newRow(preset) << QString(preset) << 8;
        QTest::newRow("resnet50") << QString("resnet50") << 2;
    }
    void presets() {
        QFETCH(QString, preset);
        QFETCH(int, batch);
        const auto result = runOf(specOf("{preset: " + preset.toStdString() + "}",
                                         "global_batch_size: " + std::to_string(batch) + ", steps: 2, optimizer: {name: lamb, clipnorm: 1}",
                                         "{dataset: synthetic, rows: 16, shape: [32, 32, 3]}"));
        QCOMPARE(result["state"].get<std::string>(), std::string("completed"));
        QVERIFY(std::isfinite(result["loss"].get<double>()));
    }
    void optimizersLearn_data() {
        QTest::addColumn<QString>("optimizer");
        for (const char* optimizer : {"{name: adamw, learning_rate: 0.01}", "{name: rmsprop, centered: true, momentum: 0.5}",
                                      "{name: adagrad, learning_rate: 0.05}", "{name: lion, learning_rate: 0.002}",
                                      "{name: lamb, learning_rate: 0.02, global_clipnorm: 5}",
                                      "{name: adam, amsgrad: true, learning_rate: 0.01, weight_decay: 0.001, clipvalue: 1}",
                                      "{name: sgd, momentum: 0.9, loss_scale_factor: 1024}",
                                      "{name: sgd, learning_rate: 0.05, use_ema: true, ema_momentum: 0.5, ema_overwrite_frequency: 3}"})
            QTest::newRow(optimizer) << QString(optimizer);
    }
    void optimizersLearn() {
        QFETCH(QString, optimizer);
        runOf(specOf("{preset: mlp}", "global_batch_size: 8, epochs: 4, optimizer: " + optimizer.toStdString()));
        const auto losses = seriesOf("epoch_loss");
        QCOMPARE(losses.size(), std::size_t{4});
        QVERIFY2(losses.at(24) < 0.9 * losses.at(6), (std::to_string(losses.at(6)) + " " + std::to_string(losses.at(24))).c_str());
    }
    void shapesAreToldBeforeAnythingRuns_data() {
        QTest::addColumn<QString>("layers");
        QTest::addColumn<QStringList>("says");
        QTest::newRow("add")
            << "[{class_name: conv2d, name: a, filters: 4, kernel_size: 3}, {class_name: conv2d, name: b, filters: 4, "
               "kernel_size: 3, inputs: [input]}, {class_name: conv2d, name: c, filters: 5, kernel_size: 3, inputs: [input]}, "
               "{class_name: add, name: sum, inputs: [b, c]}, {class_name: flatten}, {class_name: dense, units: 4}]"
            << QStringList{"sum", "axis 3", "6, 6, 4", "6, 6, 5"};
        QTest::newRow("window")
            << "[{class_name: conv2d, name: wide, filters: 4, kernel_size: 9}, {class_name: flatten}, {class_name: dense, "
               "units: 4}]"
            << QStringList{"wide", "8, 8, 1"};
        QTest::newRow("classes") << "[{class_name: flatten}, {class_name: dense, name: out, units: 5}]" << QStringList{"4 classes"};
    }
    void shapesAreToldBeforeAnythingRuns() {
        QFETCH(QString, layers);
        QFETCH(QStringList, says);
        QVERIFY(replaceFile(m_program->folder() / "own.yaml", specOf("{layers: " + layers.toStdString() + "}", "steps: 1")).ok());
        for (const char* command : {"validate", "plan", "run"}) {
            const auto ended = m_program->run({command, "own.yaml"});
            QCOMPARE(ended.code, 3);
            QVERIFY2(ended.err.starts_with("error S403"), ended.err.c_str());
            for (const QString& word : says) QVERIFY2(ended.err.find(word.toStdString()) != std::string::npos, ended.err.c_str());
        }
        QVERIFY(!std::filesystem::exists(m_program->folder() / "runs") || std::filesystem::is_empty(m_program->folder() / "runs"));
    }
    void modelFile() {
        const auto files = test::sourceDir() / "tests/fixtures/keras";
        std::filesystem::copy_file(files / "cnn.keras", m_program->folder() / "cnn.keras");
        const std::string training = "global_batch_size: 32, steps: 3, optimizer: {name: sgd, learning_rate: 0.01}";
        const auto trained = runOf(specOf("{keras: cnn.keras}", training, "{shuffle: false}", 2));
        QCOMPARE(trained["state"].get<std::string>(), std::string("completed"));
        const auto losses = seriesOf("loss");
        // Another start than the preset's own, so other losses; both begin near ln 10.
        runOf(specOf("{preset: cnn}", training, "{shuffle: false}", 2));
        const auto others = seriesOf("loss");
        QVERIFY(std::abs(losses.at(1) - others.at(1)) > 1e-4 && std::abs(losses.at(1) - std::log(10.0)) < 0.2);
        for (const char* bad : {"lambda.keras", "not_there.keras"}) {
            if (std::filesystem::exists(files / "bad" / bad)) std::filesystem::copy_file(files / "bad" / bad, m_program->folder() / bad);
            QVERIFY(replaceFile(m_program->folder() / "own.yaml", specOf("{keras: " + std::string(bad) + "}", training)).ok());
            const auto refused = m_program->run({"plan", "own.yaml"});
            QVERIFY2(refused.code == 3 || refused.code == 1, refused.err.c_str());
            QVERIFY2(refused.err.find("F6") != std::string::npos, refused.err.c_str());
        }
    }
    void schedules() {
        runOf(specOf("{preset: mlp}",
                     "global_batch_size: 8, epochs: 1, optimizer: {name: sgd, learning_rate: 0.1, schedule: {name: "
                     "exponential_decay, decay_steps: 4, decay_rate: 0.5}}"));
        const auto rates = seriesOf("learning_rate");
        QCOMPARE(rates.size(), std::size_t{6});
        for (const auto& [step, rate] : rates) QVERIFY(std::abs(rate - 0.1 * std::pow(0.5, (step - 1) / 4.0)) < 1e-9);
    }
    // Four batches of 4 are one of 16, on one and on two devices; the schedule counts steps, or with Keras batches.
    void accumulation() {
        const std::string optimizer =
            "optimizer: {name: sgd, learning_rate: 0.1, schedule: {name: exponential_decay, decay_steps: 1, "
            "decay_rate: 0.5}}, epochs: 1";
        runOf(specOf("{preset: mlp}", "global_batch_size: 16, " + optimizer));
        const auto whole = seriesOf("loss");
        const std::string parts = "global_batch_size: 4, gradient_accumulation_steps: 4, " + optimizer;
        for (const int devices : {1, 2}) {
            const auto result = runOf(specOf("{preset: mlp}", parts, kData, devices));
            QCOMPARE(result["steps"].get<int>(), 3);
            const auto losses = seriesOf("loss");
            QCOMPARE(losses.size(), whole.size());
            for (const auto& [step, loss] : losses) QVERIFY(std::abs(loss - whole.at(step)) < 1e-5);
        }
        runOf(specOf("{preset: mlp}", parts + ", keras_compatible: true"));
        const auto rates = seriesOf("learning_rate");
        for (const auto& [step, rate] : rates) QVERIFY(std::abs(rate - 0.1 * std::pow(0.5, 4 * step - 1)) < 1e-9);
    }
    // y = Σx, as numbers of a table.
    void regression() {
        std::string table = "a,b,y\n";
        for (int row = 0; row < 64; ++row) {
            const double a = row % 8 / 8.0, b = row / 8 / 8.0;
            table += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(a + b) + "\n";
        }
        QVERIFY(replaceFile(m_program->folder() / "sum.csv", table).ok());
        const std::string data = "{dataset: csv, path: sum.csv, label: y, validation_split: 0.25}";
        const std::string layers = "{layers: [{class_name: Dense, units: 1}]}";
        for (const char* loss : {"mean_squared_error", "mean_absolute_error", "huber, loss_options: {delta: 0.5}"}) {
            const auto result = runOf(specOf(
                layers, std::string("global_batch_size: 8, epochs: 30, optimizer: {name: sgd, learning_rate: 0.1}, loss: ") + loss, data));
            QVERIFY2(result["val_loss"].get<double>() < 0.15, result.dump().c_str());
            QVERIFY(result["accuracy"].is_null());
            QVERIFY(seriesOf("val_mean_absolute_error").size() == 30);
        }
        QVERIFY(replaceFile(m_program->folder() / "own.yaml",
                            specOf("{layers: [{class_name: Dense, units: 2}]}", "loss: mean_squared_error", data))
                    .ok());
        const auto refused = m_program->run({"validate", "own.yaml"});
        QCOMPARE(refused.code, 3);
        QVERIFY2(refused.err.find("2 numbers for each row, and the data has 1") != std::string::npos, refused.err.c_str());
    }
    // Classes as numbers, and several metrics.
    void classesAsTargets() {
        const std::string two = "{dataset: synthetic, rows: 48, shape: [8, 8, 1], classes: 2}";
        const std::string one = "{layers: [{class_name: Flatten}, {class_name: Dense, units: 1, activation: sigmoid}]}";
        const std::string both = "{layers: [{class_name: Flatten}, {class_name: Dense, units: 2}]}";
        auto result = runOf(specOf(one,
                                   "global_batch_size: 8, epochs: 12, loss: binary_crossentropy, loss_options: {from_logits: false}, "
                                   "metrics: [mean_absolute_error, accuracy], optimizer: {name: adam, learning_rate: 0.01}",
                                   two));
        QVERIFY2(result["accuracy"].get<double>() > 0.8, result.dump().c_str());
        QCOMPARE(seriesOf("epoch_mean_absolute_error").size(), std::size_t{12});
        result = runOf(specOf(both,
                              "global_batch_size: 8, epochs: 12, loss: mean_squared_error, metrics: [categorical_accuracy], optimizer: "
                              "{name: adam, learning_rate: 0.01}",
                              two, 2));
        QVERIFY(seriesOf("epoch_categorical_accuracy").at(72) > 0.8);
    }
    void callbacks() {
        // Nothing is ever good enough: the rate halves, and training ends with its third epoch.
        const auto result = runOf(
            specOf("{preset: mlp}",
                   "global_batch_size: 8, epochs: 9, optimizer: {name: sgd, learning_rate: 0.1}, callbacks: [csv_log, {name: "
                   "early_stopping, monitor: loss, min_delta: 1000, patience: 2}, {name: ReduceLROnPlateau, monitor: loss, min_delta: "
                   "1000, patience: 1, factor: 0.5}, {name: model_checkpoint, monitor: loss}]"));
        QCOMPARE(result["epochs"].get<int>(), 3);
        QCOMPARE(result["state"].get<std::string>(), std::string("completed"));
        const auto rates = seriesOf("learning_rate");
        QVERIFY(std::abs(rates.at(12) - 0.1) < 1e-9 && std::abs(rates.at(13) - 0.05) < 1e-9);
        const std::filesystem::path folder = result["folder"].get<std::string>();
        const auto log = readFile(folder / "epochs.csv");
        VERIFY_OK(log);
        QVERIFY2(log->starts_with("epoch,accuracy,learning_rate,loss,val_accuracy,val_loss\n0,"), log->c_str());
        QCOMPARE(std::count(log->begin(), log->end(), '\n'), 4);
        QVERIFY(std::filesystem::exists(folder / "best"));
        QVERIFY(!std::filesystem::is_empty(folder / "best"));
    }
    void scheduler() {
        runOf(specOf("{preset: mlp}",
                     "global_batch_size: 8, epochs: 3, optimizer: {name: sgd, learning_rate: 0.1}, callbacks: [{name: "
                     "learning_rate_scheduler, factor: 0.5}]"));
        const auto rates = seriesOf("learning_rate");
        QVERIFY(std::abs(rates.at(6) - 0.1) < 1e-9 && std::abs(rates.at(7) - 0.05) < 1e-9 && std::abs(rates.at(18) - 0.025) < 1e-9);
    }
    void stopRules() {
        const std::string training = "global_batch_size: 8, epochs: 100000";
        auto result = runOf(specOf("{preset: mlp}", training, kData, 2, "stop: {target: \"loss <= 1000\"}\n"), 7);
        QCOMPARE(result["state"].get<std::string>(), std::string("stopped"));
        QCOMPARE(result["epochs"].get<int>(), 1);
        result = runOf(specOf("{preset: mlp}", training, kData, 2, "stop: {time: 300ms}\n"), 7);
        QCOMPARE(result["state"].get<std::string>(), std::string("stopped"));
        QVERIFY(result["steps"].get<int>() > 0);
    }
    // Without rows for validation there is no val_loss.
    void callbackThatCannotWatch() {
        QVERIFY(replaceFile(m_program->folder() / "few.csv", "a,b\n1,0\n2,1\n3,0\n4,1\n").ok());
        const auto few = [](const char* training, const char* more = "") {
            return specOf("{layers: [{class_name: Dense, units: 2}]}", "global_batch_size: 2, steps: 3" + std::string(training),
                          "{dataset: csv, path: few.csv}", 1, more);
        };
        const auto result = runOf(few(", callbacks: [early_stopping]"), 3);
        QCOMPARE(result["error"]["code"].get<std::string>(), std::string("S307"));
        // Known before anything starts.
        for (const char* command : {"validate", "plan"}) {
            const auto ended = m_program->run({command, "own.yaml"});
            QCOMPARE(ended.code, 3);
            QVERIFY2(ended.err.starts_with("error S307") &&
                         ended.err.find("callbacks.0 (early_stopping): it watches val_loss, and this run measures loss, accuracy") !=
                             std::string::npos &&
                         ended.err.find("data.validation_split") != std::string::npos,
                     ended.err.c_str());
        }
        QVERIFY(!std::filesystem::exists(m_program->folder() / "runs") || std::filesystem::is_empty(m_program->folder() / "runs"));
        QVERIFY(replaceFile(m_program->folder() / "own.yaml", few("", "stop: {target: \"auc >= 0.9\"}\n")).ok());
        QVERIFY(m_program->run({"validate", "own.yaml"}).err.find("stop.target: it watches auc") != std::string::npos);
        QVERIFY(replaceFile(m_program->folder() / "own.yaml", few(", callbacks: [csv_log, {name: early_stopping, monitor: loss}]")).ok());
        QCOMPARE(m_program->run({"validate", "own.yaml"}).code, 0);
    }
};

LOCKSTEP_TEST(TrainingTest)
#include "training_test.moc"
