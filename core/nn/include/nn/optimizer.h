// Optimizers with Keras' names, defaults and update rules (Keras 3, keras/optimizers).
#pragma once

#include <base/result.h>
#include <graph/graph.h>
#include <nn/schedule.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::nn {

struct OptimizerOptions {
    std::string name = "adam";                         // sgd, adam, adamw, rmsprop, adagrad, lion, lamb
    double learningRate = 0.001;                       // Keras' default; of sgd 0.01
    double momentum = 0.0;                             // sgd, rmsprop
    bool nesterov = false;                             // sgd
    double beta1 = 0.9;                                // adam, adamw, lion, lamb
    double beta2 = 0.999;                              // the same; of lion 0.99
    double epsilon = 1e-7;                             // all but sgd and lion
    double rho = 0.9;                                  // rmsprop
    bool centered = false;                             // rmsprop
    double initialAccumulator = 0.1;                   // adagrad
    bool amsgrad = false;                              // adam, adamw
    std::optional<double> weightDecay = std::nullopt;  // decoupled; of adamw 0.004
    // At most one of these.
    std::optional<double> clipnorm = std::nullopt;        // limit of each gradient's norm
    std::optional<double> clipvalue = std::nullopt;       // limit of each gradient's values
    std::optional<double> globalClipnorm = std::nullopt;  // limit of the norm of all gradients together
    // The moving average of the weights is kept by the loop, behind the updates: average ← m·average + (1 − m)·weight, with m = 0 in
    // the first step; it replaces the weights every so many steps, and at the end.
    bool useEma = false;
    double emaMomentum = 0.99;
    std::optional<std::uint64_t> emaOverwriteFrequency = std::nullopt;
    std::optional<double> lossScaleFactor = std::nullopt;  // the loss was multiplied by it: gradients are divided by it first
    // Keras' LossScaleOptimizer around this one, as compile() puts it there under mixed_float16: the loss is multiplied by a scale before
    // the gradients are taken. A step whose gradients are not all finite, on all ranks together, is skipped: no update, no count, half
    // the scale. After lossScaleGrowthSteps finite ones in a row the scale doubles.
    bool dynamicLossScale = false;
    double initialLossScale = 32768;
    std::int64_t lossScaleGrowthSteps = 2000;
    ScheduleOptions schedule = {};  // its initial rate is learningRate, whatever stands in it
    bool operator==(const OptimizerOptions&) const = default;
};

std::vector<std::string> optimizerNames();
// Keras' defaults of that optimizer; those of adam for an unknown name.
OptimizerOptions optimizerDefaults(std::string_view name);
// Keys in Keras' words that not every optimizer has, as "momentum", and the optimizers that have them.
struct OptimizerKey {
    std::string_view key;
    std::vector<std::string_view> optimizers;
};
std::span<const OptimizerKey> optimizerKeys();

// Error S411: unknown optimizer, an option out of range, or two kinds of clipping.
Result<void> checkOptimizer(const OptimizerOptions& options);

// The rates of its steps: learningRateAt() of schedule.h, which allocates nothing.
ScheduleOptions scheduleOf(const OptimizerOptions& options);

// One weight with its gradient, both values of the graph that is being extended.
struct WeightGradient {
    graph::Value weight;
    graph::Value gradient;
};

// Appends the unscaling (lossScaleFactor) and clipping of the gradients, which become the clipped ones. Error S411.
Result<void> appendClipping(graph::Graph& graph, const OptimizerOptions& options, std::vector<WeightGradient>& gradients);
OptimizerOptions withoutClipping(OptimizerOptions options);

// Appends, in Keras' order, the unscaling and clipping of the gradients and one update per weight, which also decays it; before them
// their slots: States named "<weight>/momentum", "/m", "/v", … that start at zero but for adagrad's (slotStart). The Inputs
// "learning_rate" and "step" (1-based), scalars in the weights' dtype, are added where they are needed and not there yet. Error S411 as
// above. Slots are State nodes and thus must precede the updates; the pass that calls this appends to a copy of the graph.
Result<void> appendUpdates(graph::Graph& graph, const OptimizerOptions& options, const std::vector<WeightGradient>& gradients);

// States of the dynamic loss scale: the scale, finite steps since it changed, steps skipped so far.
inline constexpr std::string_view kLossScale = "loss_scale/dynamic_scale", kLossScaleCounter = "loss_scale/step_counter",
                                  kSkippedSteps = "loss_scale/skipped_steps";

// What the slot of that name starts with in a new run; rounded to float32, as Keras fills them.
double slotStart(const OptimizerOptions& options, std::string_view slot);

}  // namespace lockstep::nn
