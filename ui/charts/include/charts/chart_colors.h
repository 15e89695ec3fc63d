// The colours a chart draws with, filled from the theme by the page: charts know no theme. All opaque (see the cost rule of the
// specification: translucent pens show a bead at every joint).
#pragma once

#include <QColor>

#include <array>

namespace lockstep::charts {

enum class Marker { Disc, Square, Triangle, Diamond, Cross, Plus, TriangleInverted, Star };

inline constexpr int kSeriesColors = 8;
inline constexpr int kHeatStops = 6;

struct SeriesColors {
    QColor line;  // smoothed line, markers
    QColor raw;   // raw line behind a smoothed one
    QColor band;  // minimum to maximum
    QColor fill;  // stacks
    Marker marker = Marker::Disc;
};

struct ChartColors {
    QColor background = Qt::white;  // chartBackground
    QColor grid = Qt::lightGray;    // chartGrid
    QColor axis = Qt::gray;         // chartAxis
    QColor context = Qt::gray;      // chartContext
    QColor crosshair = Qt::darkGray;
    QColor text = Qt::black;
    QColor mutedText = Qt::darkGray;
    QColor disabledText = Qt::lightGray;
    QColor raised = Qt::white;
    QColor border = Qt::lightGray;
    QColor hover = Qt::lightGray;
    QColor focus = Qt::blue;
    QColor success = Qt::darkGreen;
    QColor warning = Qt::darkYellow;
    QColor error = Qt::red;
    std::array<SeriesColors, kSeriesColors> series;
    std::array<QColor, kHeatStops> load;                                      // heat.load: equal steps of 0…1
    std::array<QColor, kHeatStops> late;                                      // heat.late: switches at lateCuts, no interpolation
    std::array<double, kHeatStops - 1> lateCuts{1.07, 1.14, 1.28, 1.5, 1.8};  // times the median
};

}  // namespace lockstep::charts
