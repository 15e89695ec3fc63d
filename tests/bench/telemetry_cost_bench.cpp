// What telemetry costs a training step: the same training with and without samples going through the ring, in turns in one run.
//
// usage: telemetry_cost_bench [PAIRS]       (default 5)
// Must hold: at most 1 % of the step time. Each run: MLP, batch 32, one rank, one processor; the reader drains the ring every 20 ms on
// another processor, as an agent does.
#include <base/thread.h>
#include <comm/group.h>
#include <exec_cpu/cpu_executor.h>
#include <telemetry/ring.h>
#include <train/rank.h>

#include <fmt/core.h>

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <vector>

using namespace lockstep;

namespace {

constexpr std::uint64_t kSteps = 6000;
constexpr std::uint64_t kWarmUp = 500;
constexpr double kLimit = 0.01;

enum class Telemetry : std::uint8_t { Off, On };

template <class Value>
Value must(Result<Value> result) {
    if (result.ok()) return std::move(result).value();
    fmt::print(stderr, "{}\n", result.error().toText());
    std::exit(1);
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

// Median seconds from one finished step to the next, after the warm-up.
double secondsPerStep(Telemetry telemetry, const std::filesystem::path& cache) {
    auto ring = must(telemetry::Ring::create());
    const auto reader = startThread("reader", [&](std::stop_token stop) {
        while (!stop.stop_requested()) {
            ring.drain();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    });
    train::RankOptions options;
    options.model.preset = "mlp";
    options.data.folder = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "resources/data/mnist";
    options.data.cacheFolder = cache;
    options.epochs = 100;
    options.steps = kSteps;
    options.evaluate = false;
    options.compile.threads = 1;
    options.compile.processors = {usableProcessors().front()};
    train::RankHooks hooks;
    std::vector<double> steps;
    steps.reserve(kSteps);
    auto last = std::chrono::steady_clock::now();
    hooks.progress = [&](std::uint64_t step) {
        const auto now = std::chrono::steady_clock::now();
        if (step > kWarmUp) steps.push_back(std::chrono::duration<double>(now - last).count());
        last = now;
    };
    if (telemetry == Telemetry::On) hooks.sample = [&](const telemetry::Sample& sample) { ring.push(sample); };
    const auto executor = exec::cpu::makeCpuExecutor();
    const auto group = comm::makeSingleGroup();
    must(train::runRank(options, *executor, *group, hooks));
    return median(std::move(steps));
}

}  // namespace

int main(int argc, char** argv) {
    const int pairs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
    const auto cache = std::filesystem::temp_directory_path() / ("lockstep-bench-" + std::to_string(::getpid()));
    std::vector<double> off, on, ratios;
    secondsPerStep(Telemetry::Off, cache);
    for (int pair = 0; pair < pairs; ++pair) {
        // The order turns, so that a machine that slows down does not favour one side.
        const bool offFirst = pair % 2 == 0;
        const double first = secondsPerStep(offFirst ? Telemetry::Off : Telemetry::On, cache);
        const double second = secondsPerStep(offFirst ? Telemetry::On : Telemetry::Off, cache);
        off.push_back(offFirst ? first : second);
        on.push_back(offFirst ? second : first);
        ratios.push_back(on.back() / off.back());
    }
    std::error_code ignored;
    std::filesystem::remove_all(cache, ignored);
    const double cost = median(ratios) - 1;
    fmt::print("step without telemetry {:.1f} us, with {:.1f} us; cost {:+.2f} % (median of {} pairs, limit {:.0f} %)\n", median(off) * 1e6,
               median(on) * 1e6, cost * 100, pairs, kLimit * 100);
    return cost <= kLimit ? 0 : 1;
}
