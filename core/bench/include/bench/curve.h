// A training curve recorded from real Keras: a file of the format of tests/fixtures/keras/<model>-<configuration>.json
// (resources/docs/formats/curve.md). Values, thread safe.
#pragma once

#include <base/result.h>
#include <data/dataset.h>
#include <nn/model.h>
#include <nn/optimizer.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::bench {

struct RecordedWeight {
    std::string path;  // "conv2d/kernel"
    std::vector<std::int64_t> shape;
    std::vector<std::size_t> at;  // places in C order
    std::vector<double> values;   // of the float64 run, after the last step
    double length = 0;            // Euclidean norm of the whole weight
};

struct RecordedCurve {
    std::string model;           // "mlp": its name, for people
    std::string initialWeights;  // "mlp.keras": name of the file beside the curve with the layers and the weights it starts from
    nn::OptimizerOptions optimizer;
    double labelSmoothing = 0;
    double l2 = 0;               // on every kernel of a dense or conv2d layer
    std::string policy;          // "float32", "mixed_bfloat16"
    bool outputFloat32 = false;  // the last layer has the policy float32
    int accumulation = 1;        // gradient_accumulation_steps: losses and norms are those of the micro steps
    std::int64_t batch = 0;
    std::vector<double> losses;  // per (micro) step, of the float64 run; of the float32 run where the file has no other
    std::vector<double> gradientNorms;
    std::vector<double> tolerances;  // relative, per step, for 32-bit runs
    double gradientNormTolerance = 0;
    double weightsTolerance = 0;  // relative, of the Euclidean distance
    std::vector<RecordedWeight> finalWeights;
};

// Errors: F602 (not readable), F637 (not such a file: what is missing or wrong).
Result<RecordedCurve> readCurve(const std::filesystem::path& file);

// The rows the recorded MNIST batches took, in order: batch k of size B has entries kB … kB + B − 1. xorshift32 from the recorded seed.
std::vector<std::uint32_t> recordedRows(std::size_t count);

// The recorded 32 × 32 × 3 pictures 0 … count − 1 and their labels, made by the rule in batches.json.
data::Split recordedPictures(std::int64_t count);

}  // namespace lockstep::bench
