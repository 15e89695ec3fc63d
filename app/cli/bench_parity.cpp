// `lockstep bench parity`: recorded Keras curves against our own training, each in a child process.
#include "bench_parts.h"
#include "rank_setup.h"
#include "run_text.h"

#include <base/paths.h>
#include <base/thread.h>
#include <bench/parity.h>
#include <keras/isolated.h>
#include <nn/precision.h>

#include <fmt/format.h>

namespace lockstep::cli {
namespace {

constexpr int kExitMissed = 1;

Json numbersOf(const std::vector<double>& values) {
    Json list = Json::array();
    for (const double value : values) list.push_back(jsonNumber(value));
    return list;
}

Json objectOf(const bench::ParityResult& result, const bench::RecordedCurve& curve, graph::DType dtype) {
    Json object{{"model", curve.model},
                {"steps", result.losses.size()},
                {"within_tolerance", result.withinTolerance},
                {"type", graph::nameOf(dtype)},
                {"precision", dtype == graph::DType::F64 ? "float64" : curve.policy},
                {"worst_loss", {{"relative", jsonNumber(result.worstRelative)}, {"step", result.worstStep}}},
                {"loss_of_tolerance", jsonNumber(result.worstOfTolerance)},
                {"gradient_norm_relative", jsonNumber(result.worstGradientNorm)},
                {"weights_relative", jsonNumber(result.weightsDistance)},
                {"losses", numbersOf(result.losses)},
                {"gradient_norms", numbersOf(result.gradientNorms)}};
    if (!result.miss) return object;
    const bench::Miss& miss = *result.miss;
    object["miss"] = {{"what", miss.what},
                      {"step", miss.step},
                      {"found", jsonNumber(miss.found)},
                      {"expected", jsonNumber(miss.expected)},
                      {"relative", jsonNumber(miss.difference)},
                      {"allowed", jsonNumber(miss.allowed)}};
    return object;
}

std::string shortNumber(const Json& number) { return number.is_number() ? fmt::format("{:.2g}", number.get<double>()) : "nan"; }
std::string longNumber(const Json& number) { return number.is_number() ? fmt::format("{:.9g}", number.get<double>()) : "nan"; }

std::string textOfMiss(const Json& miss) {
    const std::string apart = shortNumber(miss["relative"]) + " apart (relative), " + shortNumber(miss["allowed"]) + " allowed";
    if (miss["what"] == "final weights") return fmt::format("the weights after step {} are {}", miss["step"].get<std::size_t>(), apart);
    return fmt::format("the {} of step {} is {}, recorded {}: {}", miss["what"].get<std::string>(), miss["step"].get<std::size_t>(),
                       longNumber(miss["found"]), longNumber(miss["expected"]), apart);
}

class BenchParity : public BenchPart {
public:
    CLI::App* declare(CLI::App& bench) override {
        auto* parser = bench.add_subcommand("parity", "Train recorded Keras curves again and compare step by step");
        parser->footer(
            "FILE is a curve of the format in resources/docs/formats/curve.md; the .keras file it starts from lies beside it.\n"
            "Exit code 1 when a loss, a gradient norm or the final weights are out of the curve's own tolerance.\n\n"
            "Examples:\n  lockstep bench parity tests/fixtures/keras/cnn-adam.json\n"
            "  lockstep bench parity tests/fixtures/keras/cnn-momentum.json --precision mixed_bfloat16\n"
            "  lockstep bench parity --float64 --steps 2 tests/fixtures/keras/resnet20-sgd.json --json");
        parser->add_option("FILE", m_files, "Recorded curves")->required()->type_name("");
        parser->add_option("--threads", m_threads, "Of the kernels (default: all processors)")->check(CLI::Range(1, 1024))->type_name("N");
        parser->add_option("--steps", m_steps, "Only the first N updates, without the final weights")
            ->check(CLI::PositiveNumber)
            ->type_name("N");
        auto* float64 = parser->add_flag("--float64", m_float64, "Plain loops in float64, to 1e-9 of the curve's float64 run; slow");
        parser->add_option("--precision", m_precision, "Train under this dtype policy of Keras instead of the curve's own")
            ->check(CLI::IsMember(nn::policyNames()))
            ->excludes(float64)
            ->type_name("NAME");
        return parser;
    }

    Result<int> run(Context& context) override {
        Json curves = Json::array();
        std::vector<std::vector<std::string>> rows{{"CURVE", "STEPS", "LOSS", "OF TOLERANCE", "GRADIENT NORM", "WEIGHTS", "RESULT"}};
        bool within = true;
        for (const std::string& file : m_files) {
            LS_TRY_ASSIGN(const ChildEnd end, runInChild(context.output, workFor(file)));
            if (end.interrupted) return *end.interrupted;
            Json object{{"file", file}};
            object.update(end.result);
            context.output.event(object);
            const bool good = object["within_tolerance"].get<bool>();
            within = within && good;
            rows.push_back({std::filesystem::path(file).filename().string(), std::to_string(object["steps"].get<std::size_t>()),
                            shortNumber(object["worst_loss"]["relative"]), shortNumber(object["loss_of_tolerance"]),
                            shortNumber(object["gradient_norm_relative"]), shortNumber(object["weights_relative"]),
                            good ? "ok" : "missed"});
            curves.push_back(std::move(object));
        }
        context.output.line(formatTable(rows));
        for (const Json& curve : curves)
            if (curve.contains("miss")) context.output.line(curve["file"].get<std::string>() + ": " + textOfMiss(curve["miss"]));
        if (context.output.options().format == Format::Object)
            context.output.json({{"schema", 1}, {"within_tolerance", within}, {"curves", curves}});
        return within ? 0 : kExitMissed;
    }

private:
    ChildWork workFor(const std::string& file) const {
        const int threads = m_threads > 0 ? m_threads : static_cast<int>(usableProcessors().size());
        Json request{{"curve", std::filesystem::absolute(file).string()}, {"threads", threads}, {"float64", m_float64}};
        if (m_steps > 0) request["steps"] = m_steps;
        if (!m_precision.empty()) request["precision"] = m_precision;
        return {"bench-parity", std::filesystem::path(file).filename().string(), std::move(request), threads};
    }

    std::vector<std::string> m_files;
    int m_threads = 0;
    std::uint64_t m_steps = 0;
    bool m_float64 = false;
    std::string m_precision;
};

}  // namespace

std::unique_ptr<BenchPart> makeBenchParity() { return std::make_unique<BenchParity>(); }

Result<Json> benchParityTask(const Json& request, WorkChannel& channel) {
    const std::filesystem::path file = request.at("curve").get<std::string>();
    const bool float64 = request.at("float64").get<bool>();
    bench::ParityOptions options;
    LS_TRY_ASSIGN(options.curve, bench::readCurve(file));
    if (request.contains("precision")) {
        options.curve.policy = request.at("precision").get<std::string>();
        options.curve.outputFloat32 = options.curve.policy != nn::kFloat32;
    }
    const auto weights = file.parent_path() / options.curve.initialWeights;
    options.weightsName = weights.string();
    LS_TRY_ASSIGN(options.weights, keras::readKerasIsolated(weights));
    options.mnist = resourcesFolder() / "data" / "mnist";
    options.dtype = float64 ? graph::DType::F64 : graph::DType::F32;
    options.compile.threads = request.at("threads").get<int>();
    if (request.contains("steps")) options.updates = request.at("steps").get<std::uint64_t>();
    options.progress = [&channel](std::size_t step, std::size_t steps) { channel.progress({"", step, steps, "", "steps/s"}); };
    const auto executor = makeExecutor(float64);
    LS_TRY_ASSIGN(const auto result, bench::runParity(options, *executor));
    return objectOf(result, options.curve, options.dtype);
}

}  // namespace lockstep::cli
