// Legal graphs made at random from a seed, for property tests.
#pragma once

#include <graph/graph.h>

#include <cstdint>

namespace lockstep::test {

// Up to some forty nodes: sources, forward and backward ops, buckets of all_reduce, updates with and without slots, outputs.
graph::Graph randomGraph(std::uint64_t seed);

}  // namespace lockstep::test
