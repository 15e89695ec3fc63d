// The queries that turn a view into points and columns.
#include <charts/series_data.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::charts {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

// Right edge of a column; the last is the view's own end, so that rounding loses no sample.
double columnEnd(const View& view, int column) {
    if (column + 1 >= view.columns) return view.x.to;
    const double part = double(column + 1) / view.columns;
    if (view.xScale == Scale::Log && view.x.from > 0) return view.x.from * std::pow(view.x.to / view.x.from, part);
    return view.x.from + view.x.size() * part;
}

void breakLine(Thinned& out, double x) {
    if (!out.points.empty() && !std::isnan(out.points.back().y)) out.points.push_back({x, kGap});
}

}  // namespace

void SeriesData::emitSample(std::size_t index, const View& view, Thinned& out) const {
    const double value = valueAt(index);
    const double x = xOf(index, view.axis, view.origin);
    if (!std::isfinite(value) || (view.yScale == Scale::Log && value <= 0) || (view.xScale == Scale::Log && x <= 0))
        breakLine(out, x);
    else
        out.points.push_back({x, value});
}

std::size_t SeriesData::emitExtremes(const Stats& here, const View& view, Thinned& out) const {
    const std::size_t low = view.yScale == Scale::Log ? here.minPositiveAt : here.minAt;
    const std::size_t first = std::min<std::size_t>(low, here.maxAt);
    const std::size_t second = std::max<std::size_t>(low, here.maxAt);
    emitSample(first, view, out);
    if (second != first) emitSample(second, view, out);
    return second;
}

std::size_t SeriesData::emitMean(Span span, const Stats& here, const View& view, Thinned& out) const {
    const std::size_t middle = span.begin + span.size() / 2;
    const double x = xOf(middle, view.axis, view.origin);
    const double mean = here.sum / here.finite;
    if ((view.yScale == Scale::Log && mean <= 0) || (view.xScale == Scale::Log && x <= 0))
        breakLine(out, x);
    else
        out.points.push_back({x, mean});
    return middle;
}

// Returns the index of the last sample emitted, or span.end when there is none.
std::size_t SeriesData::emitColumns(Span span, const View& view, Thinned& out) const {
    std::size_t lastAt = span.end;
    std::size_t begin = span.begin;
    std::size_t width = span.size() / static_cast<std::size_t>(view.columns);
    for (int column = 0; column < view.columns && begin < span.end; ++column) {
        const bool lastColumn = column + 1 == view.columns;
        const std::size_t end =
            lastColumn ? span.end : bound({begin, span.end}, columnEnd(view, column), Bound::Lower, view, begin + width);
        width = end - begin;
        if (end == begin) continue;
        const Stats here = stats({begin, end});
        if ((view.yScale == Scale::Log ? here.positive() : here.finite) == 0)
            breakLine(out, xOf(begin, view.axis, view.origin));
        else
            lastAt = view.keep == Keep::Mean ? emitMean({begin, end}, here, view, out) : emitExtremes(here, view, out);
        begin = end;
    }
    return lastAt;
}

void SeriesData::thinPiece(std::size_t number, const View& view, Thinned& out) const {
    const Span all = piece(number);
    const Span span = inView(number, view);
    out.visible += span.size();
    breakLine(out, xOf(all.begin, view.axis, view.origin));
    if (span.begin > all.begin) emitSample(span.begin - 1, view, out);
    if (span.size() <= 2 * static_cast<std::size_t>(std::max(1, view.columns))) {
        for (std::size_t index = span.begin; index < span.end; ++index) emitSample(index, view, out);
    } else {
        out.buckets = static_cast<std::size_t>(std::max(1, view.columns));
        if (emitColumns(span, view, out) + 1 != span.end) emitSample(span.end - 1, view, out);
    }
    if (span.end < all.end) emitSample(span.end, view, out);
}

Thinned SeriesData::thin(const View& view) const {
    Thinned out;
    for (std::size_t number = 0; number < m_pieces.size(); ++number) thinPiece(number, view, out);
    return out;
}

std::vector<ColumnStats> SeriesData::columns(const View& view) const {
    std::vector<ColumnStats> result(static_cast<std::size_t>(std::max(1, view.columns)));
    double edge = view.x.from;
    for (int column = 0; column < view.columns; ++column) {
        result[column].x = {edge, columnEnd(view, column)};
        edge = result[column].x.to;
    }
    for (std::size_t number = 0; number < m_pieces.size(); ++number) {
        const Span span = inView(number, view);
        std::size_t begin = span.begin;
        std::size_t width = span.size() / static_cast<std::size_t>(view.columns);
        for (int column = 0; column < view.columns && begin < span.end; ++column) {
            ColumnStats& out = result[column];
            const bool lastColumn = column + 1 == view.columns;
            const std::size_t end = lastColumn ? span.end : bound({begin, span.end}, out.x.to, Bound::Lower, view, begin + width);
            width = end - begin;
            const Stats here = stats({begin, end});
            if (here.finite > 0) {
                out.min = out.samples == 0 ? here.min : std::min(out.min, here.min);
                out.max = out.samples == 0 ? here.max : std::max(out.max, here.max);
                out.mean = here.sum / here.finite;
                std::size_t lastAt = end;
                while (!std::isfinite(valueAt(--lastAt))) {}
                out.last = valueAt(lastAt);
                out.samples += here.finite;
            }
            begin = end;
        }
    }
    return result;
}

}  // namespace lockstep::charts
