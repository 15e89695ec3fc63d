// What lowering produces and the program runs: a flat list of steps over numbered buffers.
#pragma once

#include "buffers.h"

#include <graph/types.h>
#include <dnnl.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::exec::cpu {

enum class StepKind : std::uint8_t { Compute, StartBucket, WaitBucket };

struct Step {
    StepKind kind = StepKind::Compute;
    std::string name;                            // of the op it belongs to
    std::function<dnnl_status_t(Pointers)> run;  // Compute only
    int threads = 1;
    std::optional<BufferId> condition;  // does nothing when this float is 0
    int bucket = -1;                    // StartBucket, WaitBucket
    BufferId bucketBuffer = 0;
    std::size_t bucketBytes = 0;
};

struct StateSlot {
    BufferId buffer = 0;
    std::size_t bytes = 0;
};

struct OutputSlot {
    std::string name;
    BufferId buffer = 0;
    std::size_t bytes = 0;
};

struct Plan {
    Buffers buffers;
    std::vector<Step> steps;
    std::vector<BufferId> feeds;
    std::vector<StateSlot> states;
    std::vector<OutputSlot> outputs;
};

}  // namespace lockstep::exec::cpu
