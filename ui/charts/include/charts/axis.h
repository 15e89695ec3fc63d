// What runs along the x axis, and a stretch of it.
#pragma once

#include <cmath>

namespace lockstep::charts {

enum class XAxis {
    Step,
    Elapsed,   // seconds since the start that the group knows (ChartGroup::setStartTime)
    WallTime,  // Unix seconds, drawn in local time
};

enum class Scale { Linear, Log };

// How values along y are written.
enum class ValueFormat {
    Number,   // 0.253, 7.06k
    Percent,  // of a ratio: 59 %
    Bytes,    // 1.5 GiB
    Seconds,  // 72.4 ms
};

struct Range {
    double from = 0;
    double to = 1;

    double size() const { return to - from; }
    bool contains(double x) const { return x >= from && x <= to; }
    Range united(const Range& other) const { return {std::fmin(from, other.from), std::fmax(to, other.to)}; }
    bool operator==(const Range&) const = default;
};

}  // namespace lockstep::charts
