// Drawing that curves, stacks and lanes share: plain QPainter, in pixels of the widget.
#pragma once

#include <charts/chart_colors.h>
#include <charts/chart_view.h>
#include <charts/series_data.h>

#include <QFont>
#include <QPainter>
#include <QString>

#include <vector>

namespace lockstep::charts {

struct PixelMap {
    QRectF area;
    Range x;
    Range y;
    Scale xScale = Scale::Linear;
    Scale yScale = Scale::Linear;

    double px(double value) const;
    double py(double value) const;  // kept within some screens of the area: painters slow down far outside
};

inline constexpr double kMarkerRadius = 3.2;
inline constexpr int kBucketWidth = 3;

// With an opaque pen; single segments on raster devices (many times faster there than joined lines), one polyline on others.
void drawCurve(QPainter& painter, const std::vector<PlotPoint>& points, const PixelMap& map, const QPen& pen);
void drawBand(QPainter& painter, const std::vector<ColumnStats>& columns, const PixelMap& map, const QColor& color);
void drawMarker(QPainter& painter, Marker marker, const QPointF& at, double radius, const QColor& color, const QColor& open = {});

struct EndLabel {
    QPointF at;    // end of the curve
    QString text;  // name and value
    QColor color;
    Marker marker = Marker::Disc;
    QColor open;          // valid: an open marker, filled with this
    bool swatch = false;  // a square beside the text instead of a marker at the end of the curve
};
// Right of the area, in order from top to bottom, at least 14 apart; one that had to move has a leader in its colour.
void drawEndLabels(QPainter& painter, std::vector<EndLabel> labels, const QRectF& area, const QFont& font, const QColor& text);
int endLabelWidth(const std::vector<EndLabel>& labels, const QFont& font);  // margin that they need
// Places at least `distance` apart within low…high, moved as little as a pass down and a pass up can; `wanted` ascending.
std::vector<double> spreadOut(std::vector<double> wanted, double distance, double low, double high);

struct CursorLook {
    std::optional<double> a;  // pixels
    std::optional<double> b;
    bool tags = false;
};
CursorLook cursorLook(const ChartView& view);
void drawCursors(QPainter& painter, const CursorLook& look, const QRectF& area, const ChartColors& colors, const QFont& font);
void drawEventLines(QPainter& painter, const ChartView& view, const CursorLook& look, const QRectF& area, const QFont& font);

struct TooltipRow {
    QString name;
    QString value;
    QColor color;
    Marker marker = Marker::Disc;
    double distance = 0;  // from the pointer, in pixels: nearest first
    QColor open = {};     // as in EndLabel
};
struct Tooltip {
    QString head;
    QString side;  // right of the head
    std::vector<TooltipRow> rows;
};
inline constexpr std::size_t kTooltipRows = 8;
void drawTooltip(QPainter& painter, Tooltip tooltip, double atX, const QRectF& area, const ChartColors& colors, const QFont& font);

void drawFocusEdge(QPainter& painter, const QRectF& widget, const ChartColors& colors);
void drawEmptyText(QPainter& painter, const QString& text, const QRectF& area, const ChartColors& colors, const QFont& font);

}  // namespace lockstep::charts
