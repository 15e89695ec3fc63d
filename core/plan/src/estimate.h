// What one rank holds and how long a step takes, from the graph of the step itself.
#pragma once

#include <plan/plan.h>

namespace lockstep::plan {

struct StepEstimate {
    RankBytes bytes;
    std::vector<std::uint64_t> buckets;  // bytes of each all-reduce, in order
    double seconds = 0;                  // of one core, without communication
};

// `rows` of one rank's share of a batch. Errors S4xx.
Result<StepEstimate> estimateStep(const spec::RunSpec& spec, const DataFacts& data, std::int64_t rows, bool allReduce,
                                  const std::string& isa);

// Seconds to sum `bytes` over `ranks`.
double allReduceSeconds(std::uint64_t bytes, std::size_t ranks, const std::string& transport);

// The lowest of two instruction sets, by oneDNN's order; an unknown one counts as the lowest.
std::string lowerIsa(const std::string& a, const std::string& b);

}  // namespace lockstep::plan
