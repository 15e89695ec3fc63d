// Runs of one to several ranks as threads of this process, on MNIST.
#pragma once

#include <support/scratch.h>

#include <base/ids.h>
#include <exec/executor.h>
#include <train/rank.h>

#include <unistd.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace lockstep::test {

using ExecutorMaker = std::function<std::unique_ptr<exec::Executor>()>;

// What one rank saw.
struct RankRun {
    std::optional<Result<train::RankResult>> result;
    std::map<std::pair<telemetry::Series, int>, std::map<std::uint64_t, double>> series;  // (series, rank) → step → value
    std::vector<Error> warnings;
    std::vector<std::string> phases;
    std::vector<std::pair<std::uint64_t, std::string>> checkpoints;

    const train::RankResult& value() const { return result->value(); }
    std::vector<double> losses() const {
        std::vector<double> all;
        for (const auto& [step, value] : series.at({telemetry::Series::Loss, telemetry::kNoRank})) all.push_back(value);
        return all;
    }
};

// Inflated MNIST, once per process.
inline const std::filesystem::path& cacheOfTests() {
    static const Scratch scratch;
    static const std::filesystem::path folder = scratch / "cache";
    return folder;
}

inline train::RankOptions mnistOptions(const std::string& preset, std::int64_t globalBatch, std::uint64_t steps) {
    train::RankOptions options;
    options.model.preset = preset;
    options.data.folder = sourceDir() / "resources/data/mnist";
    options.data.cacheFolder = cacheOfTests();
    options.globalBatch = globalBatch;
    options.epochs = 1000;
    options.steps = steps;
    options.evaluate = false;
    options.collectiveDeadline = Seconds(60);
    return options;
}

// A small data set: the first rows of MNIST in an explicit order.
inline train::RankOptions smallOptions(std::size_t rows, std::int64_t batch, int epochs) {
    train::RankOptions options = mnistOptions("mlp", batch, 0);
    options.steps.reset();
    options.epochs = epochs;
    for (std::uint32_t i = 0; i < rows; ++i) options.data.order.push_back(3 * i);
    return options;
}

// Called on each rank's thread before it starts, to change options or hooks.
using PerRank = std::function<void(int rank, train::RankOptions&, train::RankHooks&)>;

enum class Transport : std::uint8_t { Threads, SharedMemory };

inline std::vector<std::unique_ptr<comm::Group>> makeGroups(int size, Transport transport) {
    std::vector<std::unique_ptr<comm::Group>> groups(static_cast<std::size_t>(size));
    if (size == 1) groups[0] = comm::makeSingleGroup();
    if (size == 1) return groups;
    if (transport == Transport::Threads) return comm::makeThreadGroups(size);
    const std::string name = "/lockstep-" + std::to_string(::getuid()) + "-" + randomHex(4) + "-1";
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank)
        threads.emplace_back([&, rank] {
            comm::SharedMemoryOptions options;
            options.name = name;
            options.rank = rank;
            options.size = size;
            groups[static_cast<std::size_t>(rank)] = std::move(comm::joinSharedMemory(options).value());
        });
    threads.clear();
    return groups;
}

// `slices` of each rank; as many ranks as entries.
inline std::vector<RankRun> runRanks(const train::RankOptions& options, const ExecutorMaker& executor, const std::vector<int>& slices,
                                     const PerRank& perRank = {}, Transport transport = Transport::Threads) {
    const int size = static_cast<int>(slices.size());
    const auto groups = makeGroups(size, transport);
    std::vector<RankRun> runs(slices.size());
    int total = 0;
    for (const int count : slices) total += count;
    std::vector<std::thread> threads;
    int first = 0;
    for (int rank = 0; rank < size; ++rank) {
        train::RankOptions own = options;
        own.rank = rank;
        own.slices = {total, first, slices[static_cast<std::size_t>(rank)]};
        first += own.slices.count;
        threads.emplace_back([&, rank, own]() mutable {
            RankRun& run = runs[static_cast<std::size_t>(rank)];
            train::RankHooks hooks;
            hooks.sample = [&run](const telemetry::Sample& s) { run.series[{s.series, s.rank}][s.step] = s.value; };
            hooks.warning = [&run](const Error& error) { run.warnings.push_back(error); };
            hooks.phase = [&run](const std::string& phase) { run.phases.push_back(phase); };
            hooks.checkpointed = [&run](std::uint64_t step, const std::string& id) { run.checkpoints.emplace_back(step, id); };
            if (perRank) perRank(rank, own, hooks);
            const auto made = executor();
            run.result = train::runRank(own, *made, *groups[static_cast<std::size_t>(rank)], hooks);
        });
    }
    for (std::thread& thread : threads) thread.join();
    return runs;
}

inline double worstRelative(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return 1e9;
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]) / std::abs(b[i]));
    return worst;
}

}  // namespace lockstep::test

// Fails unless every rank came to its end.
#define VERIFY_RUNS(runs) \
    for (const auto& run : (runs)) VERIFY_OK(*run.result)
