// What one rank holds and how long a step takes, from the graph of the step itself.
#pragma once

#include <cluster/bfloat16.h>
#include <passes/recompute.h>
#include <plan/plan.h>

#include <optional>

namespace lockstep::plan {

// What the forecast takes a core to be. Without a measured speed 16-bit values are thought to be handled like float32's.
struct Core {
    std::string isa;
    std::optional<cluster::Bfloat16Speed> bfloat16;
};

// How a rank runs its part of a batch.
struct StepShape {
    std::int64_t rows = 0;  // of one pass
    int passes = 1;         // slices that run one after the other
    bool allReduce = false;
    Memory memory;
};

struct StepEstimate {
    RankBytes bytes;
    std::vector<std::uint64_t> buckets;  // bytes of each all-reduce, in order
    double seconds = 0;                  // of one core, without communication
};

// Errors S4xx.
Result<StepEstimate> estimateStep(const spec::RunSpec& spec, const DataFacts& data, const StepShape& shape, const Core& core);

// Ways to compute activations again, from the cheapest (none) to the smallest.
Result<std::vector<passes::RecomputeChoice>> recomputeWays(const spec::RunSpec& spec, const DataFacts& data, const StepShape& shape,
                                                           const Core& core);

// Whether statistics of a batch go into the update, so that slices change it.
Result<bool> hasBatchStatistics(const spec::RunSpec& spec, const DataFacts& data);

// Seconds to sum `bytes` over `ranks`.
double allReduceSeconds(std::uint64_t bytes, std::size_t ranks, const std::string& transport);

// The lowest of two instruction sets, by oneDNN's order; an unknown one counts as the lowest.
std::string lowerIsa(const std::string& a, const std::string& b);

}  // namespace lockstep::plan
