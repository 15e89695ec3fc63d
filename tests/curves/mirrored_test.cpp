// distribution.reduction: keras against real Keras 3 under MirroredStrategy: 2 and 4 replicas, uneven last batches, clipping, batch
// normalisation. The runs are those of a specification.
#include "spec_runs.h"

#include <base/file.h>
#include <support/test.h>

#include <comm/group.h>
#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>
#include <imports/keras_model.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <thread>

using namespace lockstep;
using nlohmann::json;
using telemetry::Series;

namespace {

constexpr double kExact = 1e-9, kRecorded = 1e-6;  // of float64 losses; of what was recorded in float32

std::filesystem::path folder() { return test::sourceDir() / "tests/fixtures/mirrored"; }

std::string specOf(const json& file, const std::string& reduction) {
    std::string devices, optimizer = "name: sgd";
    for (int i = 0; i < file.at("replicas"); ++i) devices += (i == 0 ? "\"cpu:" : ", \"cpu:") + std::to_string(i) + "\"";
    for (const auto& [key, value] : file.at("optimizer").at("args").items()) optimizer += ", " + key + ": " + value.dump();
    const std::string model = file.at("model") == "mlp" ? "{preset: mlp}"
                                                        : "{layers: [{class_name: Flatten}, {class_name: Dense, name: hidden, units: 16}, "
                                                          "{class_name: BatchNormalization, name: bn, momentum: 0.9}, {class_name: ReLU}, "
                                                          "{class_name: Dense, name: logits, units: 10}]}";
    return "name: mirrored\nstrategy: MirroredStrategy\ncluster: {hosts: [{name: here, devices: [" + devices + "]}]}\nmodel: " + model +
           "\ndata: {shuffle: false}\ntraining:\n  global_batch_size: " + file.at("global_batch").dump() + "\n  epochs: 1\n  optimizer: {" +
           optimizer + "}\ndistribution: {reduction: " + reduction + "}\n";
}

struct Ran {
    std::vector<double> losses;
    double epochLoss = 0;
    std::vector<train::StateTensor> weights;
};

Result<Ran> run(const json& file, const std::string& reduction, graph::DType dtype) {
    const int replicas = file.at("replicas");
    LS_TRY_ASSIGN(auto ranks, test::rankOptionsOf(specOf(file, reduction), replicas));
    const std::string weights = file.at("initial_weights");
    LS_TRY_ASSIGN(const auto keras, keras::readKeras(test::curveFolder() / weights));
    // Layers have names of their own in the file, but stand in the same order.
    nn::ModelOptions model;
    LS_TRY_ASSIGN(model.architecture, imports::architectureOf(keras, weights));
    LS_TRY_ASSIGN(const nn::Model built, nn::buildModel(model, 1, dtype));
    LS_TRY_ASSIGN(const auto initial, imports::weightsOf(keras, built, dtype, weights));
    const auto groups = comm::makeThreadGroups(replicas);
    Ran ran;
    std::vector<std::optional<Result<train::RankResult>>> results(ranks.size());
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        threads.emplace_back([&, rank] {
            train::RankOptions& options = ranks[rank];
            options.initialWeights = initial;
            options.dtype = dtype;
            options.data.order = bench::recordedRows(file.at("rows"));
            train::RankHooks hooks;
            if (rank == 0) {
                hooks.sample = [&](const telemetry::Sample& sample) {
                    if (sample.rank != telemetry::kNoRank) return;
                    if (sample.series == Series::Loss) ran.losses.push_back(sample.value);
                    if (sample.series == Series::EpochLoss) ran.epochLoss = sample.value;
                };
                hooks.finalStates = [&](std::span<const train::StateTensor> states) { ran.weights.assign(states.begin(), states.end()); };
            }
            const auto executor = dtype == graph::DType::F64 ? exec::ref::makeRefExecutor() : exec::cpu::makeCpuExecutor();
            results[rank] = train::runRank(options, *executor, *groups[rank], hooks);
        });
    threads.clear();
    for (auto& result : results)
        if (!result->ok()) return std::move(*result).error();
    return ran;
}

double valueAt(const train::StateTensor& tensor, std::size_t at) {
    if (tensor.type.dtype == graph::DType::F64) {
        double value = 0;
        std::memcpy(&value, tensor.bytes.data() + at * sizeof value, sizeof value);
        return value;
    }
    float value = 0;
    std::memcpy(&value, tensor.bytes.data() + at * sizeof value, sizeof value);
    return static_cast<double>(value);
}

double relative(double found, double expected) { return std::abs(found - expected) / std::abs(expected); }

double worstOf(const std::vector<double>& found, const json& expected) {
    if (found.size() != expected.size()) return 1e9;
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, relative(found[i], expected[i].get<double>()));
    return worst;
}

}  // namespace

class MirroredTest : public QObject {
    Q_OBJECT

    // Weights of the last step, moving statistics those of replica 0. A replica without a row makes Keras' gamma NaN; ours gets nothing
    // from it.
    static void compareWeights(const json& file, const Ran& ran) {
        const json& recorded = file.at("final_weights");
        QVERIFY(ran.weights.size() >= recorded.size());
        double worst = 0;
        for (std::size_t w = 0; w < recorded.size(); ++w) {
            QCOMPARE(ran.weights[w].type.shape.dims(), recorded[w].at("shape").get<std::vector<std::int64_t>>());
            for (std::size_t i = 0; i < recorded[w].at("at").size(); ++i) {
                const json& expected = recorded[w].at("values")[i];
                const double found = valueAt(ran.weights[w], recorded[w].at("at")[i]);
                QVERIFY(std::isfinite(found));
                if (expected.is_number()) worst = std::max(worst, std::abs(found - expected.get<double>()));
            }
        }
        QVERIFY2(worst < kRecorded, std::to_string(worst).c_str());
    }

private slots:
    void keras_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("exact");
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder())) {
            const std::string name = entry.path().stem().string();
            QTest::newRow((name + " float64").c_str()) << QString::fromStdString(name) << true;
            QTest::newRow((name + " cpu").c_str()) << QString::fromStdString(name) << false;
            ++count;
        }
        QCOMPARE(count, 12);
    }
    void keras() {
        QFETCH(QString, name);
        QFETCH(bool, exact);
        const auto text = readFile(folder() / (name.toStdString() + ".json"));
        VERIFY_OK(text);
        const json file = json::parse(*text);
        const auto ran = run(file, "keras", exact ? graph::DType::F64 : graph::DType::F32);
        VERIFY_OK(ran);
        // The rule in float64 where it was computed; equal replicas have the mean over the rows.
        const char* key = file.contains("step_loss_f64_mean_of_replicas") ? "step_loss_f64_mean_of_replicas" : "step_loss_f64_row_mean";
        if (exact && file.contains(key)) {
            const double worst = worstOf(ran->losses, file.at(key));
            QVERIFY2(worst < kExact, std::to_string(worst).c_str());
        }
        const double worst = worstOf(ran->losses, file.at("step_loss_logged"));
        QVERIFY2(worst < kRecorded, std::to_string(worst).c_str());
        const double epoch = relative(ran->epochLoss, file.at("epoch_loss"));
        QVERIFY2(epoch < kRecorded, std::to_string(epoch).c_str());
        compareWeights(file, *ran);
    }
    // The other reduction on the same rows: their exact mean.
    void rowsAreAnotherRule() {
        const auto text = readFile(folder() / "mlp-b32-tail5-mirrored4-keras3.json");
        VERIFY_OK(text);
        const json file = json::parse(*text);
        const auto ran = run(file, "rows", graph::DType::F64);
        VERIFY_OK(ran);
        QVERIFY(worstOf(ran->losses, file.at("step_loss_f64_row_mean")) < kExact);
        QVERIFY(relative(ran->losses.back(), file.at("step_loss_f64_mean_of_replicas").back().get<double>()) > 0.1);
    }
};

LOCKSTEP_TEST(MirroredTest)
#include "mirrored_test.moc"
