// A whole training step (forward, backward, gradient norm, Adam) on one core.
//
// mlp: against its five matrix products run alone by oneDNN (forward 2, weight gradients 2, input gradient 1), each by the faster of
// oneDNN's matmul primitive and sgemm. Rounds of products and steps alternate; the ratio is the median of five rounds.
// cnn: milliseconds per step.
//   step_bench [--batch N] [--processor N] [--json]
#include <base/thread.h>
#include <exec_cpu/cpu_executor.h>
#include <passes/pipeline.h>

#include <dnnl.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace lockstep;

namespace {

constexpr int kRounds = 5;

struct Settings {
    std::int64_t batch = 32;
    int processor = -1;
    bool json = false;
};

double secondsOf(int calls, const std::function<void()>& body) {
    const auto before = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count() / calls;
}

// The value below which `share` of them lie.
double quantile(std::vector<double> values, double share) {
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

std::vector<float> pattern(std::size_t count) {
    std::vector<float> values(count);
    std::uint32_t state = 12345;
    for (float& value : values) {
        state = state * 1664525U + 1013904223U;
        value = static_cast<float>(state >> 8) / static_cast<float>(1U << 24) - 0.5F;
    }
    return values;
}

// One product C = op(A)·op(B), by the faster of oneDNN's two ways.
class Product {
public:
    Product(std::int64_t m, std::int64_t n, std::int64_t k, char turnA, char turnB)
        : m_m(m),
          m_n(n),
          m_k(k),
          m_turnA(turnA),
          m_turnB(turnB),
          m_a(pattern(static_cast<std::size_t>(m * k))),
          m_b(pattern(static_cast<std::size_t>(k * n))),
          m_c(static_cast<std::size_t>(m * n)) {
        using Tag = dnnl::memory::format_tag;
        const auto desc = [](std::int64_t rows, std::int64_t columns, char turn) {
            return dnnl::memory::desc({rows, columns}, dnnl::memory::data_type::f32, turn == 'T' ? Tag::ba : Tag::ab);
        };
        const auto a = desc(m, k, turnA);
        const auto b = desc(k, n, turnB);
        const auto c = desc(m, n, 'N');
        m_primitive = dnnl::matmul(dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, b, c), m_engine));
        m_memories = {dnnl::memory(a, m_engine, m_a.data()), dnnl::memory(b, m_engine, m_b.data()), dnnl::memory(c, m_engine, m_c.data())};
        const int kinds[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
        for (std::size_t i = 0; i < 3; ++i) m_arguments[i] = {kinds[i], m_memories[i].get()};
        std::vector<double> byPrimitive, bySgemm;
        for (int round = 0; round < 9; ++round) {
            byPrimitive.push_back(secondsOf(50, [this] { runPrimitive(); }));
            bySgemm.push_back(secondsOf(50, [this] { runSgemm(); }));
        }
        m_primitiveIsFaster = median(byPrimitive) < median(bySgemm);
    }
    void run() { m_primitiveIsFaster ? runPrimitive() : runSgemm(); }

private:
    void runPrimitive() { dnnl_primitive_execute(m_primitive.get(), m_stream.get(), 3, m_arguments); }
    void runSgemm() {
        dnnl_sgemm(m_turnA, m_turnB, m_m, m_n, m_k, 1.0F, m_a.data(), m_turnA == 'T' ? m_m : m_k, m_b.data(), m_turnB == 'T' ? m_k : m_n,
                   0.0F, m_c.data(), m_n);
    }
    std::int64_t m_m, m_n, m_k;
    char m_turnA, m_turnB;
    std::vector<float> m_a, m_b, m_c;
    dnnl::engine m_engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream m_stream{m_engine};
    dnnl::primitive m_primitive;
    std::vector<dnnl::memory> m_memories;
    dnnl_exec_arg_t m_arguments[3]{};
    bool m_primitiveIsFaster = false;
};

// A compiled training step with constant feeds.
class TrainingStep {
public:
    static Result<std::unique_ptr<TrainingStep>> create(const std::string& preset, const Settings& settings, exec::Executor& executor) {
        auto step = std::make_unique<TrainingStep>();
        nn::ModelOptions modelOptions;
        modelOptions.preset = preset;
        LS_TRY_ASSIGN(const nn::Model model, nn::buildModel(modelOptions, settings.batch, graph::DType::F32));
        passes::TrainStepOptions options;
        options.allReduce = false;
        LS_TRY_ASSIGN(passes::TrainStep made, passes::makeTrainStep(model, options));
        step->m_graph = std::move(made.graph);
        exec::CompileOptions compile;
        compile.processors = {settings.processor};
        LS_TRY_ASSIGN(step->m_program, executor.compile(step->m_graph, compile));
        for (std::size_t i = 0; i < model.weights.size(); ++i) step->m_program->writeState(i, nn::initialValue(model.weights[i], 1, i));
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

private:
    void fillFeeds(std::int64_t batch) {
        const auto inputs = m_graph.nodesOf(graph::OpKind::Input);
        m_values.reserve(inputs.size());
        for (const auto id : inputs) {
            const auto& node = m_graph.node(id);
            auto& values = m_values.emplace_back(pattern(static_cast<std::size_t>(node.outputs[0].shape.elements())));
            if (node.name == "learning_rate") values = {0.001F};
            if (node.name == "step") values = {100.0F};
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

Result<nlohmann::json> measureMlp(const Settings& settings, exec::Executor& executor) {
    const std::int64_t rows = settings.batch;
    LS_TRY_ASSIGN(const auto step, TrainingStep::create("mlp", settings, executor));
    std::vector<std::unique_ptr<Product>> products;
    products.push_back(std::make_unique<Product>(rows, 128, 784, 'N', 'N'));
    products.push_back(std::make_unique<Product>(rows, 10, 128, 'N', 'N'));
    products.push_back(std::make_unique<Product>(128, 10, rows, 'T', 'N'));
    products.push_back(std::make_unique<Product>(rows, 128, 10, 'N', 'T'));
    products.push_back(std::make_unique<Product>(784, 128, rows, 'T', 'N'));
    const auto runProducts = [&] {
        for (auto& product : products) product->run();
    };
    secondsOf(200, runProducts);
    secondsOf(200, [&] { step->run(); });
    std::vector<double> stepTimes, productTimes, ratios;
    for (int round = 0; round < kRounds; ++round) {
        // Short turns, so that a disturbance hits both sides alike; the quietest tenth of a round counts.
        std::vector<double> steps, alone;
        for (int turn = 0; turn < 100; ++turn) {
            alone.push_back(secondsOf(10, runProducts));
            steps.push_back(secondsOf(10, [&] { step->run(); }));
        }
        stepTimes.push_back(quantile(steps, 0.1));
        productTimes.push_back(quantile(alone, 0.1));
        ratios.push_back(stepTimes.back() / productTimes.back());
    }
    return nlohmann::json{{"model", "mlp"},
                          {"batch", rows},
                          {"threads", 1},
                          {"step_seconds", median(stepTimes)},
                          {"products_seconds", median(productTimes)},
                          {"ratio", median(ratios)},
                          {"loss", step->loss()}};
}

Result<nlohmann::json> measureCnn(const Settings& settings, exec::Executor& executor) {
    LS_TRY_ASSIGN(const auto step, TrainingStep::create("cnn", settings, executor));
    secondsOf(20, [&] { step->run(); });
    std::vector<double> rounds;
    for (int round = 0; round < kRounds; ++round) {
        std::vector<double> steps;
        for (int turn = 0; turn < 40; ++turn) steps.push_back(secondsOf(1, [&] { step->run(); }));
        rounds.push_back(quantile(steps, 0.1));
    }
    return nlohmann::json{
        {"model", "cnn"}, {"batch", settings.batch}, {"threads", 1}, {"step_seconds", median(rounds)}, {"loss", step->loss()}};
}

Settings readArguments(int count, char** arguments) {
    Settings settings;
    for (int i = 1; i < count; ++i) {
        const std::string argument = arguments[i];
        if (argument == "--json") settings.json = true;
        if (argument == "--batch" && i + 1 < count) settings.batch = std::max(1, std::atoi(arguments[++i]));
        if (argument == "--processor" && i + 1 < count) settings.processor = std::atoi(arguments[++i]);
    }
    if (settings.processor < 0) settings.processor = usableProcessors().back();
    return settings;
}

}  // namespace

int main(int count, char** arguments) {
    const Settings settings = readArguments(count, arguments);
    const auto executor = exec::cpu::makeCpuExecutor();
    nlohmann::json rows = nlohmann::json::array();
    for (const auto measure : {measureMlp, measureCnn}) {
        const auto row = measure(settings, *executor);
        if (!row.ok()) {
            std::fprintf(stderr, "%s\n", row.error().toText().c_str());
            return row.error().exitCode;
        }
        rows.push_back(*row);
        if (settings.json) continue;
        const nlohmann::json& found = rows.back();
        std::printf("%s batch %lld, one core: step %.1f us", found["model"].get<std::string>().c_str(),
                    static_cast<long long>(settings.batch), 1e6 * found["step_seconds"].get<double>());
        if (found.contains("ratio"))
            std::printf(", its products alone %.1f us, ratio %.2f", 1e6 * found["products_seconds"].get<double>(),
                        found["ratio"].get<double>());
        std::printf("\n");
    }
    if (settings.json) std::printf("%s\n", nlohmann::json{{"rows", rows}}.dump().c_str());
    return 0;
}
