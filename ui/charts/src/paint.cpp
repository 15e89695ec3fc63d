#include "paint.h"

#include <QFontMetricsF>
#include <QPaintEngine>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace lockstep::charts {
namespace {

constexpr double kFar = 4000;
constexpr double kNoStep = 0.6;  // px: what a pen can't show
constexpr double kLabelGap = 14;
constexpr double kLabelLeft = 11;

double part(double value, const Range& range, Scale scale) {
    if (scale == Scale::Log && range.from > 0) return std::log(std::max(value, 1e-300) / range.from) / std::log(range.to / range.from);
    return (value - range.from) / range.size();
}

bool raster(const QPainter& painter) { return painter.paintEngine() && painter.paintEngine()->type() == QPaintEngine::Raster; }

QPolygonF regular(const QPointF& at, double radius, int corners, double turn) {
    QPolygonF shape;
    for (int i = 0; i < corners; ++i) {
        const double angle = turn + 2 * M_PI * i / corners;
        shape << at + QPointF(std::cos(angle), std::sin(angle)) * radius;
    }
    return shape;
}

QPolygonF star(const QPointF& at, double radius) {
    QPolygonF shape;
    for (int i = 0; i < 10; ++i) {
        const double angle = -M_PI / 2 + M_PI * i / 5;
        shape << at + QPointF(std::cos(angle), std::sin(angle)) * (i % 2 == 0 ? radius : radius * 0.45);
    }
    return shape;
}

}  // namespace

double PixelMap::px(double value) const {
    return std::clamp(area.left() + area.width() * part(value, x, xScale), area.left() - kFar, area.right() + kFar);
}

double PixelMap::py(double value) const {
    return std::clamp(area.bottom() - area.height() * part(value, y, yScale), area.top() - kFar, area.bottom() + kFar);
}

void drawCurve(QPainter& painter, const std::vector<PlotPoint>& points, const PixelMap& map, const QPen& pen) {
    painter.setPen(pen);
    painter.setRenderHint(QPainter::Antialiasing, true);
    const bool segments = raster(painter);
    QPolygonF run;
    QVector<QLineF> lines;
    const auto flush = [&] {
        if (run.size() == 1) {
            painter.drawLine(QLineF(run[0] - QPointF(0.5, 0), run[0] + QPointF(0.5, 0)));
        } else if (segments) {
            lines.clear();
            for (qsizetype i = 1; i < run.size(); ++i) lines.append(QLineF(run[i - 1], run[i]));
            painter.drawLines(lines);
        } else {
            painter.drawPolyline(run);
        }
        run.clear();
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
        const PlotPoint& point = points[i];
        if (std::isnan(point.y)) {
            flush();
            continue;
        }
        const QPointF at(map.px(point.x), map.py(point.y));
        const bool ends = i + 1 == points.size() || std::isnan(points[i + 1].y);
        if (!run.isEmpty() && !ends && std::abs(at.x() - run.back().x()) < kNoStep && std::abs(at.y() - run.back().y()) < kNoStep) continue;
        run << at;
    }
    flush();
}

void drawBand(QPainter& painter, const std::vector<ColumnStats>& columns, const PixelMap& map, const QColor& color) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const ColumnStats& column : columns) {
        if (column.samples == 0 || (map.yScale == Scale::Log && column.max <= 0)) continue;
        const double left = std::round(map.px(column.x.from));
        const double top = std::round(map.py(column.max));
        const double bottom = map.yScale == Scale::Log && column.min <= 0 ? map.area.bottom() : std::round(map.py(column.min));
        painter.fillRect(QRectF(left, top, std::max(1.0, std::round(map.px(column.x.to)) - left), std::max(1.0, bottom - top)), color);
    }
}

void drawMarker(QPainter& painter, Marker marker, const QPointF& at, double radius, const QColor& color, const QColor& open) {
    painter.setRenderHint(QPainter::Antialiasing, true);
    const bool strokes = marker == Marker::Cross || marker == Marker::Plus;
    painter.setPen(strokes ? QPen(color, open.isValid() ? 1 : 2) : open.isValid() ? QPen(color, 1.5) : QPen(Qt::NoPen));
    painter.setBrush(open.isValid() ? open : color);
    const QPointF right(radius, 0);
    const QPointF down(0, radius);
    switch (marker) {
        case Marker::Disc: painter.drawEllipse(at, radius, radius); break;
        case Marker::Square: painter.drawRect(QRectF(at - right * 0.9 - down * 0.9, QSizeF(1.8 * radius, 1.8 * radius))); break;
        case Marker::Triangle: painter.drawPolygon(regular(at, radius * 1.25, 3, -M_PI / 2)); break;
        case Marker::TriangleInverted: painter.drawPolygon(regular(at, radius * 1.25, 3, M_PI / 2)); break;
        case Marker::Diamond: painter.drawPolygon(regular(at, radius * 1.25, 4, 0)); break;
        case Marker::Star: painter.drawPolygon(star(at, radius * 1.4)); break;
        case Marker::Cross:
            painter.drawLine(at - right - down, at + right + down);
            painter.drawLine(at - right + down, at + right - down);
            break;
        case Marker::Plus:
            painter.drawLine(at - right, at + right);
            painter.drawLine(at - down, at + down);
            break;
    }
    painter.setBrush(Qt::NoBrush);
}

std::vector<double> spreadOut(std::vector<double> wanted, double distance, double low, double high) {
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = std::max(wanted[i], i == 0 ? low : wanted[i - 1] + distance);
    double limit = high;
    for (std::size_t i = wanted.size(); i-- > 0; limit = wanted[i] - distance) wanted[i] = std::min(wanted[i], limit);
    return wanted;
}

int endLabelWidth(const std::vector<EndLabel>& labels, const QFont& font) {
    const QFontMetricsF metrics(font);
    double widest = 0;
    for (const EndLabel& label : labels) widest = std::max(widest, metrics.horizontalAdvance(label.text) + (label.swatch ? 8 : 0));
    return static_cast<int>(std::ceil(widest + kLabelLeft + 6));
}

void drawEndLabels(QPainter& painter, std::vector<EndLabel> labels, const QRectF& area, const QFont& font, const QColor& text) {
    std::stable_sort(labels.begin(), labels.end(), [](const EndLabel& a, const EndLabel& b) { return a.at.y() < b.at.y(); });
    std::vector<double> wanted;
    for (const EndLabel& label : labels) wanted.push_back(std::clamp(label.at.y(), area.top(), area.bottom()));
    const QFontMetricsF metrics(font);
    const std::vector<double> places = spreadOut(wanted, std::max(kLabelGap, metrics.height()), area.top() + 4, area.bottom() - 2);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const EndLabel& label = labels[i];
        const double left = area.right() + kLabelLeft + (label.swatch ? 8 : 0);
        if (!label.swatch && std::abs(places[i] - wanted[i]) > 2) {
            painter.setRenderHint(QPainter::Antialiasing, true);
            painter.setPen(QPen(label.color, 1));
            painter.drawLine(QPointF(area.right() + 3, wanted[i]), QPointF(left - 2, places[i]));
        }
        if (label.swatch)
            painter.fillRect(QRectF(area.right() + 6, std::round(places[i] - 4), 9, 9), label.color);
        else if (area.adjusted(-1, -1, 1, 1).contains(label.at))
            drawMarker(painter, label.marker, label.at, kMarkerRadius, label.color, label.open);
        painter.setFont(font);
        painter.setPen(text);
        painter.drawText(QPointF(left, std::round(places[i] + (metrics.ascent() - metrics.descent()) / 2)), label.text);
    }
}

}  // namespace lockstep::charts
