// What an executor asks of the outside world while a step runs: sums over all ranks. Filled by train from a comm::Group.
#pragma once

#include <base/result.h>
#include <graph/types.h>

#include <cstddef>
#include <span>

namespace lockstep::exec {

// Protocol for an AllReduce node with attribute bucket = b: when the node's turn comes, the executor calls start(b, …) with the
// bucket's contiguous memory (all inputs of the node in order, dense, in the graph's layout) and goes on; before the first node that
// reads one of its outputs runs, it calls wait(b). Buckets are started in ascending order and every started one is waited for.
// The memory must not be touched in between. Both are called from the thread that runs the program.
class Collectives {
public:
    virtual ~Collectives() = default;
    // Asked at most once per bucket, by compile(), in ascending order of buckets: where the bucket should lie, so that its sum needs
    // no copies. Zeroed; lives as long as the collectives. Empty: the executor's own memory does as well.
    virtual Result<std::span<std::byte>> memory(int /*bucket*/, std::size_t /*bytes*/) { return std::span<std::byte>(); }
    // Begins summing `data` in place over all ranks.
    virtual Result<void> start(int bucket, std::span<std::byte> data, graph::DType dtype) = 0;
    // Returns when the sum of that bucket is in place.
    virtual Result<void> wait(int bucket) = 0;
};

}  // namespace lockstep::exec
