// Inside of LaneView: rows, their places, the picture without cursors.
#pragma once

#include <charts/lane_view.h>

#include "lane_cells.h"
#include "paint.h"

#include <QPixmap>
#include <QScrollBar>
#include <QSet>

#include <algorithm>
#include <cmath>

namespace lockstep::charts {

// Sizes of tokens.json, chart.lanes; those of rows and columns of text grow with the text.
inline constexpr double kRowGap = 1;
inline constexpr double kHostGap = 4;

struct LaneRow {
    std::vector<std::size_t> lanes;  // one, or all of a folded host
    std::size_t shown = 0;           // lane whose values are drawn (the worst)
    QString host;
    bool firstOfHost = false;
    double top = 0;
};

struct LaneView::Parts {
    explicit Parts(LaneView& owner) : view(owner), bar(new QScrollBar(Qt::Vertical, &owner)) {}

    LaneView& view;
    QScrollBar* bar;     // of the rows: events stay above them, the axis below
    bool whole = false;  // while a picture with every row is made
    std::vector<Lane> lanes;
    std::vector<LaneCells> cells;  // per lane
    std::vector<LaneRow> rows;
    QSet<QString> folded;
    LaneMode mode = LaneMode::Late;
    Range load{0, 1};
    ValueFormat format = ValueFormat::Percent;
    std::uint64_t seen = 0;
    QPixmap picture;
    View columns;
    std::optional<std::size_t> current;  // row
    int hoveredRank = -1;
    QPointF pointer;
    double namesWidth = 0;   // worker and device with a gap between them
    double deviceWidth = 0;  // of that

    double grown(double size) const { return std::round(size * std::max(1.0, view.captionFont().pixelSize() / 11.0)); }
    double rowHeight() const { return grown(17); }
    double gutter() const { return std::max(grown(148), workerLeft() + namesWidth + 8); }
    double bracketLeft() const { return grown(92); }
    double workerLeft() const { return grown(104); }
    double valueColumn() const { return grown(62); }
    double eventLane() const { return grown(20); }
    double axisHeight() const { return grown(20); }

    std::uint64_t revision() const;
    void arrange();
    void compute();
    void render();
    double rowsBottom() const;  // of all rows, as if nothing were scrolled
    double shownBottom() const;
    double scrolled() const { return whole ? 0 : bar->value(); }
    double right() const { return view.width() - (whole || bar->isHidden() ? 0 : bar->width()); }
    void measureNames();
    void fitBar();
    void ensureVisible(const LaneRow& row);
    std::optional<std::size_t> rowAt(double y) const;
    QString hostArrowAt(const QPointF& place) const;
    std::optional<int> eventAt(const QPointF& place) const;
    std::uint64_t stepAt(const Lane& lane, double x) const;
    QString valueText(std::size_t lane) const;
    bool late(const LaneRow& row) const;
    // What stands under the pointer: a cell with its worker, or an event; nothing there: no rows.
    Tooltip tooltip() const;
    Tooltip tooltipOfCell(const LaneRow& row) const;
    QString momentText(double unixSeconds) const;

    QColor cellColor(double value) const;
    void draw(QPainter& painter) const;
    void drawEvents(QPainter& painter) const;
    void drawGutter(QPainter& painter, const LaneRow& row) const;
    void drawCells(QPainter& painter, const LaneRow& row) const;
    void drawStates(QPainter& painter, const LaneRow& row) const;
    void drawSilence(QPainter& painter, const LaneRow& row) const;
    void drawAxis(QPainter& painter) const;
    static QString foldedText(std::size_t count);
};

// While it lives nothing is scrolled and no row is hidden.
struct WholePicture {
    explicit WholePicture(LaneView::Parts& shown) : parts(shown) { parts.whole = true; }
    ~WholePicture() { parts.whole = false; }
    WholePicture(const WholePicture&) = delete;
    WholePicture& operator=(const WholePicture&) = delete;
    LaneView::Parts& parts;
};

}  // namespace lockstep::charts
