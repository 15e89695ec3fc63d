// Runs a recorded Keras curve through the training loop and says how far the two are apart.
#pragma once

#include <base/result.h>
#include <bench/curve.h>
#include <exec/executor.h>
#include <graph/types.h>
#include <keras/keras_file.h>
#include <train/rank.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::bench {

struct ParityOptions {
    RecordedCurve curve;
    keras::KerasFile weights;     // the curve's initial_weights: layers and weights
    std::string weightsName;      // its file, for errors
    std::filesystem::path mnist;  // folder with MNIST's files; only read for models whose rows have 784 features
    graph::DType dtype = graph::DType::F32;
    exec::CompileOptions compile;
    std::optional<std::uint64_t> updates = {};  // only so many of them, and no final weights
    std::function<void(std::size_t step, std::size_t steps)> progress;
    std::atomic<bool>* stop = nullptr;  // set: leaves with what was run, `complete` false
};

// The first value that was out of its tolerance.
struct Miss {
    std::string what;       // "loss", "gradient norm", "final weights"
    std::size_t step = 0;   // 1-based update; of the weights: the last
    double found = 0;       // of the weights: their distance
    double expected = 0;    // 0 for the weights
    double difference = 0;  // relative
    double allowed = 0;     // relative
};

struct ParityResult {
    bool complete = false;
    bool withinTolerance = false;       // losses and gradient norms of all steps that were run, and the final weights
    double worstRelative = 0;           // of the losses
    std::size_t worstStep = 0;          // 1-based, where it is
    double worstOfTolerance = 0;        // the loss difference that fills most of its step's tolerance, as a part of it
    double worstGradientNorm = 0;       // relative
    double worstWeight = 0;             // of the recorded entries of the final weights: |difference| / max(1, |value|)
    double weightsDistance = 0;         // of all final weights, relative; estimated from the recorded entries
    std::vector<double> losses;         // per update: the mean over its micro steps
    std::vector<double> gradientNorms;  // of the update's gradient
    std::optional<Miss> miss;           // nothing when all is within tolerance
};

// What runParity() runs. runRecorded() takes any other options of the same model, rows and weights, as those that come from a
// specification.
Result<train::RankOptions> recordedRun(const ParityOptions& options);
Result<ParityResult> runRecorded(const ParityOptions& options, const train::RankOptions& rank, exec::Executor& executor);

// The layers are those of the file; rows are MNIST's for a model that takes 784 features, the recorded pictures for one that takes
// 32 × 32 × 3. In float64 every tolerance is 1e-9. Errors: those of train::runRank and imports/keras_model.h; X009 (a policy or rows that
// are not built here).
Result<ParityResult> runParity(const ParityOptions& options, exec::Executor& executor);

}  // namespace lockstep::bench
