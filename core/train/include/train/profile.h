// Where the time of a training step goes, op by op. Values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::train {

struct OpProfile {
    std::string name;         // of the node: "conv2d/kernel_grad"
    std::string op;           // its kind: "conv2d_filter_grad"
    std::uint64_t calls = 0;  // once per step
    double seconds = 0;       // of all calls
    double flops = 0;         // of one call, by the costs of the op table; with those of nodes that it does together with its own
    double bytes = 0;
};

// The ops of the training step in the order they run.
struct StepProfile {
    std::vector<OpProfile> ops;
};

}  // namespace lockstep::train
