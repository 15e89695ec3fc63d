// `lockstep evaluate` on the weights of runs, and which weights are taken.
#include "trained_program.h"

#include <data/npy.h>

#include <cmath>
#include <csignal>
#include <cstring>

using namespace lockstep;
using test::codeOf;
using test::Ended;
using test::Json;
using test::kMlp;
using test::kPictures;
using test::kTraining;
using test::npyOf;
using test::specOf;
namespace fs = std::filesystem;

class EvaluateTest : public QObject {
    Q_OBJECT

    std::unique_ptr<test::TrainedProgram> m_program;

private slots:
    void init() { m_program = std::make_unique<test::TrainedProgram>(); }
    void cleanup() { m_program.reset(); }

    void evaluateGivesWhatTheRunRecorded_data() {
        QTest::addColumn<int>("devices");
        QTest::newRow("one device") << 1;
        QTest::newRow("two devices") << 2;
    }
    void evaluateGivesWhatTheRunRecorded() {
        QFETCH(int, devices);
        const Json result = m_program->trained(specOf(
            kMlp, kTraining + ", metrics: [accuracy, sparse_top_k_categorical_accuracy], metric_options: {k: 2}", kPictures, devices));
        const Json found = m_program->told({"evaluate", "last"});
        QVERIFY2(std::abs(found["loss"].get<double>() / result["val_loss"].get<double>() - 1) < 1e-6, found.dump().c_str());
        QVERIFY(std::abs(found["metrics"]["accuracy"].get<double>() - result["val_accuracy"].get<double>()) < 1e-6);
        QVERIFY(found["metrics"].contains("sparse_top_k_categorical_accuracy"));
        QCOMPARE(found["data"]["rows"].get<int>(), 24);
        QCOMPARE(found["checkpoint"]["step"].get<int>(), result["steps"].get<int>());
        QCOMPARE(found["run"], result["run"]);
        QCOMPARE(m_program->told({"evaluate", "last", "--split", "training"})["data"]["rows"].get<int>(), 72);
        const auto text = m_program->run({"evaluate", "last"});
        QVERIFY2(text.out.find("24 validation rows of synthetic") != std::string::npos && text.out.find("  loss ") != std::string::npos,
                 text.out.c_str());
        const Json reference = m_program->told({"evaluate", "last", "--executor", "ref"});
        QVERIFY(std::abs(reference["loss"].get<double>() - found["loss"].get<double>()) < 1e-5);
    }
    // The weights that Keras saved, kept as they are by a rate of 0: its own numbers.
    void kerasWeightsGiveKerasNumbers() {
        fs::copy_file(test::sourceDir() / "tests/fixtures/keras/cnn-adam-after20.keras", m_program->file("cnn.keras"));
        m_program->trained(
            specOf("{keras: cnn.keras}", "global_batch_size: 32, steps: 1, optimizer: {name: sgd, learning_rate: 0}", "{dataset: mnist}"));
        const auto text = readFile(test::sourceDir() / "tests/fixtures/inference/keras.json");
        VERIFY_OK(text);
        const Json expected = Json::parse(*text)["models"][0];
        const Json found = m_program->told({"evaluate", "last"});
        QVERIFY2(std::abs(found["loss"].get<double>() / expected["loss"].get<double>() - 1) < 2e-6, found.dump().c_str());
        QVERIFY(std::abs(found["metrics"]["accuracy"].get<double>() - expected["accuracy"].get<double>()) < 1e-6);
    }
    void otherRows() {
        m_program->trained(specOf(kMlp, kTraining, kPictures));
        std::vector<std::int64_t> labels = {0, 1, 2, 3, 0};
        fs::create_directories(m_program->file("more"));
        m_program->writeBytes("more/x.npy", "(5, 8, 8)", 5 * 64);
        m_program->write("more/y.npy", npyOf("<i8", "(5,)", labels.data(), 40));
        const Json found = m_program->told({"evaluate", "last", "data.dataset=npy", "data.path=more", "data.shape=[]"});
        QCOMPARE(found["data"]["rows"].get<int>(), 5);
        QCOMPARE(found["data"]["split"].get<std::string>(), std::string("all"));
        labels[4] = 4;
        m_program->write("more/y.npy", npyOf("<i8", "(5,)", labels.data(), 40));
        QCOMPARE(codeOf(m_program->run({"evaluate", "last", "data.dataset=npy", "data.path=more", "data.shape=[]", "--json"})),
                 std::string("F613"));
        m_program->writeBytes("more/x.npy", "(5, 8, 7)", 5 * 56);
        labels[4] = 0;
        m_program->write("more/y.npy", npyOf("<i8", "(5,)", labels.data(), 40));
        QCOMPARE(codeOf(m_program->run({"evaluate", "last", "data.dataset=npy", "data.path=more", "data.shape=[]", "--json"})),
                 std::string("S414"));
        QCOMPARE(codeOf(m_program->run({"evaluate", "last", "data.path=none", "data.dataset=npy", "--json"})), std::string("F602"));
        QCOMPARE(m_program->run({"evaluate", "last", "training.epochs=3"}).code, 2);
    }
    void withoutRowsForValidation() {
        m_program->write("few.csv", "a,b\n1,0\n2,1\n3,0\n4,1\n");
        m_program->trained(
            specOf("{layers: [{class_name: Dense, units: 2}]}", "global_batch_size: 2, steps: 3", "{dataset: csv, path: few.csv}"));
        const auto refused = m_program->run({"evaluate", "last", "--json"});
        QCOMPARE(codeOf(refused), std::string("F647"));
        QCOMPARE(refused.code, 3);
        QCOMPARE(m_program->told({"evaluate", "last", "--split", "training"})["data"]["rows"].get<int>(), 4);
    }

    void checkpoints() {
        const Json result =
            m_program->trained(specOf(kMlp, kTraining + ", callbacks: [{name: model_checkpoint, monitor: loss, mode: max}]", kPictures));
        const fs::path folder = result["folder"].get<std::string>();
        // The first epoch was the worst, which counts as the best here.
        const Json best = m_program->told({"evaluate", "last", "--checkpoint", "best"});
        QCOMPARE(best["checkpoint"]["epochs"].get<int>(), 1);
        const Json newest = m_program->told({"evaluate", "last"});
        QVERIFY(best["loss"].get<double>() > newest["loss"].get<double>());
        const int step = result["steps"].get<int>();
        QCOMPARE(m_program->told({"evaluate", "last", "--checkpoint", QString::number(step)})["loss"], newest["loss"]);
        auto refused = m_program->run({"evaluate", "last", "--checkpoint", "7", "--json"});
        QCOMPARE(codeOf(refused), std::string("C707"));
        QCOMPARE(refused.code, 2);
        QVERIFY(refused.out.find(std::to_string(step)) != std::string::npos);
        QCOMPARE(m_program->run({"evaluate", "last", "--checkpoint", "some"}).code, 2);
        // Damaged: the one before is taken and said, and when there is none the damage.
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(folder / "checkpoints"))
            if (entry.path().extension() == ".lsc") files.push_back(entry.path());
        for (const fs::path& one : files) fs::resize_file(one, fs::file_size(one) - 3);
        QCOMPARE(codeOf(m_program->run({"evaluate", "last", "--json"})), std::string("C701"));
        QCOMPARE(codeOf(m_program->run({"evaluate", "last", "--checkpoint", QString::number(step), "--json"})), std::string("C701"));
        fs::remove_all(folder / "checkpoints");
        fs::create_directories(folder / "checkpoints");
        refused = m_program->run({"predict", "last", "x.npy", "--json"});
        QCOMPARE(codeOf(refused), std::string("C706"));
        fs::remove_all(folder / "best");
        QCOMPARE(codeOf(m_program->run({"evaluate", "last", "--checkpoint", "best", "--json"})), std::string("C707"));
        QCOMPARE(codeOf(m_program->run({"evaluate", "nobody", "--json"})), std::string("R531"));
    }
    // Another architecture in the run's specification: its weights are not these.
    void otherArchitecture() {
        const Json result = m_program->trained(specOf(kMlp, kTraining, kPictures));
        const fs::path spec = fs::path(result["folder"].get<std::string>()) / "spec.yaml";
        auto text = readFile(spec);
        VERIFY_OK(text);
        const auto at = text->find("units: 8");
        QVERIFY2(at != std::string::npos, text->c_str());
        text->replace(at, 8, "units: 9");
        VERIFY_OK(replaceFile(spec, *text));
        QCOMPARE(codeOf(m_program->run({"evaluate", "last", "--json"})), std::string("C702"));
    }
    void divergedWeights() {
        m_program->trained(specOf(kMlp, "global_batch_size: 16, steps: 6, optimizer: {name: sgd, learning_rate: 1e38}", kPictures) +
                           "stop: {nan: false}\n");
        m_program->writeBytes("x.npy", "(3, 8, 8, 1)", 3 * 64);
        const auto evaluated = m_program->run({"evaluate", "last", "--json"});
        QCOMPARE(codeOf(evaluated), std::string("R571"));
        QCOMPARE(evaluated.code, 1);
        const auto predicted = m_program->run({"predict", "last", "x.npy", "--json"});
        QCOMPARE(codeOf(predicted), std::string("R571"));
        QVERIFY2(predicted.out.find("have diverged") != std::string::npos, predicted.out.c_str());
    }
    // While it still trains, the newest checkpoint counts; Ctrl+C ends the command, not the run.
    void runningRunAndInterrupt() {
        m_program->write("own.yaml", specOf(kMlp, "global_batch_size: 16, epochs: 1000000", kPictures) + "checkpoint: {every: 200ms}\n");
        const auto started = m_program->run({"run", "own.yaml", "--detach", "--json"}, 60);
        QVERIFY2(started.code == 0, (started.out + started.err).c_str());
        Ended ended;
        for (int i = 0; i < 40; ++i) {
            ended = m_program->run({"evaluate", "last"}, 60);
            if (ended.code == 0) break;
            QVERIFY2(ended.err.find("C706") != std::string::npos, ended.err.c_str());
            QTest::qWait(250);
        }
        QVERIFY2(ended.code == 0, ended.err.c_str());
        QVERIFY2(ended.err.find("still trains") != std::string::npos && ended.out.find("checkpoint of step ") != std::string::npos,
                 (ended.out + ended.err).c_str());
        const auto stopped = m_program->run({"stop", "last"}, 60);
        QVERIFY2(stopped.code == 0, stopped.err.c_str());
        // Rows enough for a while.
        const auto process = m_program->start({"evaluate", "last", "data.rows=4000000", "--split", "training"});
        QTest::qWait(300);
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QCOMPARE(m_program->finish(*process, 20).code, 130);
    }
};

LOCKSTEP_TEST(EvaluateTest)
#include "evaluate_test.moc"
