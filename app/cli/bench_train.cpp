// `lockstep bench train`: how fast models train here, and the child processes that measure it.
#include "bench_rows.h"
#include "rank_setup.h"
#include "run_text.h"

#include <base/paths.h>
#include <base/thread.h>
#include <bench/limits.h>
#include <bench/train_bench.h>
#include <keras/isolated.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::cli {
namespace {

class BenchTrain : public BenchPart {
public:
    CLI::App* declare(CLI::App& bench) override {
        auto* parser = bench.add_subcommand("train", "Measure how fast models train: img/s, step times, share of the hardware's limits");
        parser->footer(
            "Every combination of models, batch sizes, threads and precisions is measured in a process of its own, input included.\n"
            "OF FMA and OF BANDWIDTH compare with multiply-adds and memory traffic probed in the same run. \"disturbed\": something\n"
            "else used the processors. Peak memory is that of the whole process; the first step counts from the start of it.\n\n"
            "Examples:\n  lockstep bench train\n"
            "  lockstep bench train --models cnn,resnet20 --batch 32,128 --threads 1,2 --rounds 3 --json\n"
            "  lockstep bench train --models resnet20 --precision float32,mixed_bfloat16\n"
            "  lockstep bench train --curve tests/fixtures/keras/cnn-adam.json");
        const std::string models = fmt::format("{}", fmt::join(bench::benchModels(), ", "));
        m_modelsOption = parser->add_option("--models", m_models, "Any of " + models + " (default: mlp, cnn, resnet20)")
                             ->delimiter(',')
                             ->check(CLI::IsMember(bench::benchModels()))
                             ->type_name("NAMES");
        m_batchOption = parser->add_option("--batch", m_batches, "Rows of a batch (default: 32)")
                            ->delimiter(',')
                            ->check(CLI::Range(1, 65536))
                            ->type_name("N,…");
        parser->add_option("--threads", m_threads, "Of the kernels (default: 1 and all processors)")
            ->delimiter(',')
            ->check(CLI::Range(1, 1024))
            ->type_name("N,…");
        auto* curve =
            parser->add_option("--curve", m_curve, "Model, weights, optimizer, batch, precision and rows of a recorded curve instead")
                ->excludes(m_modelsOption)
                ->excludes(m_batchOption)
                ->type_name("FILE");
        declarePrecisions(*parser, m_precisions)->excludes(curve);
        parser->add_option("--seconds", m_plan.seconds, "Measured, of each (default: 3)")->check(CLI::Range(0.1, 3600.0))->type_name("S");
        parser->add_option("--rounds", m_plan.rounds, "Measure all in turn so often; the median round counts (default: 1)")
            ->check(CLI::Range(1, 1000))
            ->type_name("N");
        return parser;
    }

    Result<int> run(Context& context) override {
        LS_TRY(makeCases());
        LS_TRY_ASSIGN(const BenchFindings found, measureCases(context.output, m_plan));
        context.output.line(formatTable(tableOf(found.rows)));
        if (context.output.options().format == Format::Object)
            context.output.json({{"schema", 1}, {"limits", found.limits}, {"rows", found.rows}});
        return found.interrupted.value_or(0);
    }

private:
    Result<void> makeCases() {
        if (m_models.empty()) m_models = {"mlp", "cnn", "resnet20"};
        if (m_batches.empty()) m_batches = {32};
        if (m_threads.empty()) m_threads = {1, static_cast<int>(usableProcessors().size())};
        if (m_threads.size() == 2 && m_threads[0] == m_threads[1]) m_threads.pop_back();
        if (!m_curve.empty()) {
            LS_TRY_ASSIGN(const bench::RecordedCurve curve, bench::readCurve(m_curve));
            m_models = {curve.model};
            m_batches = {curve.batch};
            m_precisions = {curve.policy};
        }
        for (const std::string& model : m_models)
            for (const std::int64_t batch : m_batches)
                for (const int threads : m_threads)
                    for (const std::string& precision : m_precisions) m_plan.cases.push_back({model, batch, threads, precision, m_curve});
        return {};
    }

    CLI::Option* m_modelsOption = nullptr;
    CLI::Option* m_batchOption = nullptr;
    std::vector<std::string> m_models, m_precisions = {"float32"};
    std::vector<std::int64_t> m_batches;
    std::vector<int> m_threads;
    std::string m_curve;
    BenchPlan m_plan;
};

Result<bench::CurveStart> startOf(const std::filesystem::path& file) {
    bench::CurveStart start;
    LS_TRY_ASSIGN(start.curve, bench::readCurve(file));
    const auto weights = file.parent_path() / start.curve.initialWeights;
    start.weightsName = weights.string();
    LS_TRY_ASSIGN(start.weights, keras::readKerasIsolated(weights));
    return start;
}

std::chrono::steady_clock::time_point timeOf(const Json& ticks) {
    return std::chrono::steady_clock::time_point(std::chrono::steady_clock::duration(ticks.get<std::int64_t>()));
}

Json objectOf(const bench::TrainMeasure& found) {
    Json losses = Json::array();
    for (const double loss : found.firstLosses) losses.push_back(jsonNumber(loss));
    return {{"images_per_second", found.imagesPerSecond},
            {"seconds_p10", found.secondsP10},
            {"seconds_p50", found.secondsP50},
            {"seconds_p90", found.secondsP90},
            {"steps", found.steps},
            {"seconds", found.seconds},
            {"flops", found.flops},
            {"bytes", found.bytes},
            {"peak_bytes", found.peakBytes},
            {"first_step_seconds", found.firstStepSeconds},
            {"loss", jsonNumber(found.loss)},
            {"first_losses", std::move(losses)}};
}

}  // namespace

std::unique_ptr<BenchPart> makeBenchTrain() { return std::make_unique<BenchTrain>(); }

Result<Json> benchTrainTask(const Json& request, WorkChannel& channel) {
    bench::TrainBenchOptions options;
    options.processStart = timeOf(request.at("begin"));
    options.compile.processors = request.at("processors").get<std::vector<int>>();
    options.compile.threads = static_cast<int>(options.compile.processors.size());
    pinThisThread(options.compile.processors);
    options.model = request.at("model").get<std::string>();
    options.batch = request.at("batch").get<std::int64_t>();
    options.precision = request.at("precision").get<std::string>();
    options.mnist = resourcesFolder() / "data" / "mnist";
    options.measured = Seconds(request.at("seconds").get<double>());
    options.warmUp = Seconds(std::clamp(options.measured.count() / 4, 0.1, 2.0));
    if (request.contains("curve")) {
        LS_TRY_ASSIGN(options.curve, startOf(request.at("curve").get<std::string>()));
    }
    constexpr std::uint64_t kParts = 100;
    options.progress = [&channel](double part) { channel.progress({"", static_cast<std::uint64_t>(part * kParts), kParts, "", ""}); };
    const auto executor = makeExecutor(false);
    LS_TRY_ASSIGN(const auto found, bench::measureTraining(options, *executor));
    return objectOf(found);
}

Result<Json> benchProbeTask(const Json& request, WorkChannel&) {
    const auto processors = request.at("processors").get<std::vector<int>>();
    const bench::Limits limits = bench::probeLimits(processors, Seconds(request.at("seconds").get<double>()));
    return Json{{"flops_per_second", limits.flopsPerSecond}, {"bytes_per_second", limits.bytesPerSecond}, {"quiet", limits.quiet}};
}

}  // namespace lockstep::cli
