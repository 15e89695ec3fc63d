// What LaneView paints: event lane, gutter, cells, states, hatches, axis.
#include <charts/number_text.h>

#include "lane_view_parts.h"

#include <QFontMetricsF>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace lockstep::charts {
namespace {

constexpr double kEventSize = 4.5;
constexpr double kWorkerLeft = 104;  // name of the worker, right of the bracket line
constexpr double kBracketLeft = 92;

void baseline(QPainter& painter, double left, double top, double height, const QString& text, const QFont& font, const QColor& color) {
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    painter.setPen(color);
    painter.drawText(QPointF(left, std::round(top + (height + metrics.ascent() - metrics.descent()) / 2)), text);
}

void drawArrow(QPainter& painter, const QPointF& at, bool folded, const QColor& color) {
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    const QPointF points[] = {folded ? QPointF(-2, -3.5) : QPointF(-3.5, -2), folded ? QPointF(2, 0) : QPointF(0, 2),
                              folded ? QPointF(-2, 3.5) : QPointF(3.5, -2)};
    painter.drawPolyline(QPolygonF({at + points[0], at + points[1], at + points[2]}));
}

void drawEvent(QPainter& painter, EventKind kind, const QPointF& at, const ChartColors& colors) {
    const double r = kEventSize;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    switch (kind) {
        case EventKind::Checkpoint:
            painter.setPen(QPen(colors.mutedText, 1.2));
            painter.drawPolygon(QPolygonF({at + QPointF(0, -r), at + QPointF(r, 0), at + QPointF(0, r), at + QPointF(-r, 0)}));
            break;
        case EventKind::Resume:
        case EventKind::DataChange:
            painter.setPen(Qt::NoPen);
            painter.setBrush(colors.mutedText);
            painter.drawPolygon(QPolygonF({at + QPointF(-r * 0.7, -r), at + QPointF(r, 0), at + QPointF(-r * 0.7, r)}));
            break;
        case EventKind::Alert:
            painter.setPen(Qt::NoPen);
            painter.setBrush(colors.warning);
            painter.drawPolygon(QPolygonF({at + QPointF(0, -r), at + QPointF(r * 1.2, r), at + QPointF(-r * 1.2, r)}));
            break;
        case EventKind::WorkerLost:
            painter.setPen(QPen(colors.error, 2));
            painter.drawLine(at - QPointF(r, r) * 0.8, at + QPointF(r, r) * 0.8);
            painter.drawLine(at + QPointF(-r, r) * 0.8, at + QPointF(r, -r) * 0.8);
            break;
    }
    painter.setBrush(Qt::NoBrush);
}

}  // namespace

QColor LaneView::Parts::cellColor(double value) const {
    const ChartColors& colors = view.colors();
    if (mode == LaneMode::Late) {
        const auto stop = std::upper_bound(colors.lateCuts.begin(), colors.lateCuts.end(), value) - colors.lateCuts.begin();
        return colors.late[static_cast<std::size_t>(stop)];
    }
    const double place = std::clamp((value - load.from) / std::max(1e-12, load.size()), 0.0, 1.0) * (kHeatStops - 1);
    const auto low = std::min<std::size_t>(kHeatStops - 2, static_cast<std::size_t>(place));
    const auto mix = [&](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * (place - double(low)))); };
    const QColor& a = colors.load[low];
    const QColor& b = colors.load[low + 1];
    return QColor(mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue()));
}

void LaneView::Parts::render() {
    const double ratio = view.devicePixelRatioF();
    const QSize wanted = (QSizeF(view.size()) * ratio).toSize();
    if (picture.size() != wanted || picture.devicePixelRatio() != ratio) {
        picture = QPixmap(wanted);
        picture.setDevicePixelRatio(ratio);
    }
    picture.fill(view.colors().background);
    QPainter painter(&picture);
    draw(painter);
}

void LaneView::Parts::draw(QPainter& painter) const {
    drawEvents(painter);
    for (const LaneRow& row : rows) {
        drawGutter(painter, row);
        if (mode == LaneMode::States)
            drawStates(painter, row);
        else
            drawCells(painter, row);
        drawSilence(painter, row);
    }
    drawAxis(painter);
    if (rows.empty() && !view.emptyText().isEmpty()) drawEmptyText(painter, view.emptyText(), view.rect(), view.colors(), view.font());
}

void LaneView::Parts::drawEvents(QPainter& painter) const {
    if (rows.empty()) return;
    const QFont font = view.captionFont();
    baseline(painter, kWorkerLeft, 0, kEventLane, LaneView::tr("Events"), font, view.colors().mutedText);
    const QRectF area = view.plotArea();
    for (const ChartEvent& event : view.events()) {
        const double x = view.pixelAt(view.eventX(event));
        if (x >= area.left() && x <= area.right()) drawEvent(painter, event.kind, {x, kEventLane / 2 - 1}, view.colors());
    }
}

void LaneView::Parts::drawGutter(QPainter& painter, const LaneRow& row) const {
    const ChartColors& colors = view.colors();
    const Lane& lane = lanes[row.shown];
    QFont font = view.captionFont();
    const QFontMetricsF metrics(font);
    if (row.firstOfHost) {
        drawArrow(painter, {9, row.top + kRowHeight / 2}, folded.contains(row.host), colors.mutedText);
        baseline(painter, 18, row.top, kRowHeight, metrics.elidedText(row.host, Qt::ElideRight, kBracketLeft - 22), font, colors.text);
    }
    const bool bracketEnds = &row == &rows.back() || (&row)[1].firstOfHost;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(colors.axis, 1));
    painter.drawLine(QPointF(kBracketLeft + 0.5, row.top), QPointF(kBracketLeft + 0.5, row.top + kRowHeight + (bracketEnds ? 0 : kRowGap)));
    const bool strong = late(row);
    const QColor color = strong ? colors.text : colors.mutedText;
    font.setBold(strong);
    if (row.lanes.size() > 1) {
        baseline(painter, kWorkerLeft, row.top, kRowHeight, LaneView::tr("%1 folded").arg(row.lanes.size()), view.captionFont(),
                 colors.mutedText);
    } else {
        baseline(painter, kWorkerLeft, row.top, kRowHeight, lane.worker, font, color);
        const QString device = QFontMetricsF(view.captionFont()).elidedText(lane.device, Qt::ElideLeft, 26);
        baseline(painter, kGutter - 8 - QFontMetricsF(view.captionFont()).horizontalAdvance(device), row.top, kRowHeight, device,
                 view.captionFont(), color);
    }
    const QString value = QFontMetricsF(font).elidedText(valueText(row.shown), Qt::ElideRight, kValueColumn - 14);
    baseline(painter, view.width() - 12 - QFontMetricsF(font).horizontalAdvance(value), row.top, kRowHeight, value, font, color);
}

void LaneView::Parts::drawCells(QPainter& painter, const LaneRow& row) const {
    const QRectF area = view.plotArea();
    const std::vector<double>& values = cells[row.shown].values;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(area.left(), row.top, area.width(), kRowHeight),
                     mode == LaneMode::Late ? view.colors().late[0] : view.colors().load[0]);
    const auto edge = [&](std::size_t column) { return std::round(area.left() + area.width() * double(column) / double(values.size())); };
    for (std::size_t begin = 0; begin < values.size();) {
        std::size_t end = begin + 1;
        if (std::isnan(values[begin])) {
            begin = end;
            continue;
        }
        const QColor color = cellColor(values[begin]);
        while (end < values.size() && !std::isnan(values[end]) && cellColor(values[end]) == color) ++end;
        painter.fillRect(QRectF(edge(begin), row.top, edge(end) - edge(begin), kRowHeight), color);
        begin = end;
    }
}

void LaneView::Parts::drawStates(QPainter& painter, const LaneRow& row) const {
    const QRectF area = view.plotArea();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(area.left(), row.top, area.width(), kRowHeight), view.colors().load[0]);
    for (const StateSpan& span : lanes[row.shown].states) {
        const bool steps = columns.axis == XAxis::Step;
        const double from = steps ? double(span.fromStep) : span.fromTime - (columns.axis == XAxis::Elapsed ? columns.origin : 0);
        const double to = steps ? double(span.toStep) : span.toTime - (columns.axis == XAxis::Elapsed ? columns.origin : 0);
        const double left = std::clamp(std::round(view.pixelAt(from)), area.left(), area.right());
        const double right = std::clamp(std::round(view.pixelAt(to)), area.left(), area.right());
        if (to < columns.x.from || from > columns.x.to) continue;
        const QColor color = span.color == kDeadState ? view.colors().error
                                                      : view.colors().series[static_cast<std::size_t>(span.color) % kSeriesColors].fill;
        painter.fillRect(QRectF(left, row.top, std::max(1.0, right - left), kRowHeight), color);
    }
}

void LaneView::Parts::drawSilence(QPainter& painter, const LaneRow& row) const {
    const QRectF area = view.plotArea();
    const std::vector<bool>& silent = cells[row.shown].silent;
    const auto edge = [&](std::size_t column) { return std::round(area.left() + area.width() * double(column) / double(silent.size())); };
    for (std::size_t begin = 0; begin < silent.size(); ++begin) {
        if (!silent[begin]) continue;
        std::size_t end = begin;
        while (end < silent.size() && silent[end]) ++end;
        const QRectF box(edge(begin), row.top, edge(end) - edge(begin), kRowHeight);
        painter.fillRect(box, view.colors().background);
        painter.fillRect(box, QBrush(view.colors().mutedText, Qt::BDiagPattern));
        begin = end;
    }
}

void LaneView::Parts::drawAxis(QPainter& painter) const {
    if (rows.empty()) return;
    const QFont font = view.captionFont();
    const QFontMetricsF metrics(font);
    const QRectF area = view.plotArea();
    const int most =
        std::clamp(static_cast<int>(area.width() / std::max(90.0, metrics.horizontalAdvance(QStringLiteral("00:00:00")) + 24)), 2, 10);
    const Ticks ticks = columns.xScale == Scale::Log  ? logTicks(columns.x, most)
                        : columns.axis == XAxis::Step ? linearTicks(columns.x, most)
                                                      : timeTicks(columns.x, most, columns.axis);
    const double top = rowsBottom() + 1;
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
        const double x = view.pixelAt(ticks.at[i]);
        if (x < area.left() - 1 || x > area.right() + 1) continue;
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(view.colors().axis, 1));
        painter.drawLine(QPointF(std::floor(x) + 0.5, top), QPointF(std::floor(x) + 0.5, top + 4));
        painter.setFont(font);
        painter.setPen(view.colors().mutedText);
        const double width = metrics.horizontalAdvance(ticks.text[i]);
        painter.drawText(QPointF(std::round(x - width / 2), top + 5 + metrics.ascent()), ticks.text[i]);
    }
}

void LaneView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (m_parts->picture.isNull())
        painter.fillRect(rect(), colors().background);
    else
        painter.drawPixmap(0, 0, m_parts->picture);
    const QRectF area = plotArea();
    if (!m_parts->rows.empty()) drawCursors(painter, cursorLook(*this), area, colors(), captionFont());
    if (m_parts->current && hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(colors().focus, 2));
        painter.drawRect(QRectF(kGutter - 1, m_parts->rows[*m_parts->current].top, area.width() + 2, kRowHeight));
    }
    if (hasFocus()) drawFocusEdge(painter, rect(), colors());
}

}  // namespace lockstep::charts
