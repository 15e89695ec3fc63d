// From data to what is drawn: thinning, the y range, the counts, the labels.
#include <charts/ticks.h>
#include <text/format.h>

#include "line_chart_parts.h"
#include "y_range.h"

#include <algorithm>
#include <cmath>

namespace lockstep::charts {
namespace {

constexpr std::size_t kPercentileValues = 4096;
constexpr double kNoisyWay = 4;  // vertical way of the pen per width of the area
constexpr std::size_t kMostLabels = 6;
constexpr int kPlainMargin = 14;
constexpr int kLabelMargin = 66;

std::optional<Range> valuesOf(const Thinned& thinned, const Range& x) {
    std::optional<Range> all;
    for (const PlotPoint& point : thinned.points) {
        if (std::isnan(point.y) || !x.contains(point.x)) continue;
        all = all ? all->united({point.y, point.y}) : Range{point.y, point.y};
    }
    return all;
}

void unite(std::optional<Range>& all, const std::optional<Range>& more) {
    if (more) all = all ? all->united(*more) : more;
}

void addBand(std::vector<ColumnStats>& band, std::vector<ColumnStats> more) {
    if (band.empty()) {
        band = std::move(more);
        return;
    }
    for (std::size_t i = 0; i < more.size(); ++i) {
        if (more[i].samples == 0) continue;
        band[i].min = band[i].samples == 0 ? more[i].min : std::min(band[i].min, more[i].min);
        band[i].max = band[i].samples == 0 ? more[i].max : std::max(band[i].max, more[i].max);
        band[i].samples += more[i].samples;
    }
}

// The raw line behind a smoothed one, when there are many values per pixel: the last of each bucket, and an extreme only where it stands
// out from its neighbours. A line through all extremes would be a wall of colour; what lies between is the band's matter.
std::vector<PlotPoint> quietLine(const std::vector<ColumnStats>& columns, Scale scale) {
    std::vector<const ColumnStats*> full;
    for (const ColumnStats& each : columns)
        if (each.samples > 0 && (scale == Scale::Linear || each.max > 0)) full.push_back(&each);
    const auto on = [&](double value) { return scale == Scale::Log ? std::log10(std::max(value, 1e-300)) : value; };
    std::vector<PlotPoint> points;
    for (std::size_t i = 0; i < full.size(); ++i) {
        const ColumnStats& here = *full[i];
        const ColumnStats& before = *full[i > 0 ? i - 1 : i];
        const ColumnStats& after = *full[i + 1 < full.size() ? i + 1 : i];
        const double x = (here.x.from + here.x.to) / 2;
        const double height = 0.5 * (on(before.max) - on(before.min) + on(after.max) - on(after.min)) / 2;
        if (on(here.max) > std::max(on(before.max), on(after.max)) + height) points.push_back({x, here.max});
        if (on(here.min) < std::min(on(before.min), on(after.min)) - height && (scale == Scale::Linear || here.min > 0))
            points.push_back({x, here.min});
        if (scale == Scale::Linear || here.last > 0) points.push_back({x, here.last});
    }
    return points;
}

}  // namespace

std::uint64_t Curve::revision() const {
    std::uint64_t sum = series.data->revision();
    for (const auto& each : series.band) sum += each->revision();
    return sum;
}

LineChart::Parts::Parts(LineChart& owner)
    : chart(owner),
      frame(&owner, {[this](QPainter& painter) { drawCurves(painter); }, [this](QPainter& painter) { drawOverlay(painter); },
                     [this](QPainter& painter) { drawCursorLayer(painter); }}) {}

View LineChart::Parts::viewNow() const {
    const ChartGroup& group = *chart.group();
    return {group.xAxis(), group.startTime(), group.range(), std::max(1, static_cast<int>(frame.area().width())), group.xScale(), yScale};
}

void LineChart::Parts::prepare(bool refitY) {
    const double weight = smoothingOverride.value_or(chart.group()->smoothing());
    for (const auto& curve : curves) {
        curve->smoother.setWeight(curve->series.role == LineRole::Main ? weight : 0);
        curve->seen = curve->revision();
    }
    reserveMargin();
    view = viewNow();
    thinCurves();
    if (refitY || !fitted) fitY();
    count();
    Frame::Axes axes{view.x, view.axis, view.xScale, y, yScale, format, !fitted};
    frame.setAxes(axes);
    map = {frame.area(), view.x, y, view.xScale, yScale};
    findEnds();
}

void LineChart::Parts::thinCurves() {
    View bands = view;
    bands.columns = std::max(1, view.columns / kBucketWidth);
    View means = view;
    means.columns = std::max(1, view.columns / 2);
    means.keep = Keep::Mean;
    for (const auto& curve : curves) {
        const SeriesData& data = *curve->series.data;
        curve->summary = data.summary(view);
        curve->thinned = curve->summary.visible > 2 * static_cast<std::size_t>(view.columns);
        curve->quiet.clear();
        curve->raw = {};
        std::vector<ColumnStats> own;
        if (curve->smoothed()) {
            curve->smooth = curve->smoother.update().thin(means);
            if (curve->drawsRaw() && curve->thinned) own = data.columns(bands);
            curve->quiet = quietLine(own, yScale);
        }
        if (curve->drawsRaw() && curve->quiet.empty()) curve->raw = data.thin(view);
        curve->band.clear();
        // What the quiet line leaves out is seen at least as a band.
        if (!curve->quiet.empty() && curve->series.band.empty()) curve->band = std::move(own);
        for (const auto& source : curve->series.band) {
            const bool itself = source == curve->series.data && !own.empty();
            addBand(curve->band, itself ? std::move(own) : source->columns(bands));
            own.clear();
        }
    }
}

void LineChart::Parts::fitY() {
    YInput input;
    input.scale = yScale;
    input.cutOutliers = outliers == Outliers::Cut;
    const std::size_t most = std::max<std::size_t>(256, kPercentileValues / std::max<std::size_t>(1, curves.size()));
    // Every raw value counts once, whatever series it belongs to.
    const auto add = [&](const SeriesData& data, const Summary& summary) {
        unite(input.all, summary.values);
        if (!input.cutOutliers) return;
        const std::vector<double> values = data.sampled(view, most);
        input.raw.insert(input.raw.end(), values.begin(), values.end());
    };
    for (const auto& curve : curves) {
        if (curve->smoothed()) unite(input.smoothed, valuesOf(curve->smooth, view.x));
        if (curve->drawsRaw()) add(*curve->series.data, curve->summary);
        for (const auto& source : curve->series.band)
            if (source != curve->series.data) add(*source, source->summary(view));
    }
    const auto values = valuesToShow(input);
    const bool fixed = fixedY && (yScale == Scale::Linear || fixedY->from > 0);
    if (!values && !fixed) {
        fitted = false;
        return;
    }
    y = fixed ? *fixedY : padded(*values, yScale);
    fitted = true;
}

void LineChart::Parts::count() {
    counts = {};
    for (const auto& curve : curves) {
        const Summary& summary = curve->summary;
        counts.visible += summary.visible;
        counts.notFinite += summary.notFinite;
        counts.notPositive += summary.notPositive;
        if (curve->thinned) counts.buckets = static_cast<std::size_t>(curve->quiet.empty() ? view.columns : view.columns / kBucketWidth);
        if (!fitted || !curve->drawsRaw()) continue;
        const auto& all = summary.values;
        if (all && (all->from < y.from || all->to > y.to)) counts.outside += curve->series.data->outside(view, y);
    }
    // What a log axis hides is named as such and not counted a second time.
    counts.outside -= std::min(counts.outside, counts.notPositive);
}

void LineChart::Parts::findEnds() {
    for (const auto& curve : curves) {
        curve->end.reset();
        const auto& points = curve->shown().points;
        for (auto point = points.rbegin(); point != points.rend(); ++point) {
            if (std::isnan(point->y) || !view.x.contains(point->x)) continue;
            curve->end = QPointF(map.px(point->x), map.py(point->y));
            // What was measured there: the same figure as in the header, whatever the smoothing.
            const auto index = curve->series.data->nearest(point->x, view.axis, view.origin);
            curve->endValue = index && !curve->labelsSmoothed() ? curve->series.data->at(*index).value : point->y;
            break;
        }
        // A line that goes up and down all the way is a grey mass with a broad pen.
        double way = 0;
        for (std::size_t i = 1; i < points.size(); ++i)
            if (!std::isnan(points[i].y) && !std::isnan(points[i - 1].y)) way += std::abs(map.py(points[i].y) - map.py(points[i - 1].y));
        curve->noisy = !curve->smoothed() && way > kNoisyWay * map.area.width();
    }
}

const SeriesColors& LineChart::Parts::seriesColors(const Curve& curve) const {
    return chart.colors().series[static_cast<std::size_t>(std::max(0, curve.series.color)) % kSeriesColors];
}

Marker LineChart::Parts::marker(const Curve& curve) const { return seriesColors(curve).marker; }

QColor LineChart::Parts::openFill(const Curve& curve) const {
    return curve.series.color >= kSeriesColors ? chart.colors().background : QColor();
}

QColor LineChart::Parts::color(const Curve& curve) const {
    switch (curve.series.pen) {
        case LinePen::Series: break;
        case LinePen::Warning: return chart.colors().warning;
        case LinePen::Context:
            if (!hovered || curves[*hovered].get() != &curve) return chart.colors().context;
    }
    return seriesColors(curve).line;
}

SeriesValue LineChart::Parts::valueOf(const Curve& curve, std::size_t index) const {
    const Sample& sample = curve.series.data->at(index);
    SeriesValue value{sample.step, sample.time, sample.value, sample.value};
    if (!curve.smoothed()) return value;
    value.shown = curve.smoother.update().at(index).value;
    return value;
}

std::optional<SeriesValue> LineChart::Parts::value(const Curve& curve, double x) const {
    const SeriesData& data = *curve.series.data;
    const ChartGroup& group = *chart.group();
    const auto index = data.nearest(x, group.xAxis(), group.startTime());
    const auto ends = data.extent(group.xAxis(), group.startTime());
    if (!index || !ends) return std::nullopt;
    // A value stands until the next is due: sparse series (validation) too answer near their ends.
    const double slack = std::max(0.01 * group.range().size(), data.size() > 1 ? ends->size() / double(data.size() - 1) : 1e-9);
    if (x < ends->from - slack || x > ends->to + slack) return std::nullopt;
    return valueOf(curve, *index);
}

std::optional<EndLabel> LineChart::Parts::contextLabel(bool placed) const {
    QPointF at;
    int number = 0;
    for (const auto& curve : curves) {
        if (curve->series.pen != LinePen::Context || !curve->series.labelled || (placed && !curve->end)) continue;
        if (placed) at += *curve->end;
        ++number;
    }
    if (number == 0) return std::nullopt;
    const bool alone = std::all_of(curves.begin(), curves.end(), [](const auto& curve) { return curve->series.pen == LinePen::Context; });
    const QString text = alone ? (number == 1 ? LineChart::tr("1 worker") : LineChart::tr("%1 workers").arg(number))
                               : (number == 1 ? LineChart::tr("1 other") : LineChart::tr("%1 others").arg(number));
    return EndLabel{at / number, text, chart.colors().context, Marker::Disc, {}, false};
}

std::vector<EndLabel> LineChart::Parts::labels(bool placed) const {
    std::vector<const Curve*> named;
    for (const auto& curve : curves)
        if (curve->series.labelled && curve->series.pen != LinePen::Context && !curve->series.data->empty() && (!placed || curve->end))
            named.push_back(curve.get());
    if (named.size() > kMostLabels && placed) {
        // The rest is in the values table: here the uppermost and the lowest end, and the one under the pointer.
        const auto higher = [](const Curve* a, const Curve* b) { return a->end->y() < b->end->y(); };
        const auto [top, bottom] = std::minmax_element(named.begin(), named.end(), higher);
        std::vector<const Curve*> few{*top, *bottom};
        if (hovered && std::find(few.begin(), few.end(), curves[*hovered].get()) == few.end() && curves[*hovered]->end)
            few.push_back(curves[*hovered].get());
        named = few;
    }
    std::vector<EndLabel> result;
    for (const Curve* curve : named) {
        QString text = curve->series.name;
        if (curve->series.pen == LinePen::Series) {
            const auto last = valueOf(*curve, curve->series.data->size() - 1);
            const QString value = valueText(placed ? curve->endValue : curve->labelsSmoothed() ? last.shown : last.raw, format);
            text = curve->labelsSmoothed() ? LineChart::tr("smoothed %1").arg(value) : text + ' ' + value;
        }
        result.push_back({curve->end.value_or(QPointF()), text, color(*curve), marker(*curve), openFill(*curve), false});
    }
    if (hovered && placed && curves[*hovered]->series.pen == LinePen::Context && curves[*hovered]->end) {
        const Curve& curve = *curves[*hovered];
        result.push_back({*curve.end, curve.series.name, color(curve), marker(curve), openFill(curve), false});
    }
    if (const auto group = contextLabel(placed)) result.push_back(*group);
    return result;
}

void LineChart::Parts::reserveMargin() {
    const std::vector<EndLabel> all = endLabels ? labels(false) : std::vector<EndLabel>();
    const int wanted = all.empty() ? kPlainMargin : std::max(kLabelMargin, (endLabelWidth(all, chart.captionFont()) + 7) / 8 * 8);
    frame.setRightMargin(std::min(wanted, std::max(kPlainMargin, chart.width() / 2)));
}

const SeriesData* LineChart::Parts::longest() const {
    const SeriesData* best = nullptr;
    for (const auto& curve : curves)
        if (!curve->series.data->empty() && (!best || curve->series.data->size() > best->size())) best = curve->series.data.get();
    return best;
}

QString LineChart::Parts::description() const {
    QStringList parts;
    for (std::size_t i = 0; i < curves.size() && parts.size() < 8; ++i)
        if (const auto last = chart.lastValue(i))
            parts << LineChart::tr("%1: %2 at step %3")
                         .arg(curves[i]->series.name, valueText(last->raw, format),
                              text::formatInteger(static_cast<std::int64_t>(last->step)));
    if (parts.isEmpty()) return chart.emptyText();
    for (const QString& chip : chart.chips()) parts << chip;
    return (chart.unit().isEmpty() ? QString() : chart.unit() + QStringLiteral(". ")) + parts.join(QStringLiteral("; "));
}

}  // namespace lockstep::charts
