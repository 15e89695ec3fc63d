// The optimizers' rules over float32 arrays, in place. The decoupled weight decay comes first everywhere.
#pragma once

#include <cstddef>

namespace lockstep::exec::cpu {

struct UpdateFactors {
    float rate = 0;
    float decay = 0;                      // weight decay · rate
    float alpha = 0;                      // Adam: rate · √(1 − β₂ᵗ) / (1 − β₁ᵗ)
    float keepMean = 0, addMean = 0;      // β₁, 1 − β₁
    float keepSquare = 0, addSquare = 0;  // β₂ or ρ, 1 − that
    double exactKeep = 0;                 // ρ where a difference of two averages must stay exact
    float epsilon = 0;
    float momentum = 0;
    float correctMean = 0, correctSquare = 0;  // LAMB: 1 / (1 − βᵗ)
    int nesterov = 0;
};

struct UpdateOperands {
    float* w;  // Accumulate: the sum
    const float* g;
    float* slots[3];
    double* squares = nullptr;  // adam: adds Σ g² here
};

using UpdateLoop = void (*)(const UpdateOperands& on, std::size_t n, const UpdateFactors& factors);

struct UpdateLoops {
    UpdateLoop sgd;
    UpdateLoop momentum;     // slots: velocity
    UpdateLoop adam;         // mean, square
    UpdateLoop amsgrad;      // mean, square, largest square
    UpdateLoop rmsProp;      // square
    UpdateLoop rmsMomentum;  // square, velocity
    UpdateLoop rmsCentered;  // square, average
    UpdateLoop rmsBoth;      // square, velocity, average
    UpdateLoop adagrad;      // accumulator
    UpdateLoop lion;         // mean
    // mean, square; the third is no State: there the move goes, which the weight does not make yet.
    UpdateLoop lambMove;
    UpdateLoop accumulate;  // momentum = what is kept of the sum; 0 even forgets NaN
};

}  // namespace lockstep::exec::cpu
