// How fast a model trains here: the training loop of a rank, input included, for some seconds. For a process of its own: peak memory is
// that of the process, and the time to the first step counts from its start.
#pragma once

#include <base/clock.h>
#include <base/result.h>
#include <bench/curve.h>
#include <exec/executor.h>
#include <keras/keras_file.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::bench {

// A recorded curve instead of a preset: its layers, initial weights, optimizer, batch, and rows in their order again and again.
struct CurveStart {
    RecordedCurve curve;
    keras::KerasFile weights;
    std::string weightsName;  // for errors
};

struct TrainBenchOptions {
    std::string model = "mlp";  // a preset (benchModels()); Adam, rows shuffled
    std::int64_t batch = 32;
    std::string precision = "float32";  // Keras' policy
    std::optional<CurveStart> curve;    // instead of these three
    exec::CompileOptions compile;       // threads, processors
    std::filesystem::path mnist;        // folder with MNIST's files; read for models of its rows
    Seconds warmUp{0.5};                // not counted; at least kWarmUpSteps steps
    Seconds measured{3};                // and at least kLeastSteps steps
    std::chrono::steady_clock::time_point processStart = std::chrono::steady_clock::now();
    std::function<void(double part)> progress;  // 0 … 1, after each step
    std::atomic<bool>* stop = nullptr;          // set: ends early, error X003
};

inline constexpr std::uint64_t kWarmUpSteps = 3;
inline constexpr std::uint64_t kLeastSteps = 10;

struct TrainMeasure {
    std::uint64_t steps = 0;  // counted ones
    double seconds = 0;       // of all of them
    double imagesPerSecond = 0;
    double secondsP10 = 0, secondsP50 = 0, secondsP90 = 0;  // of a step, from the end of the one before
    double firstStepSeconds = 0;                            // from processStart to the end of the first step
    double flops = 0, bytes = 0;                            // of a step: what its graph asks for, each tensor read or written once per op
    std::uint64_t peakBytes = 0;                            // of this process, resident
    double loss = 0;                                        // of the last step
    std::vector<double> firstLosses;                        // of the first 20 steps
};

// Presets that measureTraining() has rows for.
std::vector<std::string> benchModels();

// Blocks. Errors: those of train::runRank and runParity(); X009 (a precision or a preset without rows).
Result<TrainMeasure> measureTraining(const TrainBenchOptions& options, exec::Executor& executor);

}  // namespace lockstep::bench
