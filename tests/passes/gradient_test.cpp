// Whole models against finite differences, and a step on two ranks against the same rows on one; computed by exec/ref in float64.
#include <support/test.h>

#include <base/random.h>
#include <exec_ref/ref_executor.h>
#include <passes/passes.h>
#include <passes/pipeline.h>

#include <cmath>
#include <cstring>

using namespace lockstep;
using namespace lockstep::passes;
using namespace lockstep::graph;

namespace {

using Bytes = std::vector<std::byte>;

Bytes bytesOf(const std::vector<double>& values) {
    Bytes bytes(values.size() * sizeof(double));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

std::vector<double> numbers(std::span<const std::byte> bytes) {
    std::vector<double> values(bytes.size() / sizeof(double));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

// Feeds of `rows` rows: random pictures and labels, uneven row weights; then rate and step, which only training asks for.
struct Feeds {
    std::vector<Bytes> bytes;
    std::vector<const std::byte*> pointers;

    Feeds(std::int64_t first, std::int64_t rows, std::int64_t features) {
        std::vector<double> x, weights;
        std::vector<std::int32_t> labels;
        for (std::int64_t row = first; row < first + rows; ++row) {
            Philox random(11, static_cast<std::uint64_t>(row));
            for (std::int64_t i = 0; i < features; ++i) x.push_back(random.nextNormal());
            labels.push_back(static_cast<std::int32_t>(random.nextBelow(5)));
            weights.push_back(0.1 + 0.2 * random.nextDouble());
        }
        Bytes labelBytes(labels.size() * sizeof(std::int32_t));
        std::memcpy(labelBytes.data(), labels.data(), labelBytes.size());
        bytes = {bytesOf(x), labelBytes, bytesOf(weights), bytesOf({0.05}), bytesOf({1})};
        for (const auto& feed : bytes) pointers.push_back(feed.data());
    }
    exec::StepInputs inputs() const { return {pointers}; }
};

// Holds the sums of a second rank, so that "all reduce" = mine + theirs; or records mine.
class OtherRank final : public exec::Collectives {
public:
    std::vector<std::vector<double>> theirs;
    std::vector<std::vector<double>> mine;

    Result<void> start(int bucket, std::span<std::byte> data, DType) override {
        auto values = numbers(data);
        mine.push_back(values);
        if (!theirs.empty()) {
            for (std::size_t i = 0; i < values.size(); ++i) values[i] += theirs[static_cast<std::size_t>(bucket)][i];
            std::memcpy(data.data(), values.data(), data.size());
        }
        return {};
    }
    Result<void> wait(int) override { return {}; }
};

struct Runner {
    std::unique_ptr<exec::Executor> executor = exec::ref::makeRefExecutor();
    std::unique_ptr<exec::Program> program;

    Runner(const nn::Model& model, const Graph& graph, exec::Collectives* collectives = nullptr) {
        exec::CompileOptions options;
        options.collectives = collectives;
        program = executor->compile(graph, options).value();
        for (std::size_t i = 0; i < model.weights.size(); ++i) {
            // Biases too, so that no unit starts on the edge of its relu.
            auto weight = model.weights[i];
            if (weight.initializer.name == "zeros") weight.initializer.name = "glorot_uniform";
            program->writeState(i, nn::initialValue(weight, 3, i));
        }
    }
    double output(const char* name) const { return numbers(program->output(name))[0]; }
    std::vector<double> state(const nn::Model& model, std::size_t index) const {
        Bytes bytes(model.weights[index].type.bytes());
        program->readState(index, bytes);
        return numbers(bytes);
    }
};

constexpr std::int64_t kRows = 4;
const std::vector<std::int64_t> kInput = {10, 10, 2};

nn::Model model(const QString& preset, std::int64_t rows = kRows) {
    return nn::buildModel({preset.toStdString(), kInput, 5}, rows, DType::F64).value();
}

}  // namespace

class GradientTest : public QObject {
    Q_OBJECT
private slots:
    void autodiffIsTheSlopeOfTheLoss_data() {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<bool>("fused");
        for (const char* preset : {"mlp", "cnn"}) {
            for (const bool fused : {false, true}) QTest::addRow("%s%s", preset, fused ? " fused" : "") << preset << fused;
        }
    }
    void autodiffIsTheSlopeOfTheLoss() {
        QFETCH(QString, preset);
        QFETCH(bool, fused);
        const nn::Model whole = model(preset);
        Draft draft{whole.forward, {}};
        VERIFY_OK(autodiff(draft));
        QCOMPARE(draft.gradients.size(), whole.weights.size());
        for (std::size_t i = 0; i < draft.gradients.size(); ++i) draft.graph.setOutput(std::to_string(i), draft.gradients[i].gradient);
        const Graph graph = fused ? fuse(draft.graph).value() : draft.graph;
        Runner run(whole, graph);
        const Feeds feeds(0, kRows, 200);
        VERIFY_OK(run.program->run(feeds.inputs()));
        std::vector<std::vector<double>> slopes;
        for (std::size_t i = 0; i < whole.weights.size(); ++i) slopes.push_back(numbers(run.program->output(std::to_string(i))));

        Philox random(5, 0);
        constexpr double kStep = 1e-6;
        for (std::size_t i = 0; i < whole.weights.size(); ++i) {
            for (int sample = 0; sample < 6; ++sample) {
                auto values = run.state(whole, i);
                const auto at = random.nextBelow(static_cast<std::uint32_t>(values.size()));
                const double kept = values[at];
                double losses[2];
                for (const int side : {0, 1}) {
                    values[at] = kept + (side == 0 ? -kStep : kStep);
                    run.program->writeState(i, bytesOf(values));
                    VERIFY_OK(run.program->run(feeds.inputs()));
                    losses[side] = run.output("loss");
                }
                values[at] = kept;
                run.program->writeState(i, bytesOf(values));
                const double wanted = (losses[1] - losses[0]) / (2 * kStep);
                QVERIFY2(std::abs(slopes[i][at] - wanted) < 1e-7 * (1 + std::abs(wanted)),
                         qPrintable(QStringLiteral("weight %1 at %2: %3, slope %4").arg(i).arg(at).arg(slopes[i][at]).arg(wanted)));
            }
        }
    }
    void twoRanksMakeTheStepOfOne_data() {
        QTest::addColumn<QString>("preset");
        QTest::newRow("mlp") << "mlp";
        QTest::newRow("cnn") << "cnn";
    }
    void twoRanksMakeTheStepOfOne() {
        QFETCH(QString, preset);
        TrainStepOptions options;
        options.optimizer.name = "sgd";  // linear in the gradient, so a small difference stays small
        options.optimizer.momentum = 0.9;
        options.bytesPerPack = 1000;
        const nn::Model half = model(preset, 3), whole = model(preset, 6);
        const auto halfStep = makeTrainStep(half, options);
        VERIFY_OK(halfStep);
        options.allReduce = false;
        options.disabled = {"fuse"};
        const auto wholeStep = makeTrainStep(whole, options);
        VERIFY_OK(wholeStep);

        OtherRank second, first;
        VERIFY_OK(Runner(half, halfStep->graph, &second).program->run(Feeds(3, 3, 200).inputs()));
        first.theirs = second.mine;
        Runner split(half, halfStep->graph, &first), alone(whole, wholeStep->graph);
        VERIFY_OK(split.program->run(Feeds(0, 3, 200).inputs()));
        VERIFY_OK(alone.program->run(Feeds(0, 6, 200).inputs()));

        for (const char* name : {"loss", "correct", "gradient_norm"}) {
            QVERIFY(std::abs(split.output(name) - alone.output(name)) <= 1e-13 * std::abs(alone.output(name)));
        }
        for (std::size_t i = 0; i < whole.weights.size(); ++i) {
            const auto a = split.state(half, i), b = alone.state(whole, i);
            for (std::size_t at = 0; at < a.size(); ++at) QVERIFY(std::abs(a[at] - b[at]) < 1e-13);
        }
    }
};

LOCKSTEP_TEST(GradientTest)
#include "gradient_test.moc"
