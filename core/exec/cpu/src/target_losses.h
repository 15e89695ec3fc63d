// Losses and hits of one row each, in double: rows of predictions are few and short beside the layers that make them. Probabilities are
// clipped to [1e-7, 1 − 1e-7] as Keras does, and have no gradient outside.
#pragma once

#include <graph/op.h>

#include <cstddef>
#include <cstdint>

namespace lockstep::exec::cpu {

struct TargetRow {
    const float* prediction;
    const float* target;  // none: the target is `label`
    std::int32_t label;
    std::size_t columns;
};

struct TargetLoss {
    graph::OpKind op;  // the loss, also for its gradient
    bool fromLogits = true;
    double smoothing = 0;
    enum class Regression : std::uint8_t { Squared, Absolute, Huber } regression = Regression::Squared;
    double delta = 1;
    double threshold = 0;
    std::int64_t k = 1;

    static TargetLoss of(graph::OpKind loss, const graph::Attributes& attributes);
    double value(const TargetRow& row) const;
    // times weight
    void gradient(const TargetRow& row, double weight, float* into) const;
};

}  // namespace lockstep::exec::cpu
