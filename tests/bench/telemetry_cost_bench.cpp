// What telemetry costs a training step: one training whose samples go through the ring in some blocks of steps and are not made in
// others, in the order off, on, on, off, so that a machine that slows down favours no side.
//
// usage: telemetry_cost_bench [ROUNDS]       (default 600; one round = four blocks)
// Must hold: at most 1 % of the step time. MLP, batch 32, one rank, one processor; the reader drains the ring every 20 ms on another
// processor, as an agent does. Compared are whole blocks, so nothing that happens in a step is left out. Median over the rounds, with
// its interval of 95 % confidence from order statistics, which asks nothing of how times are distributed.
#include <base/thread.h>
#include <comm/group.h>
#include <exec_cpu/cpu_executor.h>
#include <telemetry/ring.h>
#include <train/rank.h>

#include <fmt/core.h>

#include <unistd.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

using namespace lockstep;

namespace {

constexpr std::uint64_t kStepsPerBlock = 64;
constexpr std::array kTelemetryOn = {false, true, true, false};
constexpr std::uint64_t kWarmUp = 4 * kStepsPerBlock;
constexpr double kLimit = 0.01;

template <class Value>
Value must(Result<Value> result) {
    if (result.ok()) return std::move(result).value();
    fmt::print(stderr, "{}\n", result.error().toText());
    std::exit(1);
}

struct Interval {
    double low = 0, median = 0, high = 0;
};

// The median of the population lies between these two values of the sample with 95 % confidence (binomial, normal approximation).
Interval medianOf(std::vector<double> values) {
    std::ranges::sort(values);
    const auto count = static_cast<double>(values.size());
    const double reach = 0.98 * std::sqrt(count);
    const auto at = [&](double rank) { return values[static_cast<std::size_t>(std::clamp(rank, 0.0, count - 1))]; };
    return {at(std::floor(count / 2 - reach)), values[values.size() / 2], at(std::ceil(count / 2 + reach))};
}

// Turns telemetry on and off between steps and times the blocks.
class Alternation {
public:
    Alternation(train::RankHooks& hooks, telemetry::Ring& ring) : m_hooks(hooks) {
        m_spare = [&ring](const telemetry::Sample& sample) { ring.push(sample); };
        m_hooks.progress = [this](std::uint64_t step) { stepDone(step); };
    }

    std::vector<double> off, on, ratios;  // seconds per step, one of each per round

private:
    void stepDone(std::uint64_t step) {
        if (step < kWarmUp || step % kStepsPerBlock != 0) return;
        const auto now = std::chrono::steady_clock::now();
        if (step > kWarmUp) {
            m_seconds[kTelemetryOn[m_block] ? 1 : 0] += std::chrono::duration<double>(now - m_begin).count();
            m_block = (m_block + 1) % kTelemetryOn.size();
            if (m_block == 0) finishRound();
        }
        // What decides whether a step makes samples is whether somebody wants them.
        if (kTelemetryOn[m_block] != static_cast<bool>(m_hooks.sample)) std::swap(m_hooks.sample, m_spare);
        m_begin = std::chrono::steady_clock::now();
    }

    void finishRound() {
        constexpr double kStepsOfEach = 2.0 * kStepsPerBlock;
        off.push_back(m_seconds[0] / kStepsOfEach);
        on.push_back(m_seconds[1] / kStepsOfEach);
        ratios.push_back(m_seconds[1] / m_seconds[0]);
        m_seconds = {};
    }

    train::RankHooks& m_hooks;
    std::function<void(const telemetry::Sample&)> m_spare;
    std::chrono::steady_clock::time_point m_begin;
    std::size_t m_block = 0;
    std::array<double, 2> m_seconds{};
};

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::max(10, std::atoi(argv[1])) : 600;
    const auto cache = std::filesystem::temp_directory_path() / ("lockstep-bench-" + std::to_string(::getpid()));
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
    options.epochs = 100'000;
    options.steps = kWarmUp + static_cast<std::uint64_t>(rounds) * kTelemetryOn.size() * kStepsPerBlock;
    options.evaluate = false;
    options.compile.threads = 1;
    options.compile.processors = {usableProcessors().front()};
    train::RankHooks hooks;
    Alternation alternation(hooks, ring);
    const auto executor = exec::cpu::makeCpuExecutor();
    const auto group = comm::makeSingleGroup();
    must(train::runRank(options, *executor, *group, hooks));
    std::error_code ignored;
    std::filesystem::remove_all(cache, ignored);
    if (ring.pushed() < static_cast<std::uint64_t>(rounds) * 2 * kStepsPerBlock) {
        fmt::print(stderr, "the blocks with telemetry made too few samples\n");
        return 1;
    }
    if (ring.dropped() > 0) fmt::print("{} samples were dropped\n", ring.dropped());
    const Interval cost = medianOf(alternation.ratios);
    fmt::print(
        "step without telemetry {:.2f} us, with {:.2f} us; cost {:+.2f} % (95 % confidence {:+.2f} to {:+.2f} %, {} rounds; limit {:.0f} "
        "%)\n",
        medianOf(alternation.off).median * 1e6, medianOf(alternation.on).median * 1e6, (cost.median - 1) * 100, (cost.low - 1) * 100,
        (cost.high - 1) * 100, rounds, kLimit * 100);
    return cost.median - 1 <= kLimit ? 0 : 1;
}
