#include "rank_setup.h"

#include <base/paths.h>
#include <control/data_facts.h>
#include <data/batches.h>
#include <data/dataset.h>
#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>

#include <algorithm>

namespace lockstep::cli {

train::RankOptions rankOptionsOf(const spec::RunSpec& spec, const plan::Plan& plan, int rank, const std::filesystem::path& dataFolder,
                                 const std::vector<std::int64_t>& rowShape, int classes) {
    const auto& mine = plan.ranks.at(static_cast<std::size_t>(rank));
    train::RankOptions options;
    options.rank = rank;
    options.model = spec::modelOptionsOf(spec, rowShape, classes);
    options.optimizer = spec::optimizerOptionsOf(spec);
    static_cast<data::LoadOptions&>(options.data) = control::loadOptions(spec, dataFolder);
    options.data.augment = control::augmentationOf(spec);
    options.data.normalise = control::normalisationOf(spec);
    options.data.shuffle = spec.data.shuffle;
    options.data.shuffleSeed = spec.data.shuffleSeed;
    options.globalBatch = spec.training.globalBatchSize;
    options.epochs = spec.training.epochs;
    options.steps = spec.training.steps;
    options.seed = spec.seed;
    options.slices = {plan.sliceTotal, mine.firstSlice, mine.sliceCount};
    options.slicesApart = plan.memory.slicesApart;
    for (const auto& cut : plan.memory.recompute) options.recompute.push_back({cut.after, cut.level});
    options.feedBuffers = static_cast<std::size_t>(std::max(plan.memory.preparedBatches, 2));
    options.bytesPerPack = spec.distribution.bytesPerPack;
    options.stopOnNan = spec.stopOnNan;
    options.checkpoint = {{}, spec.checkpoint.every, spec.checkpoint.keep, spec::specHash(spec)};
    options.compile.threads = static_cast<int>(std::max<std::size_t>(mine.cores.size(), 1));
    options.compile.processors = mine.cores;
    return options;
}

Result<RankSetup> makeRankSetup(const spec::RunSpec& spec, const plan::Plan& plan, int rank, const std::filesystem::path& dataFolder) {
    LS_TRY_ASSIGN(const auto dataset, data::loadDataset(control::loadOptions(spec, dataFolder)));
    RankSetup setup;
    setup.options = rankOptionsOf(spec, plan, rank, dataFolder, dataset.train.featureShape, dataset.classes);
    const auto& options = setup.options;
    setup.steps = data::Schedule(dataset.train.rows, options.globalBatch, options.epochs, options.steps).totalSteps();
    return setup;
}

Result<std::unique_ptr<comm::Group>> joinGroup(const plan::Plan& plan, const JoinOptions& options) {
    const int size = static_cast<int>(plan.ranks.size());
    if (plan.transport == "shm") {
        comm::SharedMemoryOptions shared;
        shared.name = options.sharedMemory;
        shared.rank = options.rank;
        shared.size = size;
        shared.epoch = options.epoch;
        shared.deadline = options.deadline;
        return comm::joinSharedMemory(shared);
    }
    if (plan.transport == "tcp") {
        comm::TcpOptions tcp;
        tcp.rank = options.rank;
        tcp.size = size;
        tcp.epoch = options.epoch;
        tcp.run = options.run;
        tcp.key = options.key;
        for (const auto& rank : plan.ranks) tcp.addresses.push_back(plan.tasks.at(static_cast<std::size_t>(rank.task)).address);
        tcp.listenFd = options.listenFd;
        tcp.deadline = options.deadline;
        return comm::joinTcp(tcp);
    }
    return comm::makeSingleGroup();
}

std::unique_ptr<exec::Executor> makeExecutor(bool reference) {
    return reference ? exec::ref::makeRefExecutor() : exec::cpu::makeCpuExecutor();
}

wire::RankDone toDone(const train::RankResult& result) {
    return {result.stopped,  result.steps,   result.epochs,      result.loss,
            result.accuracy, result.valLoss, result.valAccuracy, result.weightsHash};
}

}  // namespace lockstep::cli
