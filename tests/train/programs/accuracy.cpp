// Test accuracy on MNIST after three epochs: two ranks as threads, global batch 32, Adam, mean of three seeds. Arguments: preset
// (mlp | cnn), least mean accuracy. Exit code 1 when the mean is below it, 77 without LOCKSTEP_SOAK (minutes of computing).
#include <exec_cpu/cpu_executor.h>
#include <train/rank.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace lockstep;

namespace {

train::RankOptions optionsOf(const std::string& preset, std::uint64_t seed, int rank) {
    train::RankOptions options;
    options.rank = rank;
    options.model.preset = preset;
    options.data.folder = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "resources/data/mnist";
    options.seed = seed;
    options.slices = {2, rank, 1};
    return options;
}

// Nothing on failure, which is printed.
std::optional<double> accuracyOf(const std::string& preset, std::uint64_t seed) {
    auto groups = comm::makeThreadGroups(2);
    std::vector<std::optional<Result<train::RankResult>>> results(2);
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 2; ++rank)
        threads.emplace_back([&, rank] {
            const auto executor = exec::cpu::makeCpuExecutor();
            const auto place = static_cast<std::size_t>(rank);
            results[place] = train::runRank(optionsOf(preset, seed, rank), *executor, *groups[place], {});
        });
    threads.clear();
    for (const auto& result : results)
        if (!result->ok()) {
            std::fprintf(stderr, "%s\n", result->error().toText().c_str());
            return std::nullopt;
        }
    const auto& result = results[0]->value();
    const Seconds time = std::chrono::steady_clock::now() - begin;
    std::printf("%s seed %llu: accuracy %.4f, loss %.4f, val_loss %.4f, %.1f s\n", preset.c_str(), static_cast<unsigned long long>(seed),
                *result.valAccuracy, result.loss, *result.valLoss, time.count());
    std::fflush(stdout);
    return *result.valAccuracy;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    if (std::getenv("LOCKSTEP_SOAK") == nullptr) return 77;
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto accuracy = accuracyOf(argv[1], seed);
        if (!accuracy) return 1;
        sum += *accuracy;
    }
    const double least = std::atof(argv[2]);
    std::printf("%s mean of 3 seeds: %.4f (least %.4f)\n", argv[1], sum / 3, least);
    return sum / 3 >= least ? 0 : 1;
}
