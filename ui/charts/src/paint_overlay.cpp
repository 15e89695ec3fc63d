// What lies over the curves: cursors, event lines, the tooltip.
#include <charts/ticks.h>

#include "paint.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace lockstep::charts {
namespace {

constexpr double kTag = 15;
constexpr double kPadding = 10;

double sharp(double pixel) { return std::floor(pixel) + 0.5; }

void drawTag(QPainter& painter, double x, double top, QChar letter, const ChartColors& colors, const QFont& font) {
    const QRectF box(std::round(x - kTag / 2), top, kTag, kTag);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.crosshair);
    painter.drawRoundedRect(box, 2, 2);
    painter.setBrush(Qt::NoBrush);
    QFont strong = font;
    strong.setBold(true);
    painter.setFont(strong);
    painter.setPen(colors.background);
    painter.drawText(box, Qt::AlignCenter, letter);
}

}  // namespace

CursorLook cursorLook(const ChartView& view) {
    CursorLook look;
    const QRectF area = view.plotArea();
    const auto place = [&](std::optional<double> x) -> std::optional<double> {
        if (!x) return std::nullopt;
        const double pixel = view.pixelAt(*x);
        return pixel >= area.left() - 0.5 && pixel <= area.right() + 0.5 ? std::optional(pixel) : std::nullopt;
    };
    if (view.group()) {
        look.a = place(view.group()->cursorA());
        look.b = place(view.group()->cursorB());
    }
    look.tags = view.cursorTags();
    return look;
}

void drawCursors(QPainter& painter, const CursorLook& look, const QRectF& area, const ChartColors& colors, const QFont& font) {
    const double top = area.top() + (look.tags ? kTag - 1 : 0);
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (look.a) {
        painter.setPen(QPen(colors.crosshair, 1));
        painter.drawLine(QPointF(sharp(*look.a), top), QPointF(sharp(*look.a), area.bottom()));
    }
    if (look.b) {
        QPen dashed(colors.crosshair, 1, Qt::CustomDashLine);
        dashed.setDashPattern({3, 3});
        painter.setPen(dashed);
        painter.drawLine(QPointF(sharp(*look.b), top), QPointF(sharp(*look.b), area.bottom()));
    }
    if (!look.tags) return;
    if (look.a) drawTag(painter, *look.a, area.top() - 1, 'A', colors, font);
    if (look.b) drawTag(painter, *look.b, area.top() - 1, 'B', colors, font);
}

void drawEventLines(QPainter& painter, const ChartView& view, const CursorLook& look, const QRectF& area, const QFont& font) {
    const QFontMetricsF metrics(font);
    double taken = area.left() - 1e6;  // right end of the label before
    for (const ChartEvent& event : view.events()) {
        if (event.kind != EventKind::Resume && event.kind != EventKind::DataChange) continue;
        const double x = view.pixelAt(view.eventX(event));
        if (!(x >= area.left()) || x > area.right()) continue;
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(view.colors().axis, 1));
        painter.drawLine(QPointF(sharp(x), area.top()), QPointF(sharp(x), area.bottom()));
        if (!look.tags) continue;  // the words stand once on a page, in its largest chart
        const double width = metrics.horizontalAdvance(event.label);
        const auto meets = [&](double left) {
            const auto tag = [&](std::optional<double> at) {
                return look.tags && at && *at + kTag / 2 + 3 > left && *at - kTag / 2 - 3 < left + width;
            };
            return left < area.left() || left + width > area.right() + 2 || left < taken || tag(look.a) || tag(look.b);
        };
        double left = x + 5;
        if (meets(left)) left = x - 5 - width;
        if (meets(left)) continue;
        // No curve runs through the words.
        painter.fillRect(QRectF(left - 2, area.top(), width + 4, metrics.height()), view.colors().background);
        painter.setFont(font);
        painter.setPen(view.colors().mutedText);
        painter.drawText(QPointF(left, area.top() + metrics.ascent() - 1), event.label);
        taken = left + width + 6;
    }
}

void drawTooltip(QPainter& painter, Tooltip tooltip, double atX, const QRectF& area, const ChartColors& colors, const QFont& font) {
    auto& rows = tooltip.rows;
    std::stable_sort(rows.begin(), rows.end(), [](const TooltipRow& a, const TooltipRow& b) { return a.distance < b.distance; });
    const double line = std::ceil(QFontMetricsF(font).height()) + 3;
    // A low card shows as many rows as it has room for.
    const auto room = static_cast<std::size_t>(std::max(1.0, (area.bottom() - 2 * kPadding) / line - 2));
    const std::size_t most = std::min(kTooltipRows, room);
    QString more;
    if (rows.size() > most) {
        more = ChartView::tr("+%1 more").arg(rows.size() - most);
        rows.resize(most);
    }
    QFont strong = font;
    strong.setBold(true);
    const QFontMetricsF metrics(font);
    const QFontMetricsF strongMetrics(strong);
    double width = metrics.horizontalAdvance(tooltip.head) + 16 + metrics.horizontalAdvance(tooltip.side);
    for (const TooltipRow& row : rows)
        width = std::max(width, 14 + metrics.horizontalAdvance(row.name) + 20 + strongMetrics.horizontalAdvance(row.value));
    QRectF box(0, area.top() + 20, std::ceil(width) + 2 * kPadding,
               double(rows.size() + (more.isEmpty() ? 1 : 2)) * line + 2 * kPadding - 6);
    box.moveLeft(atX - box.width() - 10);
    if (box.left() < area.left() + 2) box.moveLeft(atX + 10);
    if (box.bottom() > area.bottom()) box.moveTop(std::max(2.0, area.bottom() - box.height()));
    box.translate(std::round(box.left()) + 0.5 - box.left(), std::round(box.top()) + 0.5 - box.top());
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(colors.border, 1));
    painter.setBrush(colors.raised);
    painter.drawRoundedRect(box, 4, 4);
    painter.setBrush(Qt::NoBrush);
    QRectF text(box.left() + kPadding, box.top() + kPadding - 3, box.width() - 2 * kPadding, line);
    painter.setFont(font);
    painter.setPen(colors.mutedText);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, tooltip.head);
    painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, tooltip.side);
    for (const TooltipRow& row : rows) {
        text.translate(0, line);
        drawMarker(painter, row.marker, {text.left() + 4, text.center().y()}, kMarkerRadius, row.color, row.open);
        painter.setFont(font);
        painter.setPen(colors.text);
        painter.drawText(text.adjusted(14, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, row.name);
        painter.setFont(strong);
        painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, row.value);
    }
    if (more.isEmpty()) return;
    painter.setFont(font);
    painter.setPen(colors.mutedText);
    painter.drawText(text.translated(0, line), Qt::AlignLeft | Qt::AlignVCenter, more);
}

void drawFocusEdge(QPainter& painter, const QRectF& widget, const ChartColors& colors) {
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(colors.focus, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(widget.adjusted(1, 1, -1, -1), 4, 4);
}

void drawEmptyText(QPainter& painter, const QString& text, const QRectF& area, const ChartColors& colors, const QFont& font) {
    painter.setFont(font);
    painter.setPen(colors.mutedText);
    painter.drawText(area.adjusted(8, 4, -8, -4), Qt::AlignCenter | Qt::TextWordWrap, text);
}

}  // namespace lockstep::charts
