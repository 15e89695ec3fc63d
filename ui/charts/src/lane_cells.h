// The numbers behind the lanes: cells per worker, their ratio to the median, silence.
#pragma once

#include <charts/lane_view.h>
#include <charts/series_data.h>

#include <optional>
#include <vector>

namespace lockstep::charts {

struct LaneCells {
    std::vector<double> values;  // per column: mean, or ratio to the median; NaN: nothing there
    std::vector<bool> silent;    // per column
    double newest = 0;           // mean of the newest cells that hold something, NaN: none
};

// Cells of every lane, all in the same columns of `view`.
std::vector<LaneCells> laneCells(const std::vector<Lane>& lanes, LaneMode mode, const View& view);
// Lower middle of the finite values, NaN when there are none.
double lowerMedian(std::vector<double> values);
// First column of the unbroken stretch at the end in which values are above `limit`.
std::size_t aboveSince(const LaneCells& cells, double limit);

}  // namespace lockstep::charts
