// What one rank holds and how long a step takes, from the graph of the step itself.
#pragma once

#include <passes/recompute.h>
#include <plan/plan.h>

namespace lockstep::plan {

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
Result<StepEstimate> estimateStep(const spec::RunSpec& spec, const DataFacts& data, const StepShape& shape, const std::string& isa);

// Ways to compute activations again, from the cheapest (none) to the smallest.
Result<std::vector<passes::RecomputeChoice>> recomputeWays(const spec::RunSpec& spec, const DataFacts& data, const StepShape& shape,
                                                           const std::string& isa);

// Whether statistics of a batch go into the update, so that slices change it.
Result<bool> hasBatchStatistics(const spec::RunSpec& spec, const DataFacts& data);

// Seconds to sum `bytes` over `ranks`.
double allReduceSeconds(std::uint64_t bytes, std::size_t ranks, const std::string& transport);

// The lowest of two instruction sets, by oneDNN's order; an unknown one counts as the lowest.
std::string lowerIsa(const std::string& a, const std::string& b);

}  // namespace lockstep::plan
