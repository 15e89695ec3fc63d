// Learning-rate schedules with Keras' names, defaults and formulas (keras/optimizers/schedules), as pure functions of the step.
#pragma once

#include <base/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::nn {

struct ScheduleOptions {
    // constant, cosine_decay, cosine_decay_restarts, exponential_decay, inverse_time_decay, piecewise_constant_decay, polynomial_decay
    std::string name = "constant";
    double initialLearningRate = 0.001;
    double decaySteps = 0;                              // all but constant and piecewise; restarts: first_decay_steps
    double decayRate = 0;                               // exponential, inverse time
    bool staircase = false;                             // exponential, inverse time
    double endLearningRate = 0.0001;                    // polynomial
    double power = 1;                                   // polynomial
    bool cycle = false;                                 // polynomial
    double alpha = 0;                                   // cosines: the least part of the rate
    std::optional<double> warmupTarget = std::nullopt;  // cosine: rate at the end of the warm-up, from which it decays
    double warmupSteps = 0;                             // cosine
    double tMul = 2;                                    // restarts: growth of a period
    double mMul = 1;                                    // restarts: decay of a period's first rate
    std::vector<double> boundaries = {};                // piecewise: values[i] up to and at boundaries[i], values.back() behind
    std::vector<double> values = {};
    bool operator==(const ScheduleOptions&) const = default;
};

std::vector<std::string> scheduleNames();

// Error S417: unknown name, or a number that the formula can't take; names the key.
Result<void> checkSchedule(const ScheduleOptions& options);

// The rate of a step, which counts from 0: the number of finished updates. Precondition: checked.
double learningRateAt(const ScheduleOptions& options, std::uint64_t step);

}  // namespace lockstep::nn
