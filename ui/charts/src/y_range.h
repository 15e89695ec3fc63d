// Which stretch of y a chart shows.
#pragma once

#include <charts/axis.h>

#include <optional>
#include <vector>

namespace lockstep::charts {

struct YInput {
    std::vector<double> raw;        // sampled raw values in view (> 0 on a log axis)
    std::optional<Range> all;       // smallest and largest raw value in view
    std::optional<Range> smoothed;  // of the smoothed lines in view
    Scale scale = Scale::Linear;
    bool cutOutliers = true;
};

// Without padding; nullopt when there is nothing to show.
std::optional<Range> valuesToShow(const YInput& input);
// With padding; a linear range that comes near zero begins there.
Range padded(const Range& values, Scale scale);

}  // namespace lockstep::charts
