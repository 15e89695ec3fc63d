// Recorded training of real Keras against ours: exec/ref in float64 to 1e-9, exec/cpu in float32 within the tolerance recorded per step.
#include "recorded.h"

#include <base/file.h>
#include <support/test.h>

#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>

#include <nlohmann/json.hpp>

using namespace lockstep;

class CurveTest : public QObject {
    Q_OBJECT

    const std::unique_ptr<exec::Executor> m_cpu = exec::cpu::makeCpuExecutor();
    const std::unique_ptr<exec::Executor> m_ref = exec::ref::makeRefExecutor();

    static bool soak() { return qEnvironmentVariableIsSet("LOCKSTEP_SOAK"); }
    static void addCurves() {
        QTest::addColumn<QString>("name");
        for (const std::string& name : test::curveNames()) QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }

private slots:
    void recordedRowsFollowTheRule() {
        const auto rows = bench::recordedRows(64);
        QCOMPARE(rows[0], 51715U);
        QCOMPARE(rows[1], 46906U);
        const data::Split pictures = bench::recordedPictures(2);
        const std::vector<std::uint8_t> first = {21, 121, 101, 17, 17, 88, 125, 79, 75, 66, 116, 160};
        for (std::size_t i = 0; i < first.size(); ++i) QCOMPARE(std::to_integer<std::uint8_t>(pictures.features[i]), first[i]);
        QCOMPARE(pictures.labels[0], 3);
        QCOMPARE(pictures.labels[1], 0);
    }
    void allCurvesAreThere() { QCOMPARE(test::curveNames().size(), std::size_t{36}); }

    void cpu_data() { addCurves(); }
    void cpu() {
        QFETCH(QString, name);
        for (const int threads : {2, 1}) {
            if (threads == 1 && name.startsWith("resnet20") && !soak()) continue;
            auto options = test::parityOptions(name.toStdString(), graph::DType::F32);
            VERIFY_OK(options);
            options->compile.threads = threads;
            const auto result = bench::runParity(*options, *m_cpu);
            VERIFY_OK(result);
            qInfo("%d threads: loss %.2g of its tolerance, gradient norm %.2g of %.2g, weights %.2g of %.2g", threads,
                  result->worstOfTolerance, result->worstGradientNorm, options->curve.gradientNormTolerance, result->weightsDistance,
                  options->curve.weightsTolerance);
            QVERIFY(result->complete);
            QVERIFY2(result->withinTolerance, qPrintable(QString("loss is off by %1 at step %2, gradient norm by %3, weights by %4")
                                                             .arg(result->worstRelative)
                                                             .arg(result->worstStep)
                                                             .arg(result->worstGradientNorm)
                                                             .arg(result->worstWeight)));
        }
    }
    void ref_data() {
        QTest::addColumn<QString>("name");
        for (const std::string& name : test::curveNames()) {
            const bool once = name == "resnet20-adam" || name == "resnet20-momentum-l2" || name == "resnet20-sgd-clipnorm";
            if (soak() || once || !name.starts_with("resnet20")) QTest::newRow(name.c_str()) << QString::fromStdString(name);
        }
    }
    void ref() {
        QFETCH(QString, name);
        auto options = test::parityOptions(name.toStdString(), graph::DType::F64);
        VERIFY_OK(options);
        // A convolution net in plain loops takes minutes; its first updates already hold every formula.
        if (!soak() && options->curve.model == "resnet20") options->updates = 1;
        if (!soak() && options->curve.model == "cnn") options->updates = 2;
        const auto result = bench::runParity(*options, *m_ref);
        VERIFY_OK(result);
        qInfo("worst relative loss difference %.2g, gradient norm %.2g, weights %.2g", result->worstRelative, result->worstGradientNorm,
              result->worstWeight);
        QVERIFY(result->complete);
        QVERIFY2(result->withinTolerance, qPrintable(QString("loss is off by %1 at step %2, gradient norm by %3, weights by %4")
                                                         .arg(result->worstRelative)
                                                         .arg(result->worstStep)
                                                         .arg(result->worstGradientNorm)
                                                         .arg(result->worstWeight)));
    }
    // A curve that was not recorded so: another rate is out of every tolerance.
    void anotherRateIsSeen() {
        auto options = test::parityOptions("mlp-adam", graph::DType::F32);
        VERIFY_OK(options);
        options->curve.optimizer.learningRate *= 1.001;
        const auto result = bench::runParity(*options, *m_cpu);
        VERIFY_OK(result);
        QVERIFY(result->complete && !result->withinTolerance);
        QVERIFY(result->worstOfTolerance > 1);
    }
    void sameInputsGiveTheSameBits() {
        std::vector<bench::ParityResult> results;
        for (int i = 0; i < 2; ++i) {
            auto options = test::parityOptions("cnn-adam", graph::DType::F32);
            VERIFY_OK(options);
            options->compile.threads = 2;
            auto result = bench::runParity(*options, *m_cpu);
            VERIFY_OK(result);
            results.push_back(std::move(*result));
        }
        QCOMPARE(results[0].losses, results[1].losses);
        QCOMPARE(results[0].gradientNorms, results[1].gradientNorms);
    }
    void damagedFilesAreRefused() {
        const test::Scratch scratch;
        VERIFY_ERROR(bench::readCurve(scratch / "none.json"), "F602");
        const std::pair<const char*, const char*> files[] = {
            {"", "not JSON from line 1, column 1 on"},
            {"{\"model\": \"mlp\",\n  \"batch\": }", "not JSON from line 2, column 12 on"},
            {"{}", "it has no model"},
            {"[1]", "it is not an object"},
            {R"({"model": 3})", "model is not a text"},
            {R"({"model": "mlp", "initial_weights": "mlp.keras", "optimizer": {"class": "SGD", "args": {}}})",
             "optimizer.args has no learning_rate"},
        };
        for (const auto& [text, what] : files) {
            VERIFY_OK(replaceFile(scratch / "bad.json", text));
            const auto refused = bench::readCurve(scratch / "bad.json");
            VERIFY_ERROR(refused, "F637");
            QVERIFY2(refused.error().message.find(what) != std::string::npos, refused.error().message.c_str());
        }
    }
    // The place inside lists is said, too.
    void aDamagedWeightIsNamed() {
        const test::Scratch scratch;
        const auto text = readFile(test::sourceDir() / "tests/fixtures/keras/mlp-sgd.json", 16u << 20);
        VERIFY_OK(text);
        auto json = nlohmann::json::parse(*text);
        json["final_weights"][1]["at"][0] = -1;
        VERIFY_OK(replaceFile(scratch / "bad.json", json.dump()));
        const auto refused = bench::readCurve(scratch / "bad.json");
        VERIFY_ERROR(refused, "F637");
        QVERIFY2(refused.error().message.find("final_weights[1].at[0] is not a number from 0 on") != std::string::npos,
                 refused.error().message.c_str());
    }
};

LOCKSTEP_TEST(CurveTest)
#include "curve_test.moc"
