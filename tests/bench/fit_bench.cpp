// A model in a part of the memory it asks for: what the ladder chooses, whether it keeps the limit, how much slower it is against what
// was predicted, and how far its losses are from those of the whole. Each run is a process of its own, turns of both alternate.
//   fit_bench [--model resnet20] [--batch 512] [--part 3] [--steps 4] [--turns 3]
#include "child_runs.h"

#include <rank_memory.h>
#include <rank_setup.h>

#include <base/file.h>
#include <base/units.h>
#include <comm/group.h>
#include <plan/ladder.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace lockstep;
using namespace lockstep::bench;

namespace {

struct Settings {
    std::string model = "resnet20";
    std::int64_t batch = 512;
    double part = 3;
    std::uint64_t steps = 4;
    int turns = 3;
};

Result<spec::RunSpec> specOf(const Settings& settings) {
    const std::string yaml = "name: fit\nstrategy: OneDeviceStrategy\nmodel: {preset: " + settings.model +
                             "}\ndata: {dataset: synthetic, shape: [32, 32, 3], rows: " + std::to_string(2 * settings.batch) +
                             "}\ntraining: {global_batch_size: " + std::to_string(settings.batch) +
                             ", epochs: 100, steps: " + std::to_string(settings.steps) + "}\n";
    return spec::parseRunSpec(yaml, "fit.yaml");
}

plan::DataFacts factsOf(const Settings& settings) { return {{32, 32, 3}, 10, 2 * settings.batch, settings.batch / 4, true, 0}; }

cluster::Inventory here() {
    auto facts = cluster::probeThisHost();
    facts.address = "localhost";
    return {{std::move(facts)}};
}

// Trains by a plan in this process and prints what it saw.
Result<nlohmann::json> trainByPlan(const Settings& settings, const std::string& planFile) {
    const std::uint64_t idle = statusBytes("VmRSS");
    LS_TRY_ASSIGN(const auto spec, specOf(settings));
    LS_TRY_ASSIGN(const auto text, readFile(planFile, 1u << 24));
    LS_TRY_ASSIGN(const auto plan, plan::parsePlan(text));
    auto options = cli::rankOptionsOf(spec, plan, 0, "", factsOf(settings));
    std::vector<double> losses, seconds;
    train::RankHooks hooks;
    hooks.sample = [&](const telemetry::Sample& sample) {
        if (sample.series == telemetry::Series::Loss) losses.push_back(sample.value);
        if (sample.series == telemetry::Series::ComputeSeconds) seconds.push_back(sample.value);
    };
    options.evaluate = false;
    const auto executor = cli::makeExecutor(false);
    auto group = comm::makeSingleGroup();
    LS_TRY_ASSIGN(const auto result, train::runRank(options, *executor, *group, hooks));
    std::sort(seconds.begin(), seconds.end());
    return nlohmann::json{
        {"peak", statusBytes("VmHWM") - idle}, {"losses", losses}, {"seconds", seconds.front()}, {"weights", result.weightsHash}};
}

nlohmann::json inProcess(const Settings& settings, const std::string& planFile) {
    return ask({"--train", settings.model, std::to_string(settings.batch), std::to_string(settings.steps), planFile});
}

Result<bool> compare(const Settings& settings) {
    LS_TRY_ASSIGN(const auto spec, specOf(settings));
    const auto sizer = cli::makeSizer(false);
    LS_TRY_ASSIGN(const auto whole, plan::makePlan(spec, here(), "", factsOf(settings), sizer));
    const auto asks = static_cast<double>(whole.ranks[0].bytes.total());
    const auto limit = static_cast<std::uint64_t>(asks / settings.part);
    LS_TRY_ASSIGN(const auto ladder, plan::memoryLadder(spec, here(), limit, factsOf(settings), sizer));
    std::printf("%s", plan::explainLadder(ladder).c_str());
    if (!ladder.chosen) return false;
    const plan::Rung& rung = ladder.rungs[*ladder.chosen];
    std::string folder = "/tmp/fit_bench_XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) return makeError("F604", {{"file", folder}, {"reason", "mkdtemp"}});
    const std::string wholePlan = folder + "/whole.json", tightPlan = folder + "/tight.json";
    LS_TRY(replaceFile(wholePlan, plan::printPlan(whole)));
    LS_TRY(replaceFile(tightPlan, plan::printPlan(rung.plan)));
    std::vector<double> ratios;
    double peak = 0, worst = 0;
    for (int turn = 0; turn < settings.turns; ++turn) {
        const auto all = inProcess(settings, wholePlan), tight = inProcess(settings, tightPlan);
        if (all.is_discarded() || tight.is_discarded()) return false;
        ratios.push_back(tight["seconds"].get<double>() / all["seconds"].get<double>());
        peak = std::max(peak, tight["peak"].get<double>());
        for (std::size_t i = 0; i < all["losses"].size(); ++i)
            worst = std::max(worst, std::abs(tight["losses"][i].get<double>() / all["losses"][i].get<double>() - 1));
        std::printf("turn %d: %.3f s whole, %.3f s tight, peak %.1f MiB\n", turn + 1, all["seconds"].get<double>(),
                    tight["seconds"].get<double>(), tight["peak"].get<double>() / (1 << 20));
    }
    std::filesystem::remove_all(folder);
    std::sort(ratios.begin(), ratios.end());
    const double slower = ratios[ratios.size() / 2];
    const double most = std::max(1.03 * static_cast<double>(limit), static_cast<double>(limit) + 4 * (1 << 20));
    const bool fits = peak <= most, asPredicted = std::abs(slower / rung.slowdown - 1) <= 0.1, same = worst <= 1e-5;
    std::printf("limit %s, peak %.1f MiB: %s\n", formatBytes(limit).c_str(), peak / (1 << 20), fits ? "kept" : "NOT KEPT");
    std::printf("slower by %.2f, predicted %.2f: %s\n", slower, rung.slowdown, asPredicted ? "within 10 %" : "OFF");
    std::printf("losses differ by %.1e at most: %s\n", worst, same ? "the same curve" : "ANOTHER CURVE");
    return fits && asPredicted && same;
}

}  // namespace

int main(int count, char** arguments) {
    Settings settings;
    if (count == 6 && std::string_view(arguments[1]) == "--train") {
        settings.model = arguments[2];
        settings.batch = std::atol(arguments[3]);
        settings.steps = static_cast<std::uint64_t>(std::atol(arguments[4]));
        return tell(trainByPlan(settings, arguments[5]));
    }
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string word = arguments[i];
        if (word == "--model") settings.model = arguments[i + 1];
        if (word == "--batch") settings.batch = std::atol(arguments[i + 1]);
        if (word == "--part") settings.part = std::atof(arguments[i + 1]);
        if (word == "--steps") settings.steps = static_cast<std::uint64_t>(std::atol(arguments[i + 1]));
        if (word == "--turns") settings.turns = std::atoi(arguments[i + 1]);
    }
    const auto result = compare(settings);
    if (!result.ok()) std::fprintf(stderr, "%s\n", result.error().toText().c_str());
    return result.ok() && *result ? 0 : 1;
}
