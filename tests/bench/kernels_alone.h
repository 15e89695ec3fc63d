// The convolutions and matrix products of a training step, run alone by oneDNN: the time a step can't go below with this library.
#pragma once

#include "timing.h"

#include <graph/graph.h>

#include <functional>
#include <vector>

namespace lockstep::bench {

class KernelsAlone {
public:
    // One kernel per Conv2D, its gradients, and MatMul of the graph, with operands of their own, in the layouts oneDNN likes best and,
    // for products, by the faster of its two ways. `threads`: as the step uses.
    KernelsAlone(const graph::Graph& graph, int threads);
    // Seconds for one of each: every kernel is timed right after an untimed run of itself, so with a warm cache.
    double seconds(Counted clock);

private:
    int m_threads;
    std::vector<std::function<void()>> m_kernels;
};

}  // namespace lockstep::bench
