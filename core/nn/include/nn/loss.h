// Losses and metrics with Keras' names and formulas (keras/losses/losses.py, keras/metrics), one number per row of the batch.
#pragma once

#include <base/result.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::nn {

struct LossOptions {
    // sparse_categorical_crossentropy, categorical_crossentropy, binary_crossentropy, mean_squared_error, mean_absolute_error, huber
    std::string name = "sparse_categorical_crossentropy";
    // Of the cross-entropies. false: the model gives probabilities; where they come from a softmax or sigmoid at its end, the
    // loss is computed from what went into it, as Keras does.
    bool fromLogits = true;
    double labelSmoothing = 0;  // categorical and binary
    double delta = 1;           // huber
    // categorical: the targets are numbers of classes ("labels") instead of rows of numbers ("targets"); the same as one-hot targets.
    bool labelTargets = true;
    bool operator==(const LossOptions&) const = default;
};

// A value like accuracy: Σ weights · value of a row; or one that follows from counts (metric.h). "accuracy" is resolved by the loss, as
// Keras does.
struct MetricOptions {
    // accuracy, sparse_categorical_accuracy, categorical_accuracy, binary_accuracy, sparse_top_k_categorical_accuracy,
    // top_k_categorical_accuracy, mean_squared_error, mean_absolute_error, auc, precision, recall
    std::string name = "accuracy";
    std::int64_t k = 5;      // top-k accuracies
    double threshold = 0.5;  // binary_accuracy, precision, recall: of what the model gives
    std::int64_t topK = 0;   // precision, recall: > 0: instead of the threshold, the k largest numbers of a row count
    bool operator==(const MetricOptions&) const = default;
};

enum class TargetKind : std::uint8_t {
    Labels,  // Input "labels" i32 [rows]
    Values,  // Input "targets" T, of the shape of the model's result
};
TargetKind targetsOf(const LossOptions& options);

std::vector<std::string> lossNames();
std::vector<std::string> metricNames();

// Error S418: unknown name or an option out of range.
Result<void> checkLoss(const LossOptions& options);
Result<void> checkMetric(const MetricOptions& options);

}  // namespace lockstep::nn
