// Whole steps under Keras' mixed policies: cpu against ref, which rounds the same results but not always the same way at a tie. And updates
// that a condition keeps from happening.
#include <support/test.h>

#include <base/random.h>
#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>
#include <passes/pipeline.h>

#include <cmath>
#include <cstring>
#include <map>

using namespace lockstep;
using graph::DType;
using graph::OpKind;

namespace {

constexpr std::int64_t kRows = 3;

std::vector<float> random(std::size_t count, std::uint64_t seed, double size) {
    Philox generator(seed, 0);
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(size * (2 * generator.nextDouble() - 1));
    return values;
}

// Outputs of one step from the same weights and rows.
Result<std::map<std::string, double>> outputsOf(exec::Executor& executor, const graph::Graph& graph, int threads) {
    exec::CompileOptions options;
    options.threads = threads;
    options.guardBytes = 64;
    LS_TRY_ASSIGN(const auto program, executor.compile(graph, options));
    const auto states = graph.nodesOf(OpKind::State);
    for (std::size_t i = 0; i < states.size(); ++i) {
        const auto& node = graph.node(states[i]);
        const auto count = static_cast<std::size_t>(node.outputs[0].shape.elements());
        const double fan = static_cast<double>(count) / static_cast<double>(count == 1 ? 1 : node.outputs[0].shape.back());
        std::vector<float> values = random(count, i, std::sqrt(3 / fan));
        if (node.name.ends_with("gamma") || node.name.ends_with("variance")) values.assign(count, 1.0F);
        if (graph::textAttribute(node.attributes, "role") == "slot") values.assign(count, node.name == nn::kLossScale ? 1024.0F : 0.0F);
        program->writeState(i, std::as_bytes(std::span(values)));
    }
    std::vector<std::vector<float>> values;
    for (const auto id : graph.nodesOf(OpKind::Input)) {
        const auto& node = graph.node(id);
        auto& one = values.emplace_back(random(static_cast<std::size_t>(node.outputs[0].shape.elements()), 99, 1));
        if (node.name == "count") one = {static_cast<float>(kRows)};
        if (node.name == "weights") one.assign(one.size(), 1.0F / static_cast<float>(kRows));
        if (node.outputs[0].shape.rank() == 0 && node.name != "count") one = {1.0F};
        if (node.outputs[0].dtype != DType::I32) continue;
        for (std::size_t i = 0; i < one.size(); ++i) {
            const auto number = static_cast<std::int32_t>(i % 2);
            std::memcpy(&one[i], &number, sizeof number);
        }
    }
    std::vector<const std::byte*> feeds;
    for (const auto& one : values) feeds.push_back(reinterpret_cast<const std::byte*>(one.data()));
    LS_TRY(program->run({feeds}));
    if (!program->intact()) return makeError("X001", {{"what", "a guard was overwritten"}});
    std::map<std::string, double> found;
    for (const char* name : {"loss", "gradient_norm"}) {
        float value = 0;
        std::memcpy(&value, program->output(name).data(), sizeof value);
        found[name] = static_cast<double>(value);
    }
    return found;
}

}  // namespace

class MixedStepTest : public QObject {
    Q_OBJECT
private slots:
    void cpuAgainstRef_data() {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<QString>("policy");
        for (const char* policy : {"mixed_bfloat16", "mixed_float16"})
            for (const char* preset : {"mlp", "cnn", "resnet20", "transformer_classifier"})
                QTest::newRow(qPrintable(QString("%1 %2").arg(preset, policy))) << preset << policy;
    }
    void cpuAgainstRef() {
        QFETCH(QString, preset);
        QFETCH(QString, policy);
        nn::ModelOptions options;
        options.preset = preset.toStdString();
        options.policy = policy.toStdString();
        if (preset == "resnet20") options.inputShape = {16, 16, 3};
        if (preset == "transformer_classifier") options.inputShape = {20};
        if (preset == "transformer_classifier") options.classes = 2;
        const auto model = nn::buildModel(options, kRows, DType::F32);
        VERIFY_OK(model);
        passes::TrainStepOptions stepOptions;
        stepOptions.allReduce = false;
        stepOptions.optimizer.dynamicLossScale = policy == "mixed_float16";
        const auto step = passes::makeTrainStep(*model, stepOptions);
        VERIFY_OK(step);
        const auto cpu = exec::cpu::makeCpuExecutor();
        const auto ref = exec::ref::makeRefExecutor();
        const auto expected = outputsOf(*ref, step->graph, 1);
        VERIFY_OK(expected);
        for (const int threads : {1, 2}) {
            const auto found = outputsOf(*cpu, step->graph, threads);
            VERIFY_OK(found);
            for (const auto& [name, value] : *expected) {
                const double limit = name == "loss" ? 0.02 : 0.1;
                QVERIFY(std::isfinite(value) && value > 0);
                QVERIFY2(
                    std::abs(found->at(name) - value) < limit * value,
                    qPrintable(QString("%1 is %2, on ref %3, %4 threads").arg(name.c_str()).arg(found->at(name)).arg(value).arg(threads)));
            }
        }
    }
    void updatesHappenOnlyUnderTheirCondition() {
        graph::Graph graph;
        const graph::TensorType vector{DType::F32, {3}}, scalar{DType::F32, {}};
        const auto weight = graph.state("w", vector, "weight").value(), gradient = graph.input("g", vector).value();
        const auto rate = graph.input("rate", scalar).value(), finite = graph.input("finite", scalar).value();
        VERIFY_OK(graph.append(OpKind::UpdateIf, "if", {finite}));
        VERIFY_OK(graph.append(OpKind::SgdUpdate, "update", {weight, gradient, rate}, {{"momentum", 0.0}, {"nesterov", std::int64_t{0}}}));
        const std::vector<float> start = {1, 2, 3}, slope = {1, 1, 1}, moved = {0.5F, 1.5F, 2.5F};
        const float half = 0.5F, no = 0, yes = 1;
        for (const auto& executor : {exec::ref::makeRefExecutor(), exec::cpu::makeCpuExecutor()}) {
            const auto program = executor->compile(graph, {});
            VERIFY_OK(program);
            std::vector<float> now(3);
            (*program)->writeState(0, std::as_bytes(std::span(start)));
            const auto run = [&](const float& condition) {
                const std::byte* feeds[] = {reinterpret_cast<const std::byte*>(slope.data()), reinterpret_cast<const std::byte*>(&half),
                                            reinterpret_cast<const std::byte*>(&condition)};
                const bool done = (*program)->run({feeds}).ok();
                (*program)->readState(0, std::as_writable_bytes(std::span(now)));
                return done;
            };
            QVERIFY(run(no));
            QCOMPARE(now, start);
            QVERIFY(run(yes));
            QCOMPARE(now, moved);
        }
    }
};

LOCKSTEP_TEST(MixedStepTest)
#include "mixed_step_test.moc"
