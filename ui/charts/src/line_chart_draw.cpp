// What LineChart paints on its three layers.
#include <charts/ticks.h>
#include <text/format.h>

#include "line_chart_parts.h"

#include <algorithm>
#include <cmath>

namespace lockstep::charts {
namespace {

constexpr double kMarkerGap = 14;  // px; closer markers would hide the line
constexpr double kCursorDot = 3.5;
constexpr std::size_t kMostNamedSmooth = 2;  // curves; of more the tooltip has the measured values only

}  // namespace

void LineChart::Parts::drawCurves(QPainter& painter) {
    painter.save();
    painter.setClipRect(map.area.adjusted(-1, -1, 2, 2));
    for (const auto& curve : curves)
        if (!curve->band.empty()) drawBand(painter, curve->band, map, seriesColors(*curve).band);
    for (const auto& curve : curves)
        if (curve->smoothed() && curve->drawsRaw())
            drawCurve(painter, curve->quiet.empty() ? curve->raw.points : curve->quiet, map, QPen(seriesColors(*curve).raw, 1));
    drawLines(painter, true);
    drawLines(painter, false);
    if (hovered && curves[*hovered]->series.pen == LinePen::Context)
        drawCurve(painter, curves[*hovered]->shown().points, map, QPen(color(*curves[*hovered]), 2));
    painter.restore();
    painter.save();
    painter.setClipRect(map.area.adjusted(-5, -5, 5, 5));
    for (const auto& curve : curves)
        if (curve->series.role == LineRole::Secondary) drawMarkers(painter, *curve);
    painter.restore();
}

void LineChart::Parts::drawLines(QPainter& painter, bool crowd) {
    for (const auto& curve : curves) {
        const LinePen pen = curve->series.pen;
        if ((pen == LinePen::Context) != crowd) continue;
        const double width = crowd || curve->noisy ? 1 : curve->series.role == LineRole::Secondary ? 1.5 : 2;
        drawCurve(painter, curve->shown().points, map, QPen(color(*curve), width));
    }
}

// Every point while there is room for that, else every third; where those too stand closer than the markers are wide, as many as fit.
void LineChart::Parts::drawMarkers(QPainter& painter, const Curve& curve) {
    const auto& points = curve.raw.points;
    const auto inView = [&](const PlotPoint& point) { return !std::isnan(point.y) && view.x.contains(point.x); };
    const auto count = static_cast<double>(std::count_if(points.begin(), points.end(), inView));
    const int every = count * kMarkerGap <= map.area.width() ? 1 : 3;
    double last = -1e9;
    int number = 0;
    for (const PlotPoint& point : points) {
        if (std::isnan(point.y) || number++ % every != 0) continue;
        const QPointF at(map.px(point.x), map.py(point.y));
        if (at.x() - last < kMarkerGap && at.x() >= last) continue;
        drawMarker(painter, marker(curve), at, kMarkerRadius, color(curve), openFill(curve));
        last = at.x();
    }
}

void LineChart::Parts::drawOverlay(QPainter& painter) {
    const QFont font = chart.captionFont();
    const bool nothing = std::none_of(curves.begin(), curves.end(), [](const auto& curve) { return curve->summary.visible > 0; });
    if (nothing && !chart.emptyText().isEmpty()) drawEmptyText(painter, chart.emptyText(), map.area, chart.colors(), chart.font());
    if (endLabels && !nothing) drawEndLabels(painter, labels(true), map.area, font, chart.colors().text);
}

void LineChart::Parts::drawCursorLayer(QPainter& painter) {
    if (!chart.group()) return;
    const QFont font = chart.captionFont();
    const CursorLook look = cursorLook(chart);
    drawEventLines(painter, chart, look, map.area, font);
    drawCursors(painter, look, map.area, chart.colors(), font);
    const auto a = chart.group()->cursorA();
    const auto b = chart.group()->cursorB();
    if (chart.hovered()) {
        if (look.a) drawDots(painter, *a);
        if (look.b) drawDots(painter, *b);
        if (look.b && !curves.empty()) {
            Tooltip box = tooltip(*b);
            if (!box.rows.empty()) drawTooltip(painter, std::move(box), *look.b, map.area, chart.colors(), font);
        }
    }
    if (chart.hasFocus()) drawFocusEdge(painter, chart.rect(), chart.colors());
}

void LineChart::Parts::drawDots(QPainter& painter, double x) {
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const auto& curve : curves) {
        if (curve->series.pen == LinePen::Context && !(hovered && curves[*hovered] == curve)) continue;
        const auto at = value(*curve, x);
        if (!at || !std::isfinite(at->shown)) continue;
        const double here = view.axis == XAxis::Step ? double(at->step) : view.axis == XAxis::Elapsed ? at->time - view.origin : at->time;
        const QPointF place(map.px(here), map.py(at->shown));
        if (!map.area.adjusted(-4, -4, 4, 4).contains(place)) continue;
        painter.setPen(QPen(chart.colors().background, 1.5));
        painter.setBrush(color(*curve));
        painter.drawEllipse(place, kCursorDot, kCursorDot);
    }
    painter.setBrush(Qt::NoBrush);
}

Tooltip LineChart::Parts::tooltip(double x) const {
    Tooltip box;
    std::optional<SeriesValue> nearest;
    double away = 0;
    for (const auto& curve : curves) {
        const auto at = value(*curve, x);
        if (!at) continue;
        const double distance = std::abs(map.py(at->shown) - pointer.y());
        box.rows.push_back({curve->series.name, valueText(at->raw, format), color(*curve), marker(*curve), distance, openFill(*curve)});
        if (curve->smoothed() && curves.size() <= kMostNamedSmooth)
            box.rows.push_back({LineChart::tr("%1, smoothed").arg(curve->series.name), valueText(at->shown, format),
                                seriesColors(*curve).raw, marker(*curve), distance, openFill(*curve)});
        const double here = view.axis == XAxis::Step ? double(at->step) : view.axis == XAxis::Elapsed ? at->time - view.origin : at->time;
        if (nearest && std::abs(here - x) >= away) continue;
        nearest = at;
        away = std::abs(here - x);
    }
    if (!nearest) return box;
    const QString step = LineChart::tr("Step %1").arg(text::formatInteger(static_cast<std::int64_t>(nearest->step)));
    const double origin = chart.group()->startTime();
    box.head = view.axis == XAxis::Step      ? step
               : view.axis == XAxis::Elapsed ? elapsedText(nearest->time - origin)
                                             : text::formatTimeOfDay(nearest->time);
    box.side = view.axis != XAxis::Step ? step : origin > 0 ? elapsedText(nearest->time - origin) : text::formatTimeOfDay(nearest->time);
    return box;
}

}  // namespace lockstep::charts
