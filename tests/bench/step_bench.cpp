// A whole training step (forward, backward, gradient norm, Adam) against its convolutions and matrix products run alone by oneDNN in
// the same run: what is left for everything else. Short turns of both alternate, so that a disturbance hits both alike; of a round the
// quietest tenth counts, and the row is the median of the rounds. --cpu-time counts what one thread computes, not what passes.
// --policy mixed_bfloat16 measures that step against the float32 one instead, in the same run: "step" and "float32 step".
//   step_bench [--policy NAME] [--models mlp,lenet5,cnn,resnet20,mobilenet] [--batch N] [--threads N] [--turns N] [--cpu-time] [--profile]
//   [--json]
#include "kernels_alone.h"
#include "timing.h"

#include <base/thread.h>
#include <exec_cpu/bfloat16_probe.h>
#include <exec_cpu/cpu_executor.h>
#include <passes/pipeline.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace lockstep;
using namespace lockstep::bench;

namespace {

constexpr int kRounds = 5;

struct Settings {
    std::string models = "mlp,cnn,resnet20";
    std::string policy = "float32";
    std::int64_t batch = 32;
    int threads = 1;
    int turns = 0;  // of one round; 0 = by the model
    Counted clock = Counted::Wall;
    bool profile = false;
    bool json = false;
};

// A compiled training step with constant feeds.
class TrainingStep {
public:
    static Result<std::unique_ptr<TrainingStep>> create(const std::string& preset, const std::string& policy, const Settings& settings,
                                                        exec::Executor& executor) {
        auto step = std::make_unique<TrainingStep>();
        nn::ModelOptions modelOptions;
        modelOptions.preset = preset;
        modelOptions.policy = policy;
        if (preset == "resnet20" || preset == "mobilenet") modelOptions.inputShape = {32, 32, 3};
        LS_TRY_ASSIGN(const nn::Model model, nn::buildModel(modelOptions, settings.batch, graph::DType::F32));
        passes::TrainStepOptions options;
        options.allReduce = false;
        LS_TRY_ASSIGN(passes::TrainStep made, passes::makeTrainStep(model, options));
        step->m_graph = std::move(made.graph);
        exec::CompileOptions compile;
        compile.threads = settings.threads;
        compile.timeOps = settings.profile;
        const auto usable = usableProcessors();
        for (int i = 0; i < settings.threads; ++i)
            compile.processors.push_back(usable[usable.size() - 1 - static_cast<std::size_t>(i) % usable.size()]);
        LS_TRY_ASSIGN(step->m_program, executor.compile(step->m_graph, compile));
        step->fillStates();
        step->fillFeeds(settings.batch);
        return step;
    }
    void run() {
        const auto result = m_program->run({m_feeds});
        if (!result.ok()) std::fprintf(stderr, "%s\n", result.error().toText().c_str());
    }
    double loss() const {
        float value = 0;
        std::memcpy(&value, m_program->output("loss").data(), sizeof value);
        return static_cast<double>(value);
    }
    const graph::Graph& graph() const { return m_graph; }
    const exec::Program& program() const { return *m_program; }

    // Milliseconds per step by kind of op.
    void printProfile() const {
        std::map<std::string, std::pair<double, std::uint64_t>> byOp;
        double sum = 0;
        for (const auto& row : m_program->times()) {
            const auto id = m_graph.find(row.name);
            auto& [time, steps] = byOp[id ? std::string(graph::opRow(m_graph.node(*id).op).name) : row.name];
            time += row.seconds / static_cast<double>(row.calls);
            sum += row.seconds / static_cast<double>(row.calls);
            ++steps;
        }
        for (const auto& [op, entry] : byOp)
            std::printf("  %-28s %3llu steps %9.3f ms %5.1f %%\n", op.c_str(), static_cast<unsigned long long>(entry.second),
                        1e3 * entry.first, 100 * entry.first / sum);
    }

private:
    // Kernels about as large as He's rule makes them; gammas and moving variances one, other vectors zero.
    void fillStates() {
        const auto states = m_graph.nodesOf(graph::OpKind::State);
        for (std::size_t i = 0; i < states.size(); ++i) {
            const auto& node = m_graph.node(states[i]);
            const graph::Shape& shape = node.outputs[0].shape;
            if (graph::textAttribute(node.attributes, "role") == "slot") continue;
            auto values = pattern(static_cast<std::size_t>(shape.elements()));
            const double scale = std::sqrt(24.0 * static_cast<double>(shape.back()) / static_cast<double>(shape.elements()));
            const bool isOne = node.name.ends_with("gamma") || node.name.ends_with("variance");
            for (float& value : values) value = shape.rank() == 1 ? (isOne ? 1.0F : 0.0F) : value * static_cast<float>(scale);
            m_program->writeState(i, std::as_bytes(std::span(values)));
        }
    }
    void fillFeeds(std::int64_t batch) {
        const auto inputs = m_graph.nodesOf(graph::OpKind::Input);
        m_values.reserve(inputs.size());
        for (const auto id : inputs) {
            const auto& node = m_graph.node(id);
            auto& values = m_values.emplace_back(pattern(static_cast<std::size_t>(node.outputs[0].shape.elements())));
            if (node.name == "learning_rate") values = {0.001F};
            if (node.name == "step") values = {100.0F};
            if (node.name == "statistics_weight") values = {1.0F};
            if (node.name == "count") values = {static_cast<float>(batch)};
            if (node.name == "weights") values.assign(values.size(), 1.0F / static_cast<float>(batch));
            if (node.name == "labels")
                for (std::int32_t i = 0; i < static_cast<std::int32_t>(values.size()); ++i) {
                    const std::int32_t label = i % 10;
                    std::memcpy(&values[static_cast<std::size_t>(i)], &label, sizeof label);
                }
            m_feeds.push_back(reinterpret_cast<const std::byte*>(values.data()));
        }
    }
    graph::Graph m_graph;
    std::unique_ptr<exec::Program> m_program;
    std::vector<std::vector<float>> m_values;
    std::vector<const std::byte*> m_feeds;
};

Result<nlohmann::json> measure(const std::string& preset, const Settings& settings, exec::Executor& executor) {
    LS_TRY_ASSIGN(const auto step, TrainingStep::create(preset, settings.policy, settings, executor));
    const bool mixed = settings.policy != "float32";
    LS_TRY_ASSIGN(const auto plain, TrainingStep::create(preset, "float32", settings, executor));
    KernelsAlone alone(plain->graph(), settings.threads);
    const bool isSmall = preset == "mlp";
    const int calls = isSmall ? 10 : 1;
    const int turns = settings.turns > 0 ? settings.turns : (isSmall ? 100 : (preset == "resnet20" ? 12 : 40));
    secondsOf(isSmall ? 200 : 5, [&] { step->run(); });
    if (mixed) secondsOf(isSmall ? 200 : 5, [&] { plain->run(); });
    std::vector<double> stepTimes, kernelTimes, ratios;
    for (int round = 0; round < kRounds; ++round) {
        std::vector<double> steps, kernels;
        for (int turn = 0; turn < turns; ++turn) {
            if (mixed) {
                plain->run();
                kernels.push_back(secondsOf(
                    calls, [&] { plain->run(); }, settings.clock));
            } else {
                kernels.push_back(alone.seconds(settings.clock));
            }
            step->run();
            steps.push_back(secondsOf(
                calls, [&] { step->run(); }, settings.clock));
        }
        stepTimes.push_back(quantile(steps, 0.1));
        kernelTimes.push_back(quantile(kernels, 0.1));
        ratios.push_back(mixed ? kernelTimes.back() / stepTimes.back() : stepTimes.back() / kernelTimes.back());
    }
    if (settings.profile) step->printProfile();
    const exec::MemoryReport memory = step->program().memory();
    return nlohmann::json{{"model", preset},
                          {"batch", settings.batch},
                          {"threads", settings.threads},
                          {"step_seconds", median(stepTimes)},
                          {"policy", settings.policy},
                          {mixed ? "float32_step_seconds" : "kernels_seconds", median(kernelTimes)},
                          {"ratio", median(ratios)},
                          {"scratch_bytes", memory.gradients + memory.activations + memory.workspace},
                          {"loss", step->loss()}};
}

Settings readArguments(int count, char** arguments) {
    Settings settings;
    for (int i = 1; i < count; ++i) {
        const std::string argument = arguments[i];
        const auto number = [&](int least) { return std::max(least, i + 1 < count ? std::atoi(arguments[++i]) : least); };
        if (argument == "--json") settings.json = true;
        if (argument == "--profile") settings.profile = true;
        if (argument == "--cpu-time") settings.clock = Counted::Thread;
        if (argument == "--batch") settings.batch = number(1);
        if (argument == "--threads") settings.threads = number(1);
        if (argument == "--turns") settings.turns = number(1);
        if (argument == "--policy" && i + 1 < count) settings.policy = arguments[++i];
        if (argument == "--models" && i + 1 < count) settings.models = arguments[++i];
    }
    return settings;
}

}  // namespace

int main(int count, char** arguments) {
    const Settings settings = readArguments(count, arguments);
    const auto executor = exec::cpu::makeCpuExecutor();
    if (settings.policy == "mixed_bfloat16") {
        const auto probe = exec::cpu::probeBfloat16(Seconds(0.5));
        std::printf("bf16 products: %s, %.2f times as fast as float32 (%.0f and %.0f Gflop/s)\n", probe.kernels ? "yes" : "no",
                    probe.ratio(), probe.bfloat16PerSecond / 1e9, probe.float32PerSecond / 1e9);
    }
    nlohmann::json rows = nlohmann::json::array();
    std::istringstream models(settings.models);
    for (std::string model; std::getline(models, model, ',');) {
        const auto row = measure(model, settings, *executor);
        if (!row.ok()) {
            std::fprintf(stderr, "%s\n", row.error().toText().c_str());
            return row.error().exitCode;
        }
        rows.push_back(*row);
        if (settings.json) continue;
        const nlohmann::json& found = rows.back();
        if (settings.policy != "float32") {
            std::printf("%s batch %lld, %d threads: %s step %.3f ms, float32 step %.3f ms, %.2f times as fast, scratch %.1f MiB\n",
                        model.c_str(), static_cast<long long>(settings.batch), settings.threads, settings.policy.c_str(),
                        1e3 * found["step_seconds"].get<double>(), 1e3 * found["float32_step_seconds"].get<double>(),
                        found["ratio"].get<double>(), found["scratch_bytes"].get<double>() / (1 << 20));
            continue;
        }
        std::printf("%s batch %lld, %d threads: step %.3f ms, its convolutions and products alone %.3f ms, ratio %.2f, scratch %.1f MiB\n",
                    model.c_str(), static_cast<long long>(settings.batch), settings.threads, 1e3 * found["step_seconds"].get<double>(),
                    1e3 * found["kernels_seconds"].get<double>(), found["ratio"].get<double>(),
                    found["scratch_bytes"].get<double>() / (1 << 20));
        std::fflush(stdout);
    }
    if (settings.json) std::printf("%s\n", nlohmann::json{{"rows", rows}}.dump().c_str());
    return 0;
}
