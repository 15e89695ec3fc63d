// `lockstep run --profile`: where the time of a step goes, as a table, as JSON and as a Chrome trace.
#include "program.h"

#include <support/test.h>

#include <base/file.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace lockstep;
using test::Json;
using test::Program;

class ProfileTest : public QObject {
    Q_OBJECT

    static std::string preset(const char* name) { return (test::sourceDir() / "resources/presets" / name).string(); }
    static double sumOf(const Json& rows, const char* field) {
        return std::accumulate(rows.begin(), rows.end(), 0.0, [&](double sum, const Json& row) { return sum + row[field].get<double>(); });
    }

private slots:
    void init() { m_program = std::make_unique<Program>(); }
    void cleanup() { m_program.reset(); }

    void theStepIsAccountedFor() {
        const auto ended = m_program->run({"run", QString::fromStdString(preset("mnist-mlp.yaml")), "training.steps=50",
                                           "training.global_batch_size=32", "--profile", "--json"});
        QVERIFY2(ended.code == 0, (ended.out + ended.err).c_str());
        const Json profile = ended.json()["profile"][0];
        QCOMPARE(profile["steps"].get<int>(), 50);
        const double step = profile["step_seconds"].get<double>(), ops = sumOf(profile["kinds"], "seconds");
        QVERIFY(ops > 0 && ops < 1.01 * step);
        QVERIFY(std::abs(ops + profile["input_wait_seconds"].get<double>() + profile["other_seconds"].get<double>() - step) < 0.02 * step);
        QVERIFY(std::abs(sumOf(profile["ops"], "seconds") - ops) < 1e-9);
        // Two layers: two products forward, two for the kernels, one for the hidden layer's gradient.
        const auto products = std::ranges::find_if(profile["kinds"], [](const Json& kind) { return kind["op"] == "matmul"; });
        QVERIFY(products != profile["kinds"].end());
        QCOMPARE((*products)["count"].get<int>(), 5);
        // Two operations per multiply-add, one per bias and one per Relu, which the forward products do, too.
        QCOMPARE((*products)["flops"].get<double>(), 32 * (2.0 * (2 * 784 * 128 + 3 * 128 * 10) + 2 * 128 + 10));
        // All four weights are updated, though in one step.
        const auto update = std::ranges::find_if(profile["kinds"], [](const Json& kind) { return kind["op"] == "adam_update"; });
        QVERIFY((*update)["bytes"].get<double>() > 101770 * 4.0 * 6);
        const auto text = readFile(profile["file"].get<std::string>());
        VERIFY_OK(text);
        const Json trace = Json::parse(*text);
        double last = 0;
        for (const Json& event : trace["traceEvents"]) {
            if (event["ph"] != "X") continue;
            QVERIFY(event["ts"].get<double>() >= last - 1e-6);
            last = event["ts"].get<double>() + event["dur"].get<double>();
        }
        QVERIFY(last > 0 && last <= 1.01e6 * step);
    }
    void everyRankLeavesATrace() {
        const auto ended = m_program->run(
            {"run", QString::fromStdString(preset("mnist-mirrored.yaml")), "cluster.oversubscribe=true", "training.steps=20", "--profile"});
        QVERIFY2(ended.code == 0, (ended.out + ended.err).c_str());
        QVERIFY2(ended.out.find("Where the step of rank 0 goes: mean of 20 steps") != std::string::npos, ended.out.c_str());
        QVERIFY2(ended.out.find("conv2d_filter_grad") != std::string::npos, ended.out.c_str());
        QVERIFY2(ended.out.find("profile/rank-1.json") != std::string::npos, ended.out.c_str());
    }
    void withoutItNothingIsTimed() {
        const auto ended = m_program->run({"run", QString::fromStdString(preset("mnist-mlp.yaml")), "training.steps=5", "--json"});
        QVERIFY2(ended.code == 0, (ended.out + ended.err).c_str());
        QVERIFY(!ended.json().contains("profile"));
        QCOMPARE(m_program->run({"run", QString::fromStdString(preset("mnist-mlp.yaml")), "--profile", "--detach"}).code, 2);
    }

private:
    std::unique_ptr<Program> m_program;
};

LOCKSTEP_TEST(ProfileTest)
#include "profile_test.moc"
