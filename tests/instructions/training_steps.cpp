// Trains a preset for some steps, for count.py: `training_steps MODEL BATCH STEPS`. One thread; rows are made here, so that nothing depends
// on files or on what ran before.
#include <comm/group.h>
#include <exec_cpu/cpu_executor.h>
#include <train/rank.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

using namespace lockstep;

namespace {

constexpr std::int64_t kRows = 64;
constexpr std::size_t kFeatures = 784;

std::shared_ptr<const data::Dataset> rows() {
    struct Memory {
        std::vector<std::byte> features;
        std::vector<std::int32_t> labels;
    };
    auto memory = std::make_shared<Memory>();
    for (std::size_t i = 0; i < kRows * kFeatures; ++i) memory->features.push_back(static_cast<std::byte>((i * 2654435761U) >> 24));
    for (std::int32_t i = 0; i < kRows; ++i) memory->labels.push_back(i % 10);
    auto dataset = std::make_shared<data::Dataset>();
    dataset->train.featureShape = {28, 28, 1};
    dataset->train.rows = kRows;
    dataset->train.features = memory->features;
    dataset->train.labels = memory->labels;
    dataset->train.keepAlive = memory;
    dataset->classes = 10;
    return dataset;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) return 2;
    train::RankOptions options;
    options.model.preset = arguments[1];
    options.optimizer = nn::optimizerDefaults("adam");
    options.data.loaded = rows();
    options.globalBatch = std::atoi(arguments[2]);
    options.epochs = 1000;
    options.steps = static_cast<std::uint64_t>(std::atoi(arguments[3]));
    options.evaluate = false;
    const auto executor = exec::cpu::makeCpuExecutor();
    const auto group = comm::makeSingleGroup();
    train::RankHooks hooks;
    hooks.sample = [](const telemetry::Sample&) {};
    const auto result = train::runRank(options, *executor, *group, hooks);
    if (!result.ok()) {
        std::fprintf(stderr, "%s\n", result.error().toText().c_str());
        return 1;
    }
    std::printf("%.9g\n", result->loss);
    return 0;
}
