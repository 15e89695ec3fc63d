#include "y_range.h"

#include <algorithm>
#include <cmath>

namespace lockstep::charts {
namespace {

constexpr std::size_t kFewValues = 20;  // fewer have no percentiles worth the name
constexpr double kSpanWithoutOutliers = 3;
constexpr double kSmoothedSpan = 50;  // a smoothed line that leaves further was pulled there by an outlier

double onScale(double value, Scale scale) { return scale == Scale::Log ? std::log10(value) : value; }
double offScale(double value, Scale scale) { return scale == Scale::Log ? std::pow(10, value) : value; }
Range onScale(const Range& range, Scale scale) { return {onScale(range.from, scale), onScale(range.to, scale)}; }

double percentile(std::vector<double>& values, double part) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::lround(part * double(values.size() - 1)));
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

}  // namespace

std::optional<Range> valuesToShow(const YInput& input) {
    std::optional<Range> all = input.all;
    if (!all) return input.smoothed;
    if (!input.cutOutliers || input.raw.size() < kFewValues) return input.smoothed ? all->united(*input.smoothed) : *all;
    std::vector<double> values = input.raw;
    const Range middle = onScale({percentile(values, 0.05), percentile(values, 0.95)}, input.scale);
    const Range whole = onScale(*all, input.scale);
    if (whole.size() <= kSpanWithoutOutliers * middle.size() || middle.size() <= 0)
        return input.smoothed ? all->united(*input.smoothed) : *all;
    const double margin = 0.1 * middle.size();
    Range shown{std::max(whole.from, middle.from - margin), std::min(whole.to, middle.to + margin)};
    if (input.smoothed) {
        const Range smoothed = onScale(*input.smoothed, input.scale);
        if (smoothed.size() <= kSmoothedSpan * middle.size()) shown = shown.united(smoothed);
    }
    return Range{offScale(shown.from, input.scale), offScale(shown.to, input.scale)};
}

Range padded(const Range& values, Scale scale) {
    if (scale == Scale::Log) {
        if (values.from <= 0) return {0.1, 10};
        const double by = std::max(1.03, std::pow(values.to / values.from, 0.05));
        return {values.from / by, values.to * by};
    }
    const bool fromZero = values.from >= 0 && values.from <= 0.35 * values.to;
    const double span = fromZero ? values.to : values.size();
    if (!(span > 1e-12 * std::abs(values.to))) {
        const double by = values.to == 0 ? 1 : 0.1 * std::abs(values.to);
        return {values.from == 0 ? 0 : values.from - by, values.to + by};
    }
    return {fromZero ? 0 : values.from - 0.06 * span, values.to + 0.06 * span};
}

}  // namespace lockstep::charts
