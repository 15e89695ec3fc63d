// Checkpoints whose content follows from their step, so that a mixture of two would be noticed.
#pragma once

#include <train/checkpoint.h>

#include <cstring>

namespace lockstep::test {

inline train::Checkpoint checkpointOf(std::uint64_t step, std::size_t elements = 64) {
    train::Checkpoint c;
    c.step = step;
    c.epochs = static_cast<int>(step / 10);
    c.nextRow = static_cast<std::int64_t>(step % 10) * 32;
    c.rows = 320;
    c.globalBatch = 32;
    c.seed = 0xfedcba9876543210u;
    c.specHash = "abc";
    c.sums = {0.1 * static_cast<double>(step), 1.0 / 3.0, static_cast<std::int64_t>(step % 10) * 32};
    if (c.epochs > 0) c.last = train::EpochResult{0.25, 0.9, 0.125, std::nullopt};
    for (const char* name : {"dense/kernel", "dense/kernel/m", "dense/bias"}) {
        train::StateTensor tensor;
        tensor.name = name;
        tensor.role = c.tensors.size() == 1 ? "slot" : "weight";
        tensor.type = {graph::DType::F32, {static_cast<std::int64_t>(elements / 4), 4}};
        tensor.bytes.resize(tensor.type.bytes());
        for (std::size_t i = 0; i < elements; ++i) {
            const float value = static_cast<float>(step) + static_cast<float>(i) / 16;
            std::memcpy(tensor.bytes.data() + 4 * i, &value, 4);
        }
        c.tensors.push_back(std::move(tensor));
    }
    return c;
}

}  // namespace lockstep::test
