// Models as graph builders. A model is built into a graph as its forward pass: Inputs "x" [rows, …features], "labels" i32 [rows] and
// "weights" [rows]; States for its weights; outputs "logits", "loss" (Σ weights · loss) and "correct" (Σ weights · hit). With weights
// 1/global rows for real rows and 0 for padding the sums over ranks are the true means, also of an uneven last batch.
#pragma once

#include <base/result.h>
#include <graph/graph.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::nn {

struct ModelOptions {
    std::string preset = "cnn";  // mlp, cnn
    std::vector<std::int64_t> inputShape = {28, 28, 1};
    int classes = 10;
    bool operator==(const ModelOptions&) const = default;
};

// One weight: its State's name ("conv2d/kernel", Keras' naming) and how Keras initialises it.
struct WeightInfo {
    std::string name;
    graph::TensorType type;
    std::string initializer;  // "glorot_uniform" | "zeros"
};

struct Model {
    graph::Graph forward;
    std::vector<WeightInfo> weights;  // in State order
};

// The forward graph for `rows` rows. Errors: S410 (unknown preset), S403 (shapes).
Result<Model> buildModel(const ModelOptions& options, std::int64_t rows, graph::DType dtype);

// Initial values of one weight from (seed, index of the weight in Model::weights), bytes in the weight's dtype. The same on every rank
// and host, and in both dtypes (drawn in float32). glorot_uniform with index 0 gives the bits of Keras' GlorotUniform(seed=seed), with
// index k those of the (k + 1)-th draw of a keras.random.SeedGenerator(seed). Thread safe.
std::vector<std::byte> initialValue(const WeightInfo& weight, std::uint64_t seed, std::size_t index);

}  // namespace lockstep::nn
