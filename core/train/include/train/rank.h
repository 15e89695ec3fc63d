// The training of one rank, from specification values to a result. Runs in a rank process (`lockstep worker --task=rank`), in tests
// also as threads. Everything it needs comes in by value or interface; it knows no agent, no socket and no file but its checkpoints.
#pragma once

#include <base/clock.h>
#include <base/result.h>
#include <comm/group.h>
#include <data/augment.h>
#include <data/batches.h>
#include <data/dataset.h>
#include <data/feed.h>
#include <exec/executor.h>
#include <nn/model.h>
#include <nn/optimizer.h>
#include <passes/recompute.h>
#include <telemetry/sample.h>
#include <train/checkpoint.h>
#include <train/epoch_rules.h>
#include <train/profile.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep::train {

using data::SliceShare;

// Which data (data/dataset.h: names, files, shapes, validation split) and in which order. cacheFolder empty = the user's.
struct DataSource : data::LoadOptions {
    bool shuffle = true;
    std::optional<std::uint64_t> shuffleSeed;     // of the order of rows; none = RankOptions::seed
    std::vector<std::uint32_t> order;             // explicit rows of every epoch, in order, instead of all of them; for recorded curves
    std::shared_ptr<const data::Dataset> loaded;  // instead of files
    data::Augmentation augment;                   // of the training rows; its seed is the run's
    data::Normalisation normalise;                // of all rows
};

struct CheckpointPolicy {
    std::filesystem::path folder;  // runs/<id>/checkpoints
    std::optional<Seconds> every;  // none = only at the end and on request
    int keep = 2;
    std::string specHash;  // a checkpoint of another specification is refused (C702)
};

// How the ranks' parts of a batch become one update (distribution.reduction).
enum class Reduction : std::uint8_t {
    Rows,      // the mean over its rows
    Replicas,  // Keras 3 under MirroredStrategy: the mean of the replicas' means, an empty one counting as 0; each clips its own gradient
               // before the sum; moving statistics are those of replica 0. One slice per rank.
};

struct RankOptions {
    int rank = 0;
    nn::ModelOptions model;  // preset, input shape, classes
    nn::OptimizerOptions optimizer;
    DataSource data;
    std::int64_t globalBatch = 32;  // rows of one batch
    int accumulation = 1;           // batches per update; a step is one update
    bool kerasCompatible = false;   // under accumulation, as Keras does: schedules and the average of the weights count batches
    Reduction reduction = Reduction::Rows;
    std::vector<passes::RecomputeCut> recompute;  // activations dropped between these places and computed again
    int epochs = 3;
    std::optional<std::uint64_t> steps;  // stops earlier
    std::uint64_t seed = 1;
    SliceShare slices;
    // The own slices run one after the other, for less memory; otherwise as one. Not with Reduction::Replicas.
    bool slicesApart = false;
    std::size_t bytesPerPack = 25u << 20;
    graph::DType dtype = graph::DType::F32;
    std::vector<std::vector<std::byte>> initialWeights;  // one per weight in State order, in `dtype`; empty = drawn from the seed
    bool evaluate = true;                                // over the validation rows, after each epoch and at the end
    bool stopOnNan = true;
    EpochRules rules;
    std::optional<Seconds> timeLimit;  // of this process' training; then it stops as if asked to
    bool resume = false;               // start from the newest whole checkpoint of the folder
    CheckpointPolicy checkpoint;
    std::size_t feedBuffers = data::kUsualBuffers;  // batches prepared ahead (data/feed.h)
    exec::CompileOptions compile;                   // threads, processors
    Seconds collectiveDeadline{60};
};

// Called from the training thread, so they must be quick; all optional.
struct RankHooks {
    std::function<void(const telemetry::Sample&)> sample;
    std::function<void(std::uint64_t step)> progress;     // after each finished step
    std::function<void(const std::string& phase)> phase;  // begins: "data", "compile", "rendezvous", "first step", "evaluation", "training"
    std::function<void(std::uint64_t step, const std::string& id)> checkpointed;
    std::function<void(const Error&)> warning;                      // e.g. disk full while checkpointing; the run goes on
    std::function<void(std::span<const StateTensor>)> finalStates;  // once, behind the last step
    std::function<void(const StepProfile&)> profile;                // likewise; empty without CompileOptions::timeOps
    // Set on any rank: all ranks finish the same step, rank 0 writes a checkpoint, all leave with stopped = true.
    std::atomic<bool>* stop = nullptr;
    // Set on any rank: rank 0 writes a checkpoint after one of the next steps; cleared.
    std::atomic<bool>* checkpointNow = nullptr;
};

struct RankResult {
    bool stopped = false;     // left because asked to, or by a rule of `stop`
    std::string endedBy;      // the rule that ended it early: "early_stopping", "stop.target", "stop.time"
    std::uint64_t steps = 0;  // finished steps, counted from 1 of the run
    int epochs = 0;           // finished epochs
    double loss = 0;          // mean of the last epoch over all rows and ranks
    double accuracy = 0;      // NaN when the metrics have none
    std::optional<double> valLoss;
    std::optional<double> valAccuracy;
    std::string weightsHash;  // SHA-256 over all weights in State order: equal on all ranks
};

// Trains until done, stopped or failed. Blocks. `executor` and `group` outlive the call.
//
// The update of a step is the exact mean over the rows of its batch on all ranks (but see Reduction). Rank 0 alone reads and writes
// checkpoints and sends the state to the others; all ranks compare settings, data and weights before the first step. A loss or gradient
// that is not finite ends the run before the poisoned weights are kept. Errors: R503 (loss), R513 (gradient), R505–R507 (collectives), R508
// (ranks differ), R511 (slices), R512 (rank 0 can't resume), F6xx (data), C7xx (checkpoint), S4xx (model), S310 (batch smaller than the
// slices).
Result<RankResult> runRank(const RankOptions& options, exec::Executor& executor, comm::Group& group, const RankHooks& hooks);

}  // namespace lockstep::train
