// Curves over the group's x: raw and smoothed, bands, end labels, event lines, cursors, tooltip.
//
// A series drawn with LinePen::Series and LineRole::Main shows its raw values in the pale colour and over all of those the smoothed
// lines (smoothing at full resolution, then thinning). Where that leaves many raw values per pixel the pale line goes through the last
// value of each bucket and through every extreme that stands out, over the band of all of them. With a weight of 0 the raw line has
// the full colour. Context and Warning show the smoothed line only. Secondary (validation) is never smoothed and has a
// marker at every point; where those stand closer than markers are wide, at every third as far as there is room.
// Labels and the tooltip give measured values; a smoothed one stands beside them and says so.
#pragma once

#include <charts/chart_view.h>
#include <charts/series_data.h>

#include <memory>
#include <optional>
#include <vector>

namespace lockstep::charts {

enum class LinePen {
    Series,
    Context,  // one of a crowd: the neutral pen; its series colour while it is hovered
    Warning,  // the odd one out
};
enum class LineRole { Main, Secondary };
enum class Outliers {
    // y spans the 5th to 95th percentile of the raw values in view plus 10 %, and the smoothed lines. Where all values fit into three
    // times that span none is an outlier and y shows them all.
    Cut,
    Show,
};

struct LineSeries {
    QString name = {};  // in labels and tooltip: "train", "w6"
    std::shared_ptr<const SeriesData> data = nullptr;
    int color = 0;  // token order; from 8 on the same colours with open markers
    LinePen pen = LinePen::Series;
    LineRole role = LineRole::Main;
    // Drawn as minimum to maximum per bucket, under everything, over all of these: itself, or the ranks behind a mean.
    std::vector<std::shared_ptr<const SeriesData>> band = {};
    bool labelled = true;  // false: no end label
    bool operator==(const LineSeries&) const = default;
};

struct ChartCounts {
    std::size_t visible = 0;      // raw points in view
    std::size_t buckets = 0;      // > 0: thinned into that many
    std::size_t outside = 0;      // above or below the y range
    std::size_t notPositive = 0;  // hidden by log y
    std::size_t notFinite = 0;    // NaN or infinite
    bool operator==(const ChartCounts&) const = default;
};

struct SeriesValue {
    std::uint64_t step = 0;
    double time = 0;
    double raw = 0;
    double shown = 0;  // smoothed where the line is
};

class LineChart : public ChartView {
    Q_OBJECT
public:
    explicit LineChart(ChartGroup* group, QWidget* parent = nullptr);
    ~LineChart() override;

    void setSeries(std::vector<LineSeries> series);  // curves that stay keep what was computed for them
    const std::vector<LineSeries>& series() const;
    void setYScale(Scale scale);
    Scale yScale() const;
    void setValueFormat(ValueFormat format);  // of ticks, labels and the tooltip
    void setOutliers(Outliers outliers);
    Outliers outliers() const;
    void setEndLabels(bool on);  // default on
    // This chart's own smoothing; nullopt: the group's.
    void setSmoothingOverride(std::optional<double> weight);
    std::optional<double> smoothingOverride() const;
    void setYRange(std::optional<Range> fixed);  // nullopt: fitted
    Range yRange() const;

    ChartCounts counts() const;  // of the last redraw
    // What the chips in the card's header say: "17 points outside", "12 000 points in 512 buckets", "3 values ≤ 0 hidden", "override".
    std::vector<QString> chips() const;
    // Nearest sample to x (group's axis) of series `index`; nullopt: no sample, or x lies beyond its ends.
    std::optional<SeriesValue> valueAt(std::size_t index, double x) const;
    std::optional<SeriesValue> lastValue(std::size_t index) const;
    std::optional<std::size_t> hoveredSeries() const;

    std::optional<Range> extent() const override;
    QRectF plotArea() const override;
    std::optional<double> convert(double x, XAxis from, XAxis to) const override;
    QImage image(double scale) override;
    QByteArray svg() override;
    QString csv() const override;

signals:
    void countsChanged();

protected:
    bool hasNewData() const override;
    void redraw(bool refitY) override;
    void redrawCursors() override;
    void colorsChanged() override;
    void hoverMoved(const QPointF& place) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace lockstep::charts
