// Gradient checkpointing: activations that backward needs are dropped and computed again. Values in, value out; threads: any.
//
// A cut is a place in the forward pass, behind a node. Values that later forward nodes read across a cut are kept; what lies between two
// cuts is computed again, from what was kept, in front of the first backward node that reads some of it. What lies behind the last cut is
// kept: its backward comes first. A cut of level 2 lies between two cuts of level 1 (or before the first) and is kept only while that
// stretch is computed again, a cut of level 3 inside a stretch of level 2, and so on: less memory for more work, as in Griewank and
// Walther's treeverse. Small values (statistics of a batch, norms per row) are always kept, so that moving averages see one update.
//
// A node computed again has the same op, attributes and inputs, so that its bits are the same on the same executor, dropout's too.
#pragma once

#include <base/result.h>
#include <graph/graph.h>

#include <compare>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep::passes {

struct RecomputeCut {
    std::string after;  // name of a node, or of a layer: then its last node ("conv2d_3" stands for "conv2d_3/…")
    int level = 1;
    auto operator<=>(const RecomputeCut&) const = default;
};

// `step` is a finished training step (or micro step); its forward pass ends with the node `lastForward`. Error S420: a cut names no
// forward node, or the levels are not 1 to 8.
Result<graph::Graph> recompute(const graph::Graph& step, std::string_view lastForward, std::span<const RecomputeCut> cuts);

// The cuts with the names that `step` has for what they name in the forward pass before fusion. Unknown names stay as they are.
std::vector<RecomputeCut> afterFusion(const graph::Graph& forward, const graph::Graph& step, std::span<const RecomputeCut> cuts);

// One way to cut, with what it costs.
struct RecomputeChoice {
    std::vector<RecomputeCut> cuts;  // in the order of the forward pass; empty: nothing is computed again
    std::size_t bytes = 0;           // arena of the step (exec/arena.h)
    double seconds = 0;              // of a step, as `secondsOf` says
};

// Ways to cut a step, from the cheapest to the smallest: each needs fewer bytes than the one before. The first is no cut. Cuts lie where
// one value alone leads on, as behind a residual block, the finest also inside one. `secondsOf` gives the time of a graph.
Result<std::vector<RecomputeChoice>> recomputeChoices(const graph::Graph& step, std::string_view lastForward,
                                                      const std::function<double(const graph::Graph&)>& secondsOf);

}  // namespace lockstep::passes
