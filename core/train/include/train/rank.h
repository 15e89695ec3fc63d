// The training of one rank, from specification values to a result. Runs in a rank process (`lockstep worker --task=rank`), in tests
// also as threads. Everything it needs comes in by value or interface; it knows no agent, no socket and no file but its checkpoints.
#pragma once

#include <base/clock.h>
#include <base/result.h>
#include <comm/group.h>
#include <exec/executor.h>
#include <nn/model.h>
#include <nn/optimizer.h>
#include <telemetry/sample.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::train {

// Slices of a rank from a step on. `first`..`first + count` of `total` slices of every batch (architecture 5).
struct SliceShare {
    int total = 1;
    int first = 0;
    int count = 1;
};

struct DataSource {
    std::string dataset = "mnist";      // mnist | idx
    std::filesystem::path folder;       // where its files are
    bool shuffle = true;
};

struct CheckpointPolicy {
    std::filesystem::path folder;       // runs/<id>/checkpoints
    std::optional<Seconds> every;       // none = only at the end and on request
    int keep = 2;
    std::string specHash;               // a checkpoint of another specification is refused (C702)
};

struct RankOptions {
    int rank = 0;
    nn::ModelOptions model;             // preset, input shape, classes
    nn::OptimizerOptions optimizer;
    DataSource data;
    std::int64_t globalBatch = 32;
    int epochs = 3;
    std::optional<std::uint64_t> steps; // stops earlier
    std::uint64_t seed = 1;
    SliceShare slices;
    std::size_t bytesPerPack = 25u << 20;
    graph::DType dtype = graph::DType::F32;
    bool stopOnNan = true;
    bool resume = false;                // start from the newest whole checkpoint of the folder
    CheckpointPolicy checkpoint;
    exec::CompileOptions compile;       // threads, processors
    Seconds collectiveDeadline{60};
};

// Called from the training thread, so they must be quick; all optional.
struct RankHooks {
    std::function<void(const telemetry::Sample&)> sample;
    std::function<void(std::uint64_t step)> progress;                       // after each finished step
    std::function<void(const std::string& phase)> phase;                    // "rendezvous", "compile", "first step"
    std::function<void(std::uint64_t step, const std::string& id)> checkpointed;
    std::function<void(const Error&)> warning;                              // e.g. disk full while checkpointing; the run goes on
    std::atomic<bool>* stop = nullptr;                                      // set: checkpoint, then leave with stopped = true
    std::atomic<bool>* checkpointNow = nullptr;                             // set: checkpoint after this step; cleared
};

struct RankResult {
    bool stopped = false;               // left because asked to
    std::uint64_t steps = 0;            // finished steps, counted from 1 of the run
    int epochs = 0;                     // finished epochs
    double loss = 0;                    // mean of the last epoch over all rows and ranks
    double accuracy = 0;
    std::optional<double> valLoss;
    std::optional<double> valAccuracy;
    std::string weightsHash;            // SHA-256 over all weights in State order: equal on all ranks
};

// Trains until done, stopped or failed. Blocks. Errors: R503 (NaN), R505–R507 (collectives), F6xx (data), C7xx (checkpoint),
// S4xx (model). `executor` and `group` outlive the call.
Result<RankResult> runRank(const RankOptions& options, exec::Executor& executor, comm::Group& group, const RankHooks& hooks);

}  // namespace lockstep::train
