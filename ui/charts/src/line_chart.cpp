#include <charts/line_chart.h>

#include <charts/ticks.h>
#include <text/format.h>

#include "line_chart_parts.h"

#include <QResizeEvent>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::charts {
namespace {

constexpr double kHoverReach = 12;  // px

}  // namespace

LineChart::LineChart(ChartGroup* group, QWidget* parent) : ChartView(group, parent), m_parts(std::make_unique<Parts>(*this)) {
    colorsChanged();
}

LineChart::~LineChart() = default;

void LineChart::setSeries(std::vector<LineSeries> series) {
    if (series == m_parts->described) return;
    std::vector<std::unique_ptr<Curve>> curves;
    for (const LineSeries& each : series) {
        const auto same = std::find_if(m_parts->curves.begin(), m_parts->curves.end(),
                                       [&](const auto& curve) { return curve && curve->series.data == each.data; });
        if (same == m_parts->curves.end()) {
            curves.push_back(std::make_unique<Curve>(each));
            continue;
        }
        curves.push_back(std::move(*same));
        curves.back()->series = each;
    }
    m_parts->curves = std::move(curves);
    m_parts->described = std::move(series);
    m_parts->hovered.reset();
    markDirty();
}

const std::vector<LineSeries>& LineChart::series() const { return m_parts->described; }

void LineChart::setYScale(Scale scale) {
    m_parts->yScale = scale;
    m_parts->fitted = false;
    markDirty();
}

Scale LineChart::yScale() const { return m_parts->yScale; }

void LineChart::setValueFormat(ValueFormat format) {
    m_parts->format = format;
    markDirty();
}

void LineChart::setOutliers(Outliers outliers) {
    m_parts->outliers = outliers;
    markDirty();
}

Outliers LineChart::outliers() const { return m_parts->outliers; }

void LineChart::setEndLabels(bool on) {
    m_parts->endLabels = on;
    markDirty();
}

void LineChart::setSmoothingOverride(std::optional<double> weight) {
    m_parts->smoothingOverride = weight;
    markDirty();
}

std::optional<double> LineChart::smoothingOverride() const { return m_parts->smoothingOverride; }

void LineChart::setYRange(std::optional<Range> fixed) {
    m_parts->fixedY = fixed;
    markDirty();
}

Range LineChart::yRange() const { return m_parts->y; }

ChartCounts LineChart::counts() const { return m_parts->counts; }

std::vector<QString> LineChart::chips() const {
    const ChartCounts& counts = m_parts->counts;
    const auto text = [](std::size_t number) { return text::formatInteger(static_cast<std::int64_t>(number)); };
    std::vector<QString> chips;
    if (counts.outside == 1) chips.push_back(tr("1 point outside"));
    if (counts.outside > 1) chips.push_back(tr("%1 points outside").arg(text(counts.outside)));
    if (counts.notPositive == 1) chips.push_back(tr("1 value ≤ 0 hidden"));
    if (counts.notPositive > 1) chips.push_back(tr("%1 values ≤ 0 hidden").arg(text(counts.notPositive)));
    if (counts.notFinite == 1) chips.push_back(tr("1 value not finite"));
    if (counts.notFinite > 1) chips.push_back(tr("%1 values not finite").arg(text(counts.notFinite)));
    if (m_parts->smoothingOverride) chips.push_back(tr("override"));
    if (counts.buckets > 0) chips.push_back(tr("%1 points in %2 buckets").arg(text(counts.visible), text(counts.buckets)));
    return chips;
}

std::optional<SeriesValue> LineChart::valueAt(std::size_t index, double x) const {
    if (index >= m_parts->curves.size() || !group()) return std::nullopt;
    return m_parts->value(*m_parts->curves[index], x);
}

std::optional<SeriesValue> LineChart::lastValue(std::size_t index) const {
    if (index >= m_parts->curves.size() || m_parts->curves[index]->series.data->empty()) return std::nullopt;
    Curve& curve = *m_parts->curves[index];
    curve.smoother.update();
    return m_parts->valueOf(curve, curve.series.data->size() - 1);
}

std::optional<std::size_t> LineChart::hoveredSeries() const { return m_parts->hovered; }

std::optional<Range> LineChart::extent() const {
    std::optional<Range> all;
    for (const auto& curve : m_parts->curves)
        if (const auto range = curve->series.data->extent(group()->xAxis(), group()->startTime())) all = all ? all->united(*range) : range;
    return all;
}

QRectF LineChart::plotArea() const { return m_parts->frame.area(); }

std::optional<double> LineChart::convert(double x, XAxis from, XAxis to) const {
    const SeriesData* sampled = m_parts->longest();
    if (!sampled || !group()) return std::nullopt;
    const auto index = sampled->nearest(x, from, group()->startTime());
    return index ? std::optional(sampled->xOf(*index, to, group()->startTime())) : std::nullopt;
}

QImage LineChart::image(double scale) {
    m_parts->frame.resize(size());
    redraw(true);
    return m_parts->frame.image(scale);
}

QByteArray LineChart::svg() {
    m_parts->frame.resize(size());
    redraw(true);
    return m_parts->frame.svg();
}

QString LineChart::csv() const {
    QString text = QStringLiteral("series,step,unix_time,value,smoothed\n");
    if (!group()) return text;
    for (const auto& curve : m_parts->curves) text += csvLines(curve->series.name, *curve->series.data, &curve->smoother.update());
    return text;
}

bool LineChart::hasNewData() const {
    return std::any_of(m_parts->curves.begin(), m_parts->curves.end(), [](const auto& curve) { return curve->seen != curve->revision(); });
}

void LineChart::redraw(bool refitY) {
    if (!group()) return;
    const ChartCounts before = m_parts->counts;
    m_parts->prepare(refitY);
    m_parts->frame.replot();
    if (hasFocus() || accessibleDescription().isEmpty()) setAccessibleDescription(m_parts->description());
    if (!(before == m_parts->counts)) emit countsChanged();
}

void LineChart::redrawCursors() { m_parts->frame.replotCursors(); }

void LineChart::colorsChanged() { m_parts->frame.setLook(colors(), captionFont()); }

void LineChart::hoverMoved(const QPointF& place) {
    m_parts->pointer = place;
    std::optional<std::size_t> found;
    double best = kHoverReach;
    const auto x = group() ? group()->cursorB() : std::nullopt;
    for (std::size_t i = 0; hovered() && x && i < m_parts->curves.size(); ++i) {
        const auto value = m_parts->value(*m_parts->curves[i], *x);
        const double away = value ? std::abs(m_parts->map.py(value->shown) - place.y()) : kHoverReach;
        if (away >= best) continue;
        best = away;
        found = i;
    }
    if (found == m_parts->hovered) return;
    m_parts->hovered = found;
    const bool crowd = std::any_of(m_parts->curves.begin(), m_parts->curves.end(),
                                   [](const auto& curve) { return curve->series.pen == LinePen::Context; });
    if (crowd) markDirty();
}

void LineChart::resizeEvent(QResizeEvent* event) {
    m_parts->frame.resize(event->size());
    ChartView::resizeEvent(event);
}

}  // namespace lockstep::charts
