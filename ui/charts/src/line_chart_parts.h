// Inside of LineChart: what it keeps per curve, and the steps of one redraw.
#pragma once

#include <charts/line_chart.h>
#include <charts/smoother.h>

#include "frame.h"
#include "paint.h"

namespace lockstep::charts {

struct Curve {
    explicit Curve(LineSeries described) : series(std::move(described)), smoother(series.data) {}

    LineSeries series;
    mutable Smoother smoother;  // a cache
    std::uint64_t seen = 0;     // sum of revisions of the last redraw
    Summary summary;            // of the raw values in view
    bool thinned = false;
    Thinned raw;  // empty when a smoothed line stands for it
    Thinned smooth;
    std::vector<PlotPoint> quiet;  // raw line behind a smoothed one, when raw is thinned
    std::vector<ColumnStats> band;
    std::optional<QPointF> end;  // last point in view, in pixels
    double endValue = 0;
    bool noisy = false;

    bool smoothed() const { return series.role == LineRole::Main && smoother.weight() > 0; }
    // The curve that stands for the series.
    const Thinned& shown() const { return smoothed() ? smooth : raw; }
    // One step of a mean of many says little, and no header shows it: its label is the smoothed value and says so.
    bool labelsSmoothed() const { return smoothed() && series.band.size() > 1; }
    bool drawsRaw() const { return !smoothed() || series.pen == LinePen::Series; }
    std::uint64_t revision() const;
};

struct LineChart::Parts {
    explicit Parts(LineChart& owner);

    LineChart& chart;
    Frame frame;
    std::vector<LineSeries> described;
    std::vector<std::unique_ptr<Curve>> curves;
    Scale yScale = Scale::Linear;
    ValueFormat format = ValueFormat::Number;
    Outliers outliers = Outliers::Cut;
    bool endLabels = true;
    std::optional<double> smoothingOverride;
    std::optional<Range> fixedY;
    Range y;
    bool fitted = false;
    ChartCounts counts;
    PixelMap map;
    View view;
    QPointF pointer;
    std::optional<std::size_t> hovered;

    void prepare(bool refitY);
    View viewNow() const;
    void thinCurves();
    void fitY();
    void count();
    void findEnds();
    void reserveMargin();
    std::vector<EndLabel> labels(bool placed) const;
    std::optional<EndLabel> contextLabel(bool placed) const;
    std::optional<SeriesValue> value(const Curve& curve, double x) const;
    SeriesValue valueOf(const Curve& curve, std::size_t index) const;
    QColor color(const Curve& curve) const;
    QColor openFill(const Curve& curve) const;
    Marker marker(const Curve& curve) const;
    const SeriesColors& seriesColors(const Curve& curve) const;
    QString description() const;
    const SeriesData* longest() const;

    void drawCurves(QPainter& painter);
    void drawLines(QPainter& painter, bool crowd);
    void drawMarkers(QPainter& painter, const Curve& curve);
    void drawOverlay(QPainter& painter);
    void drawCursorLayer(QPainter& painter);
    void drawDots(QPainter& painter, double x);
    Tooltip tooltip(double x) const;
};

}  // namespace lockstep::charts
