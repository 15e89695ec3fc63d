// Inside of LaneView: rows, their places, the picture without cursors.
#pragma once

#include <charts/lane_view.h>

#include "lane_cells.h"
#include "paint.h"

#include <QPixmap>
#include <QSet>

namespace lockstep::charts {

struct LaneRow {
    std::vector<std::size_t> lanes;  // one, or all of a folded host
    std::size_t shown = 0;           // lane whose values are drawn (the worst)
    QString host;
    bool firstOfHost = false;
    double top = 0;
};

struct LaneView::Parts {
    explicit Parts(LaneView& owner) : view(owner) {}

    LaneView& view;
    std::vector<Lane> lanes;
    std::vector<LaneCells> cells;  // per lane
    std::vector<LaneRow> rows;
    QSet<QString> folded;
    LaneMode mode = LaneMode::Late;
    Range load{0, 1};
    std::uint64_t seen = 0;
    QPixmap picture;
    View columns;
    std::optional<std::size_t> current;  // row
    int hoveredRank = -1;

    std::uint64_t revision() const;
    void arrange();
    void compute();
    void render();
    double rowsBottom() const;
    std::optional<std::size_t> rowAt(double y) const;
    QString hostArrowAt(const QPointF& place) const;
    std::optional<int> eventAt(const QPointF& place) const;
    std::uint64_t stepAt(const Lane& lane, double x) const;
    QString valueText(std::size_t lane) const;
    bool late(const LaneRow& row) const;

    QColor cellColor(double value) const;
    void draw(QPainter& painter) const;
    void drawEvents(QPainter& painter) const;
    void drawGutter(QPainter& painter, const LaneRow& row) const;
    void drawCells(QPainter& painter, const LaneRow& row) const;
    void drawStates(QPainter& painter, const LaneRow& row) const;
    void drawSilence(QPainter& painter, const LaneRow& row) const;
    void drawAxis(QPainter& painter) const;
};

// Sizes of tokens.json, chart.lanes.
inline constexpr double kRowHeight = 17;
inline constexpr double kRowGap = 1;
inline constexpr double kHostGap = 4;
inline constexpr double kGutter = 148;
inline constexpr double kValueColumn = 62;
inline constexpr double kEventLane = 20;
inline constexpr double kAxisHeight = 20;

}  // namespace lockstep::charts
