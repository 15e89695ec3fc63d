// Models as graph builders: from an architecture (architecture.h) to the forward pass of `rows` rows. The graph has
//   Inputs   "x" [rows, …features] (T, or i32 for tokens), "labels" i32 [rows] or "targets" T (loss.h), "weights" T [rows];
//   States   for the weights, in the order of the layers, each layer's as Keras lists them (kernel, bias; gamma, beta, moving_mean,
//            moving_variance);
//   outputs  "logits" (what the model gives: probabilities when it ends in a softmax), "loss" (Σ weights · loss), "correct"
//            (Σ weights · hit) and one "metric/<name>" for each further metric; those of metric.h are counts, [2, buckets].
// With weights 1/global rows for real rows and 0 for padding the sums over ranks are the true means, also of an uneven last batch.
//
// Inputs that only some models have, all scalars of T:
//   "count"              how many of the rows are real (batch normalisation while training)
//   "first_row", "step"  place of the first row within the global batch, and the 1-based step (dropout while training: the same
//                        drops on any split of the rows)
//   "statistics_weight"  what this rank's batch moments are multiplied by before they are summed over ranks and given to MovingUpdate:
//                        1 alone; rows of this rank / rows of the batch for the mean over rows; 1 on rank 0 and 0 elsewhere for Keras 3
#pragma once

#include <base/result.h>
#include <graph/graph.h>
#include <nn/architecture.h>
#include <nn/loss.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::nn {

struct ModelOptions {
    std::string preset = "cnn";  // see presets.h; not read when there is an architecture
    std::vector<std::int64_t> inputShape = {28, 28, 1};
    int classes = 10;
    std::optional<Architecture> architecture = std::nullopt;  // its own inputShape holds
    std::uint64_t seed = 1;                                   // of dropout
    LossOptions loss = {};
    std::vector<std::int64_t> targetWidths = {};             // numbers for a row that the data can give as "targets"; empty: any number
    std::vector<MetricOptions> metrics = {MetricOptions{}};  // the first gives "correct"
    double kernelL1 = 0;                                     // of every kernel whose layer has no kernel_regularizer of its own
    double kernelL2 = 0;
    // Keras' dtype policy of layers that have none of their own (precision.h). A preset's last layer stays float32. A float64 model ignores
    // all of them.
    std::string policy = "float32";
    bool operator==(const ModelOptions&) const = default;
};

// Inference: batch normalisation uses its moving statistics, and dropout is left out.
enum class Phase : std::uint8_t { Training, Inference };

enum class WeightRole : std::uint8_t {
    Trained,
    Frozen,     // of a layer with trainable: false
    Statistic,  // a moving mean or variance
    Constant,   // the ones or zeros that stand for a gamma or beta that the layer has not; Keras keeps no such weight
};

// One weight: its State's name ("conv2d/kernel", Keras' naming) and how Keras initialises it. The State's role is "weight" when it is
// trained, else "statistic".
struct WeightInfo {
    std::string name;
    graph::TensorType type;
    Named initializer;  // glorot_uniform, he_normal, zeros, …
    WeightRole role = WeightRole::Trained;
};

// state ← MovingUpdate(state, Σ over ranks of batch); `batch` is already multiplied by "statistics_weight". To be appended behind the
// all-reduce.
struct MovingStatistic {
    graph::Value state;
    graph::Value batch;
    double momentum = 0.99;   // as written: Keras does not round this one
    std::int64_t bessel = 0;  // places per row, for tf_keras' moving variance (attribute of MovingUpdate); 0 for Keras 3
};

// l1·Σ|w| + l2·Σw² is added to the loss. Factors are rounded to float32, as Keras computes with them.
struct Regularization {
    graph::Value weight;
    double l1 = 0;
    double l2 = 0;
};

struct Model {
    graph::Graph forward;
    std::vector<WeightInfo> weights;  // in State order
    std::vector<MovingStatistic> movingStatistics;
    std::vector<Regularization> regularizations;
};

// The forward graph for `rows` rows. Errors: S410 (unknown preset), S403 (shapes: the layer, the axis and both shapes), S415, S416
// (settings and inputs of layers), X009 (known to Keras, but not built).
Result<Model> buildModel(const ModelOptions& options, std::int64_t rows, graph::DType dtype, Phase phase = Phase::Training);

// Initial values of one weight from (seed, index of the weight in Model::weights), bytes in the weight's dtype. The same on every rank
// and host, and in both dtypes (drawn in float32). A random one with index 0 has the bits of Keras' initializer with that seed on its
// TensorFlow backend, with index k those of the (k + 1)-th draw of a keras.random.SeedGenerator(seed). Thread safe.
std::vector<std::byte> initialValue(const WeightInfo& weight, std::uint64_t seed, std::size_t index);

}  // namespace lockstep::nn
