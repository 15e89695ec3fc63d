// What LaneView paints: event lane, gutter, cells, states, hatches, axis.
#include <charts/ticks.h>
#include <text/format.h>

#include "lane_view_parts.h"

#include <QFontMetricsF>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace lockstep::charts {
namespace {

constexpr double kEventSize = 4.5;

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
    painter.save();
    const QRectF window(0, eventLane(), view.width(), shownBottom() - eventLane());
    painter.setClipRect(window);
    painter.translate(0, -scrolled());
    for (const LaneRow& row : rows) {
        if (row.top + rowHeight() < window.top() + scrolled() || row.top > window.bottom() + scrolled()) continue;
        drawGutter(painter, row);
        if (mode == LaneMode::States)
            drawStates(painter, row);
        else
            drawCells(painter, row);
        drawSilence(painter, row);
    }
    painter.restore();
    drawAxis(painter);
    if (rows.empty() && !view.emptyText().isEmpty()) drawEmptyText(painter, view.emptyText(), view.rect(), view.colors(), view.font());
}

void LaneView::Parts::drawEvents(QPainter& painter) const {
    if (rows.empty()) return;
    const QFont font = view.captionFont();
    baseline(painter, workerLeft(), 0, eventLane(), LaneView::tr("Events"), font, view.colors().mutedText);
    const QRectF area = view.plotArea();
    for (const ChartEvent& event : view.events()) {
        const double x = view.pixelAt(view.eventX(event));
        if (x >= area.left() && x <= area.right()) drawEvent(painter, event.kind, {x, eventLane() / 2 - 1}, view.colors());
    }
}

void LaneView::Parts::drawGutter(QPainter& painter, const LaneRow& row) const {
    const ChartColors& colors = view.colors();
    const Lane& lane = lanes[row.shown];
    QFont font = view.captionFont();
    const QFontMetricsF metrics(font);
    if (row.firstOfHost) {
        drawArrow(painter, {9, row.top + rowHeight() / 2}, folded.contains(row.host), colors.mutedText);
        baseline(painter, 18, row.top, rowHeight(), metrics.elidedText(row.host, Qt::ElideRight, bracketLeft() - 22), font, colors.text);
    }
    const bool bracketEnds = &row == &rows.back() || (&row)[1].firstOfHost;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(colors.axis, 1));
    painter.drawLine(QPointF(bracketLeft() + 0.5, row.top),
                     QPointF(bracketLeft() + 0.5, row.top + rowHeight() + (bracketEnds ? 0 : kRowGap)));
    const bool strong = late(row);
    const QColor color = strong ? colors.text : colors.mutedText;
    font.setBold(strong);
    if (row.lanes.size() > 1) {
        baseline(painter, workerLeft(), row.top, rowHeight(), foldedText(row.lanes.size()), view.captionFont(), colors.mutedText);
    } else {
        baseline(painter, workerLeft(), row.top, rowHeight(), lane.worker, font, color);
        const QString device = QFontMetricsF(view.captionFont()).elidedText(lane.device, Qt::ElideLeft, deviceWidth + 1);
        baseline(painter, gutter() - 8 - QFontMetricsF(view.captionFont()).horizontalAdvance(device), row.top, rowHeight(), device,
                 view.captionFont(), color);
    }
    const QString value = QFontMetricsF(font).elidedText(valueText(row.shown), Qt::ElideRight, valueColumn() - 14);
    baseline(painter, right() - 12 - QFontMetricsF(font).horizontalAdvance(value), row.top, rowHeight(), value, font, color);
}

void LaneView::Parts::drawCells(QPainter& painter, const LaneRow& row) const {
    const QRectF area = view.plotArea();
    const std::vector<double>& values = cells[row.shown].values;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(area.left(), row.top, area.width(), rowHeight()),
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
        painter.fillRect(QRectF(edge(begin), row.top, edge(end) - edge(begin), rowHeight()), color);
        begin = end;
    }
}

void LaneView::Parts::drawStates(QPainter& painter, const LaneRow& row) const {
    const QRectF area = view.plotArea();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(area.left(), row.top, area.width(), rowHeight()), view.colors().load[0]);
    for (const StateSpan& span : lanes[row.shown].states) {
        const bool steps = columns.axis == XAxis::Step;
        const double from = steps ? double(span.fromStep) : span.fromTime - (columns.axis == XAxis::Elapsed ? columns.origin : 0);
        const double to = steps ? double(span.toStep) : span.toTime - (columns.axis == XAxis::Elapsed ? columns.origin : 0);
        const double left = std::clamp(std::round(view.pixelAt(from)), area.left(), area.right());
        const double right = std::clamp(std::round(view.pixelAt(to)), area.left(), area.right());
        if (to < columns.x.from || from > columns.x.to) continue;
        const QColor color = span.color == kDeadState ? view.colors().error
                                                      : view.colors().series[static_cast<std::size_t>(span.color) % kSeriesColors].fill;
        painter.fillRect(QRectF(left, row.top, std::max(1.0, right - left), rowHeight()), color);
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
        const QRectF box(edge(begin), row.top, edge(end) - edge(begin), rowHeight());
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
                        : columns.axis == XAxis::Step ? stepTicks(columns.x, most)
                                                      : timeTicks(columns.x, most, columns.axis);
    const double top = shownBottom() + 1;
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

QString LaneView::Parts::momentText(double unixSeconds) const {
    const double origin = view.group()->startTime();
    return origin > 0 ? elapsedText(unixSeconds - origin) : text::formatTimeOfDay(unixSeconds);
}

Tooltip LaneView::Parts::tooltip() const {
    if (!view.group() || rows.empty()) return {};
    if (const auto place = eventAt(pointer)) {
        const ChartEvent& event = view.events()[static_cast<std::size_t>(*place)];
        const bool alert = event.kind == EventKind::Alert || event.kind == EventKind::WorkerLost;
        return {LaneView::tr("Step %1").arg(text::formatInteger(static_cast<std::int64_t>(event.step))),
                momentText(event.time),
                {{event.label, {}, alert ? view.colors().warning : view.colors().mutedText, Marker::Diamond}}};
    }
    const auto row = view.plotArea().contains(pointer) ? rowAt(pointer.y()) : std::nullopt;
    return row && mode != LaneMode::States ? tooltipOfCell(rows[*row]) : Tooltip{};
}

Tooltip LaneView::Parts::tooltipOfCell(const LaneRow& row) const {
    const Lane& lane = lanes[row.shown];
    if (row.shown >= cells.size() || !lane.data) return {};
    const std::vector<double>& values = cells[row.shown].values;
    const QRectF area = view.plotArea();
    const double part = (pointer.x() - area.left()) / area.width() * double(values.size());
    const auto column = static_cast<std::size_t>(std::clamp(part, 0.0, double(values.size()) - 1));
    const auto index = lane.data->nearest(view.xAt(pointer.x()), columns.axis, columns.origin);
    if (values.empty() || !index) return {};
    const Sample& sample = lane.data->at(*index);
    const double value = values[column];
    const QString name = row.lanes.size() > 1 ? LaneView::tr("%1, worst of %2").arg(lane.worker).arg(row.lanes.size())
                                              : lane.worker + QStringLiteral("  ") + lane.host + lane.device;
    const QString text = std::isnan(value)        ? LaneView::tr("no value")
                         : mode == LaneMode::Late ? LaneView::tr("%1 the median").arg(text::formatMultiple(value))
                                                  : charts::valueText(value, format);
    Tooltip box{LaneView::tr("Step %1").arg(text::formatInteger(static_cast<std::int64_t>(sample.step))), momentText(sample.time), {}};
    box.rows.push_back({name, text, std::isnan(value) ? view.colors().axis : cellColor(value), Marker::Square});
    return box;
}

void LaneView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (m_parts->picture.isNull())
        painter.fillRect(rect(), colors().background);
    else
        painter.drawPixmap(0, 0, m_parts->picture);
    const QRectF area = plotArea();
    if (!m_parts->rows.empty()) drawCursors(painter, cursorLook(*this), area, colors(), captionFont());
    if (hovered()) {
        Tooltip box = m_parts->tooltip();
        const QPointF& at = m_parts->pointer;
        const QRectF below(0, at.y() - 8, width(), height() - at.y() + 8);
        if (!box.rows.empty()) drawTooltip(painter, std::move(box), at.x(), below, colors(), captionFont());
    }
    if (m_parts->current && hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(colors().focus, 2));
        painter.setClipRect(area.adjusted(-2, 0, 2, 1));
        painter.drawRect(QRectF(m_parts->gutter() - 1, m_parts->rows[*m_parts->current].top - m_parts->scrolled(), area.width() + 2,
                                m_parts->rowHeight()));
        painter.setClipping(false);
    }
    if (hasFocus()) drawFocusEdge(painter, rect(), colors());
}

}  // namespace lockstep::charts
