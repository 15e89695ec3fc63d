// Keras' moving average of the trained weights (use_ema): average ← m · average + (1 − m) · weight behind an update, with m = 0 in the
// first one; it replaces the weights every so many updates and at the end. The averages lie in StepProgram::averages, so that checkpoints
// hold them.
#pragma once

#include "programs.h"

#include <cstdint>
#include <vector>

namespace lockstep::train {

// The averages of a program's trained weights, zeros; empty without use_ema.
std::vector<StateTensor> averagesOf(const StepProgram& step, const nn::OptimizerOptions& optimizer);

class WeightAverage {
public:
    // Precondition: step.averages as above. `step` outlives this object.
    WeightAverage(const nn::OptimizerOptions& optimizer, StepProgram& step);

    // Behind an update; `finished` = updates before it. Nothing without use_ema. Allocates nothing.
    void update(std::uint64_t finished);
    // At the end of a run: the weights become their averages.
    void replaceWeights();

private:
    double m_momentum;
    std::uint64_t m_every;  // updates between replacements; 0 = never
    StepProgram& m_step;
    std::vector<std::size_t> m_places;  // of the weights among the States
    std::vector<std::byte> m_weight;
};

}  // namespace lockstep::train
