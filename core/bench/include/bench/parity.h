// Runs a recorded Keras curve through the training loop and says how far the two are apart.
#pragma once

#include <base/result.h>
#include <bench/curve.h>
#include <exec/executor.h>
#include <graph/types.h>
#include <keras/keras_file.h>

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
    keras::KerasFile weights;     // the recorded initial ones
    std::string weightsName;      // its file, for errors
    std::filesystem::path mnist;  // folder with MNIST's files; only read for models that take them
    graph::DType dtype = graph::DType::F32;
    exec::CompileOptions compile;
    std::optional<std::uint64_t> updates = {};  // only so many of them, and no final weights
    std::function<void(std::size_t step, std::size_t steps)> progress;
    std::atomic<bool>* stop = nullptr;  // set: leaves with what was run, `complete` false
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
};

// In float64 every tolerance is 1e-9. Errors: those of train::runRank; S413, C710 (weights that don't fit), F65x (config.json), X009 (a
// policy not built here).
Result<ParityResult> runParity(const ParityOptions& options, exec::Executor& executor);

}  // namespace lockstep::bench
