#include "lane_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::charts {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kSilentIntervals = 3;
constexpr int kNewestCells = 5;

// x between two samples of the youngest piece, on average; 0: unknown.
double interval(const SeriesData& data, const View& view) {
    if (data.size() < 2) return 0;
    const std::size_t first = data.pieces().back();
    const std::size_t last = data.size() - 1;
    if (last > first) return (data.xOf(last, view.axis, view.origin) - data.xOf(first, view.axis, view.origin)) / double(last - first);
    const auto all = data.extent(view.axis, view.origin);
    return all ? all->size() / double(data.size() - 1) : 0;
}

// Fills cells between samples that are expected to be that far apart, and marks the others silent up to `newest`, the x up to which any
// worker was heard.
void fillGaps(LaneCells& cells, const std::vector<ColumnStats>& columns, const SeriesData& data, const View& view, double newest) {
    const double reach = kSilentIntervals * interval(data, view);
    const auto extent = data.extent(view.axis, view.origin);
    if (!extent || reach <= 0) return;
    double heard = -std::numeric_limits<double>::infinity();
    if (extent->from < view.x.from) {
        const auto before = data.nearest(view.x.from, view.axis, view.origin);
        heard = before ? data.xOf(*before, view.axis, view.origin) : heard;
    }
    double value = kNone;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const ColumnStats& column = columns[i];
        if (column.samples > 0) {
            value = cells.values[i];
            heard = column.x.to;
        } else if (column.x.from - heard > reach) {
            cells.silent[i] = heard > -1e300 && column.x.from < newest;
        } else if (column.x.from < extent->to) {
            cells.values[i] = value;
        }
    }
    // A gap that turned out to be silence is hatched from its beginning.
    for (std::size_t i = columns.size(); i-- > 1;)
        if (cells.silent[i] && columns[i - 1].samples == 0 && !cells.silent[i - 1]) {
            cells.silent[i - 1] = true;
            cells.values[i - 1] = kNone;
        }
}

double newestOf(const std::vector<double>& values) {
    double sum = 0;
    int count = 0;
    for (std::size_t i = values.size(); i-- > 0 && count < kNewestCells;) {
        if (std::isnan(values[i])) continue;
        sum += values[i];
        ++count;
    }
    return count == 0 ? kNone : sum / count;
}

}  // namespace

double lowerMedian(std::vector<double> values) {
    std::erase_if(values, [](double each) { return std::isnan(each); });
    if (values.empty()) return kNone;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

std::size_t aboveSince(const LaneCells& cells, double limit) {
    std::size_t since = cells.values.size();
    for (std::size_t i = cells.values.size(); i-- > 0;) {
        if (std::isnan(cells.values[i])) continue;
        if (cells.values[i] <= limit) break;
        since = i;
    }
    return since;
}

std::vector<LaneCells> laneCells(const std::vector<Lane>& lanes, LaneMode mode, const View& view) {
    const auto count = static_cast<std::size_t>(std::max(1, view.columns));
    std::vector<LaneCells> all(lanes.size());
    double newest = -std::numeric_limits<double>::infinity();
    for (const Lane& lane : lanes)
        if (lane.data && !lane.data->empty()) newest = std::max(newest, lane.data->extent(view.axis, view.origin)->to);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        LaneCells& cells = all[i];
        cells.values.assign(count, kNone);
        cells.silent.assign(count, false);
        if (!lanes[i].data) continue;
        const auto columns = lanes[i].data->columns(view);
        for (std::size_t column = 0; column < count; ++column)
            if (columns[column].samples > 0) cells.values[column] = columns[column].mean;
        fillGaps(cells, columns, *lanes[i].data, view, newest);
    }
    std::vector<double> column(lanes.size());
    for (std::size_t place = 0; mode == LaneMode::Late && place < count; ++place) {
        for (std::size_t i = 0; i < all.size(); ++i) column[i] = all[i].values[place];
        const double median = lowerMedian(column);
        for (LaneCells& cells : all) cells.values[place] = median > 0 ? cells.values[place] / median : kNone;
    }
    for (LaneCells& cells : all) cells.newest = newestOf(cells.values);
    return all;
}

}  // namespace lockstep::charts
