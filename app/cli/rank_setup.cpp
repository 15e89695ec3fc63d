#include "rank_setup.h"

#include <base/paths.h>
#include <control/data_facts.h>
#include <control/keras_model.h>
#include <data/batches.h>
#include <data/dataset.h>
#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>
#include <imports/keras_model.h>

#include <algorithm>

namespace lockstep::cli {

namespace {

std::string wordOf(const spec::CallbackSpec& callback, std::string_view name) { return std::get<std::string>(settingOf(callback, name)); }
bool flagOf(const spec::CallbackSpec& callback, std::string_view name) { return std::get<bool>(settingOf(callback, name)); }
std::optional<double> maybeNumberOf(const spec::CallbackSpec& callback, std::string_view name) {
    const nn::Setting value = settingOf(callback, name);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return std::nullopt;
}
double numberOf(const spec::CallbackSpec& callback, std::string_view name) { return maybeNumberOf(callback, name).value_or(0); }
int wholeOf(const spec::CallbackSpec& callback, std::string_view name) { return static_cast<int>(numberOf(callback, name)); }

// Keras' "auto": what is measured in hits grows, what is measured in errors shrinks.
train::Goal goalOf(const spec::CallbackSpec& callback) {
    const std::string mode = wordOf(callback, "mode"), monitor = wordOf(callback, "monitor");
    if (mode != "auto") return mode == "max" ? train::Goal::Greater : train::Goal::Less;
    for (const char* word : {"accuracy", "auc", "precision", "recall"})
        if (monitor.ends_with(word)) return train::Goal::Greater;
    return train::Goal::Less;
}

// Files lie in the folder of the run, which is known later.
train::EpochRules rulesOf(const spec::RunSpec& spec) {
    train::EpochRules rules;
    for (const spec::CallbackSpec& c : spec.training.callbacks) {
        if (c.name == "early_stopping")
            rules.earlyStopping = {wordOf(c, "monitor"),          goalOf(c),
                                   numberOf(c, "min_delta"),      wholeOf(c, "patience"),
                                   maybeNumberOf(c, "baseline"),  flagOf(c, "restore_best_weights"),
                                   wholeOf(c, "start_from_epoch")};
        if (c.name == "reduce_lr_on_plateau")
            rules.reduceOnPlateau = {wordOf(c, "monitor"),     goalOf(c),
                                     numberOf(c, "factor"),    wholeOf(c, "patience"),
                                     numberOf(c, "min_delta"), wholeOf(c, "cooldown"),
                                     numberOf(c, "min_lr")};
        if (c.name == "model_checkpoint")
            rules.bestCheckpoint = {wordOf(c, "monitor"), goalOf(c), maybeNumberOf(c, "initial_value_threshold"), kBestFolder};
        if (c.name == "csv_logger") rules.csvLog = {wordOf(c, "filename"), wordOf(c, "separator")};
        if (c.name == "learning_rate_scheduler")
            rules.rates = {numberOf(c, "factor"), wholeOf(c, "epochs"), wholeOf(c, "start_from_epoch")};
    }
    if (!spec.stopTarget) return rules;
    // Checked when the specification was read.
    const auto target = spec::parseStopTarget(*spec.stopTarget, "stop.target");
    if (target.ok()) rules.target = {target->monitor, target->greater ? train::Goal::Greater : train::Goal::Less, target->value};
    return rules;
}

}  // namespace

void placeFiles(train::RankOptions& options, const std::filesystem::path& runFolder, const std::filesystem::path& checkpoints) {
    options.checkpoint.folder = checkpoints;
    if (options.rules.bestCheckpoint) options.rules.bestCheckpoint->folder = runFolder / options.rules.bestCheckpoint->folder;
    if (options.rules.csvLog) options.rules.csvLog->file = runFolder / options.rules.csvLog->file;
}

train::RankOptions rankOptionsOf(const spec::RunSpec& spec, const plan::Plan& plan, int rank, const std::filesystem::path& dataFolder,
                                 const plan::DataFacts& data) {
    const auto& mine = plan.ranks.at(static_cast<std::size_t>(rank));
    train::RankOptions options;
    options.rank = rank;
    options.model = spec::modelOptionsOf(spec, {data.rowShape, data.classes, data.targetWidth});
    options.optimizer = spec::optimizerOptionsOf(spec);
    static_cast<data::LoadOptions&>(options.data) = control::loadOptions(spec, dataFolder);
    options.data.augment = control::augmentationOf(spec);
    options.data.normalise = control::normalisationOf(spec);
    options.data.shuffle = spec.data.shuffle;
    options.data.shuffleSeed = spec.data.shuffleSeed;
    options.globalBatch = spec.training.globalBatchSize;
    options.accumulation = spec.training.accumulation;
    options.kerasCompatible = spec.training.kerasCompatible;
    if (spec.distribution.reduction == "keras") options.reduction = train::Reduction::Replicas;
    options.epochs = spec.training.epochs;
    options.steps = spec.training.steps;
    options.seed = spec.seed;
    options.slices = {plan.sliceTotal, mine.firstSlice, mine.sliceCount};
    options.slicesApart = plan.memory.slicesApart;
    for (const auto& cut : plan.memory.recompute) options.recompute.push_back({cut.after, cut.level});
    options.feedBuffers = static_cast<std::size_t>(std::max(plan.memory.preparedBatches, 2));
    options.bytesPerPack = spec.distribution.bytesPerPack;
    options.stopOnNan = spec.stopOnNan;
    options.rules = rulesOf(spec);
    options.timeLimit = spec.stopTime;
    options.checkpoint = {{}, spec.checkpoint.every, spec.checkpoint.keep, spec::specHash(spec)};
    options.compile.threads = static_cast<int>(std::max<std::size_t>(mine.cores.size(), 1));
    options.compile.processors = mine.cores;
    return options;
}

Result<RankSetup> makeRankSetup(const spec::RunSpec& given, const plan::Plan& plan, int rank, const std::filesystem::path& dataFolder) {
    spec::RunSpec spec = given;
    LS_TRY_ASSIGN(const auto file, control::resolveModel(spec));
    LS_TRY_ASSIGN(const auto dataset, data::loadDataset(control::loadOptions(spec, dataFolder)));
    RankSetup setup;
    plan::DataFacts facts;
    facts.rowShape = dataset.train.featureShape;
    facts.classes = dataset.classes;
    facts.targetWidth = dataset.train.targetWidth;
    setup.options = rankOptionsOf(spec, plan, rank, dataFolder, facts);
    auto& options = setup.options;
    if (file) {
        LS_TRY_ASSIGN(const nn::Model built, nn::buildModel(options.model, 1, options.dtype));
        LS_TRY_ASSIGN(options.initialWeights, imports::weightsOf(*file, built, options.dtype, spec.model.keras->string()));
    }
    // The schedule counts batches.
    const auto batches = static_cast<std::uint64_t>(options.accumulation);
    const auto most = options.steps ? std::optional(*options.steps * batches) : std::nullopt;
    setup.steps = data::Schedule(dataset.train.rows, options.globalBatch, options.epochs, most).totalSteps() / batches;
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
    return {result.stopped, result.steps,       result.epochs,      result.loss,   result.accuracy,
            result.valLoss, result.valAccuracy, result.weightsHash, result.endedBy};
}

}  // namespace lockstep::cli
