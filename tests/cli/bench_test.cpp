// `lockstep bench`: what is measured comes as a table and as JSON, with the exit code of the verdict.
#include "program.h"

#include <support/test.h>

#include <base/file.h>

#include <csignal>

using namespace lockstep;
using test::Json;
using test::Program;

namespace {

std::filesystem::path curves() { return test::sourceDir() / "tests/fixtures/keras"; }

QString path(const std::filesystem::path& file) { return QString::fromStdString(file.string()); }

}  // namespace

class BenchTest : public QObject {
    Q_OBJECT
private slots:
    void init() { m_program = std::make_unique<Program>(); }
    void cleanup() { m_program.reset(); }

    void curvesWithinToleranceAreOk() {
        const auto ended = m_program->run({"bench", "parity", path(curves() / "mlp-adam.json"), path(curves() / "cnn-sgd.json"), "--json"});
        QVERIFY2(ended.code == 0, (ended.out + ended.err).c_str());
        const Json report = ended.json();
        QCOMPARE(report["within_tolerance"].get<bool>(), true);
        QCOMPARE(report["curves"].size(), std::size_t{2});
        QCOMPARE(report["curves"][1]["model"].get<std::string>(), std::string("cnn"));
        QCOMPARE(report["curves"][0]["losses"].size(), report["curves"][0]["steps"].get<std::size_t>());
        QVERIFY(report["curves"][0]["loss_of_tolerance"].get<double>() < 1);
    }
    void aMissNamesStepAndDistance() {
        auto text = readFile(curves() / "mlp-sgd.json");
        VERIFY_OK(text);
        Json curve = Json::parse(*text);
        auto& loss = curve["loss_per_step_f64"][6];
        loss = loss.get<double>() * 1.01;
        std::filesystem::copy_file(curves() / "mlp.keras", m_program->folder() / "mlp.keras");
        VERIFY_OK(replaceFile(m_program->folder() / "off.json", curve.dump()));
        const auto ended = m_program->run({"bench", "parity", "off.json"});
        QCOMPARE(ended.code, 1);
        QVERIFY2(ended.out.find("missed") != std::string::npos, ended.out.c_str());
        QVERIFY2(ended.out.find("off.json: the loss of step 7 is ") != std::string::npos, ended.out.c_str());
        const Json miss = m_program->run({"bench", "parity", "off.json", "--json"}).json()["curves"][0]["miss"];
        QCOMPARE(miss["step"].get<int>(), 7);
        QVERIFY(std::abs(miss["relative"].get<double>() - (1 - 1 / 1.01)) < 1e-4);
    }
    void badFilesAreSaid() {
        const auto none = m_program->run({"bench", "parity", "none.json", "--json"});
        QCOMPARE(none.json()["error"]["code"].get<std::string>(), std::string("F602"));
        // Its weights are not beside it.
        std::filesystem::copy_file(curves() / "mlp-sgd.json", m_program->folder() / "alone.json");
        const auto alone = m_program->run({"bench", "parity", "alone.json"});
        QVERIFY2(alone.code != 0 && alone.err.find("mlp.keras") != std::string::npos, alone.err.c_str());
        QCOMPARE(m_program->run({"bench"}).code, 2);
    }

    // Recorded under mixed_bfloat16 it holds; a float32 curve trained so is further away than its tolerance.
    void sixteenBitCurves() {
        const auto own = m_program->run({"bench", "parity", path(curves() / "mlp-momentum-bf16.json"), "--json"});
        QVERIFY2(own.code == 0, (own.out + own.err).c_str());
        QCOMPARE(own.json()["curves"][0]["precision"].get<std::string>(), std::string("mixed_bfloat16"));
        const auto file = path(curves() / "mlp-momentum.json");
        double before = 0;
        for (const char* precision : {"float32", "mixed_float16", "mixed_bfloat16"}) {
            const auto ended = m_program->run({"bench", "parity", file, "--precision", precision, "--json"});
            const Json curve = ended.json()["curves"][0];
            QCOMPARE(curve["precision"].get<std::string>(), std::string(precision));
            QCOMPARE(ended.code, std::string(precision) == "float32" ? 0 : 1);
            const double worst = curve["worst_loss"]["relative"].get<double>();
            QVERIFY2(worst > before && worst < 0.05, ended.out.c_str());
            before = worst;
        }
        QCOMPARE(m_program->run({"bench", "parity", file, "--precision", "bfloat16"}).code, 2);
        QCOMPARE(m_program->run({"bench", "parity", file, "--precision", "mixed_bfloat16", "--float64"}).code, 2);
    }
    void sixteenBitRows() {
        const auto ended = m_program->run({"bench", "train", "--models", "mlp", "--threads", "1", "--seconds", "0.1", "--precision",
                                           "float32,mixed_bfloat16,mixed_float16", "--json"});
        QVERIFY2(ended.code == 0, (ended.out + ended.err).c_str());
        const Json rows = ended.json()["rows"];
        QCOMPARE(rows.size(), std::size_t{3});
        QCOMPARE(rows[1]["precision"].get<std::string>(), std::string("mixed_bfloat16"));
        for (const Json& row : rows) QVERIFY(row["images_per_second"].get<double>() > 0 && row["first_losses"][0].is_number());
        // Another arithmetic, not only another word.
        QVERIFY(rows[0]["first_losses"] != rows[1]["first_losses"] && rows[1]["first_losses"] != rows[2]["first_losses"]);
        QCOMPARE(m_program->run({"bench", "train", "--precision", "half"}).code, 2);
    }

    void trainingIsMeasured() {
        const auto ended =
            m_program->run({"bench", "train", "--models", "mlp", "--batch", "32,64", "--threads", "1", "--seconds", "0.1", "--json"});
        QVERIFY2(ended.code == 0, (ended.out + ended.err).c_str());
        const Json report = ended.json();
        QCOMPARE(report["rows"].size(), std::size_t{2});
        const Json& row = report["rows"][1];
        QCOMPARE(row["batch"].get<int>(), 64);
        // 784 · 128 and 128 · 10 products, forward and twice backward, but for the gradient of the input.
        const double products = 64 * 2.0 * (2 * 784 * 128 + 3 * 128 * 10);
        QVERIFY(row["flops"].get<double>() > products && row["flops"].get<double>() < 1.2 * products);
        const double perStep = row["seconds"].get<double>() / row["steps"].get<double>();
        QVERIFY(std::abs(row["images_per_second"].get<double>() * perStep / 64 - 1) < 1e-6);
        QVERIFY(row["seconds_p10"] <= row["seconds_p50"] && row["seconds_p50"] <= row["seconds_p90"]);
        QVERIFY(row["steps"].get<int>() >= 10 && row["first_step_seconds"].get<double>() > 0);
        QVERIFY(row["peak_bytes"].get<double>() > 10e6);
        QVERIFY(row["first_losses"][0].get<double>() > row["loss"].get<double>());
        QVERIFY(report["limits"][0]["flops_per_second"].get<double>() > 1e9 && report["limits"][0]["bytes_per_second"].get<double>() > 1e8);
    }
    void aCurveIsTrainedFromItsWeights() {
        const auto file = curves() / "mlp-sgd.json";
        const auto ended = m_program->run({"bench", "train", "--curve", path(file), "--threads", "1", "--seconds", "0.1", "--json"});
        QVERIFY2(ended.code == 0, (ended.out + ended.err).c_str());
        const Json row = ended.json()["rows"][0];
        auto text = readFile(file);
        VERIFY_OK(text);
        const Json recorded = Json::parse(*text)["loss_per_step_f64"];
        QCOMPARE(row["first_losses"].size(), recorded.size());
        for (std::size_t i = 0; i < recorded.size(); ++i)
            QVERIFY(std::abs(row["first_losses"][i].get<double>() / recorded[i].get<double>() - 1) < 1e-5);
    }
    // A report of another computer: nothing is measured.
    void reportsAreComparedAndExported() {
        Json report{{"schema", 1},
                    {"kind", "hardware-report"},
                    {"made", "2026-01-02T03:04:05.000Z"},
                    {"version", "0.1.0"},
                    {"host", {{"processor", "P"}, {"isa", "avx2"}, {"cores", 2}, {"memory_bytes", 1 << 30}}},
                    {"limits", Json::array({{{"threads", 1}, {"flops_per_second", 2e11}, {"bytes_per_second", 4e10}}})}};
        Json row{{"model", "mlp"},
                 {"batch", 32},
                 {"threads", 1},
                 {"precision", "float32"},
                 {"images_per_second", 1500.0},
                 {"seconds_p10", 0.02},
                 {"seconds_p50", 0.021},
                 {"seconds_p90", 0.03},
                 {"of_flops_limit", 0.5},
                 {"of_bytes_limit", 0.25},
                 {"peak_bytes", 1 << 20},
                 {"first_step_seconds", 0.1},
                 {"disturbed", false}};
        report["rows"].push_back(row);
        VERIFY_OK(replaceFile(m_program->folder() / "one.json", report.dump()));
        report["rows"][0]["images_per_second"] = 1000.0;
        VERIFY_OK(replaceFile(m_program->folder() / "two.json", report.dump()));
        const auto ended = m_program->run(
            {"bench", "hardware", "--from", "one.json", "--compare", "two.json", "--out", "a.csv", "--out", "a.md", "--out", "a.json"});
        QVERIFY2(ended.code == 0, (ended.out + ended.err).c_str());
        QVERIFY2(ended.out.find("1500") != std::string::npos && ended.out.find("1.50") != std::string::npos, ended.out.c_str());
        const auto csv = readFile(m_program->folder() / "a.csv"), markdown = readFile(m_program->folder() / "a.md"),
                   json = readFile(m_program->folder() / "a.json");
        VERIFY_OK(csv);
        QVERIFY2(csv->find("\nmlp,32,1,float32,1500.0,0.02,0.021,0.03,0.5,0.25,1048576,0.1,false\n") != std::string::npos, csv->c_str());
        VERIFY_OK(markdown);
        QVERIFY2(markdown->find("| mlp | 32 | 1 | float32 | 1500 |") != std::string::npos, markdown->c_str());
        VERIFY_OK(json);
        QCOMPARE(Json::parse(*json)["rows"][0]["images_per_second"].get<double>(), 1500.0);
        VERIFY_OK(replaceFile(m_program->folder() / "bad.json", R"({"kind": "hardware-report", "schema": 1, "rows": [{"model": 3}]})"));
        QVERIFY(m_program->run({"bench", "hardware", "--from", "bad.json"}).err.find("F638") != std::string::npos);
        QCOMPARE(m_program->run({"bench", "hardware", "--from", "one.json", "--out", "a.txt"}).code, 2);
    }
    void ctrlCEndsTheMeasurement() {
        auto process = m_program->start({"bench", "train", "--models", "mlp", "--threads", "1", "--seconds", "600"});
        QTest::qWait(1500);
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QCOMPARE(m_program->finish(*process, 20).code, 130);
    }

private:
    std::unique_ptr<Program> m_program;
};

LOCKSTEP_TEST(BenchTest)
#include "bench_test.moc"
