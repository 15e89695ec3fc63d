// Parts of one whole over the group's x, stacked (the step time: data, compute, communication, optimiser). Each bucket of 3 px is the
// mean of its samples; labels with swatch and last value stand at the right in the order of the stack.
#pragma once

#include <charts/chart_view.h>
#include <charts/series_data.h>

#include <memory>
#include <vector>

namespace lockstep::charts {

struct StackLayer {
    QString name = {};
    std::shared_ptr<const SeriesData> data = nullptr;
    int color = 0;  // token order, series.fill
    bool operator==(const StackLayer&) const = default;
};

class StackChart : public ChartView {
    Q_OBJECT
public:
    explicit StackChart(ChartGroup* group, QWidget* parent = nullptr);
    ~StackChart() override;

    void setLayers(std::vector<StackLayer> layers);  // from the bottom up
    const std::vector<StackLayer>& layers() const;
    // Last value of each layer and, at the end, their sum; NaN where there is none.
    std::vector<double> lastValues() const;
    // Values of the layers at x (youngest piece), NaN where there is none.
    std::vector<double> valuesAt(double x) const;
    Range yRange() const;
    std::size_t outside() const;  // buckets that are higher than the chart shows

    std::optional<Range> extent() const override;
    QRectF plotArea() const override;
    std::optional<double> convert(double x, XAxis from, XAxis to) const override;
    QImage image(double scale) override;
    QByteArray svg() override;
    QString csv() const override;

protected:
    bool hasNewData() const override;
    void redraw(bool refitY) override;
    void redrawCursors() override;
    void colorsChanged() override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace lockstep::charts
