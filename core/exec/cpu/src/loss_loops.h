// Losses over rows of logits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::exec::cpu {

struct SoftmaxLoss {
    const float* logits;
    const std::int32_t* labels;
    const float* weights;
    std::size_t rows;
    std::size_t classes;
    float* loss;       // null: not wanted
    float* gradient;   // null: not wanted
    double smoothing;  // share of the target that is spread over all classes
};

struct LossLoops {
    void (*softmax)(const SoftmaxLoss& call);
    float (*correct)(const SoftmaxLoss& call);
};

}  // namespace lockstep::exec::cpu
