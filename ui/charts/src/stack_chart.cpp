#include <charts/stack_chart.h>
#include <charts/ticks.h>

#include "frame.h"
#include "paint.h"
#include "y_range.h"

#include <QResizeEvent>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::charts {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kLabelMargin = 66;

}  // namespace

struct StackChart::Parts {
    explicit Parts(StackChart& owner)
        : chart(owner),
          frame(&owner, {[this](QPainter& painter) { drawStack(painter); }, [this](QPainter& painter) { drawOverlay(painter); },
                         [this](QPainter& painter) { drawCursorLayer(painter); }}) {}

    StackChart& chart;
    Frame frame;
    std::vector<StackLayer> layers;
    std::uint64_t seen = 0;
    std::vector<std::vector<double>> tops;  // [bucket][layer], NaN: nothing there
    std::vector<double> edges;              // x of the buckets' edges
    PixelMap map;
    Range y;
    bool fitted = false;
    std::size_t higher = 0;

    std::uint64_t revision() const;
    void prepare(bool refitY);
    void stack(const View& view);
    void fitY();
    std::vector<EndLabel> labels() const;
    void drawStack(QPainter& painter);
    void drawOverlay(QPainter& painter);
    void drawCursorLayer(QPainter& painter);
};

std::uint64_t StackChart::Parts::revision() const {
    std::uint64_t sum = 0;
    for (const StackLayer& layer : layers) sum += layer.data->revision();
    return sum;
}

// A bucket without a sample (few samples, zoomed in) shows the one before it, as long as samples are expected to be this far apart.
void StackChart::Parts::stack(const View& view) {
    const auto count = static_cast<std::size_t>(view.columns);
    tops.assign(count, std::vector<double>(layers.size(), kNone));
    edges.assign(count + 1, view.x.from);
    std::vector<double> sum(count, 0);
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        const auto columns = layers[layer].data->columns(view);
        const std::size_t filled =
            static_cast<std::size_t>(std::count_if(columns.begin(), columns.end(), [](const auto& each) { return each.samples > 0; }));
        const std::size_t reach = filled == 0 ? 0 : 2 * count / filled;
        std::size_t last = count;
        for (std::size_t i = 0; i < count; ++i) {
            edges[i + 1] = columns[i].x.to;
            if (columns[i].samples > 0) last = i;
            if (last == count || i - last > reach) continue;
            sum[i] += std::max(0.0, columns[last].mean);
            tops[i][layer] = sum[i];
        }
        // Past the newest sample nothing is known.
        for (std::size_t i = count; i-- > 0 && columns[i].samples == 0;) tops[i][layer] = kNone;
    }
}

void StackChart::Parts::fitY() {
    YInput input;
    for (const auto& bucket : tops) {
        double top = kNone;
        for (const double each : bucket) top = std::isnan(each) ? top : each;
        if (std::isnan(top)) continue;
        input.raw.push_back(top);
        input.all = input.all ? input.all->united({top, top}) : Range{top, top};
    }
    const auto values = valuesToShow(input);
    fitted = values.has_value();
    if (values) y = padded({0, values->to}, Scale::Linear);
}

void StackChart::Parts::prepare(bool refitY) {
    seen = revision();
    frame.setRightMargin(std::max(kLabelMargin, (endLabelWidth(labels(), chart.captionFont()) + 7) / 8 * 8));
    const ChartGroup& group = *chart.group();
    View view{group.xAxis(), group.startTime(), group.range(), std::max(1, static_cast<int>(frame.area().width()) / kBucketWidth),
              group.xScale()};
    stack(view);
    if (refitY || !fitted) fitY();
    higher = static_cast<std::size_t>(
        std::count_if(tops.begin(), tops.end(), [&](const auto& bucket) { return !bucket.empty() && bucket.back() > y.to; }));
    frame.setAxes({view.x, view.axis, view.xScale, y, Scale::Linear, ValueFormat::Number, !fitted});
    map = {frame.area(), view.x, y, view.xScale, Scale::Linear};
}

std::vector<EndLabel> StackChart::Parts::labels() const {
    std::vector<EndLabel> result;
    const std::vector<double> values = chart.lastValues();
    double below = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (std::isnan(values[i])) continue;
        const double middle = below + values[i] / 2;
        below += values[i];
        result.push_back({QPointF(map.area.right(), map.py(middle)),
                          layers[i].name + ' ' + valueText(values[i], ValueFormat::Number),
                          chart.colors().series[layers[i].color % kSeriesColors].fill,
                          Marker::Square,
                          {},
                          true});
    }
    return result;
}

void StackChart::Parts::drawStack(QPainter& painter) {
    painter.save();
    painter.setClipRect(map.area.adjusted(0, 0, 1, 1));
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t bucket = 0; bucket < tops.size(); ++bucket) {
        const double left = std::round(map.px(edges[bucket]));
        const double right = std::round(map.px(edges[bucket + 1]));
        double bottom = std::round(map.py(0));
        // Painted between setLayers() and the next refresh: what was prepared may have fewer layers.
        for (std::size_t layer = 0; layer < std::min(layers.size(), tops[bucket].size()); ++layer) {
            if (std::isnan(tops[bucket][layer])) continue;
            const double top = std::round(map.py(tops[bucket][layer]));
            painter.fillRect(QRectF(left, top, right - left, bottom - top),
                             chart.colors().series[layers[layer].color % kSeriesColors].fill);
            bottom = top;
        }
    }
    painter.restore();
}

void StackChart::Parts::drawOverlay(QPainter& painter) {
    if (!fitted && !chart.emptyText().isEmpty()) return drawEmptyText(painter, chart.emptyText(), map.area, chart.colors(), chart.font());
    drawEndLabels(painter, labels(), map.area, chart.captionFont(), chart.colors().text);
}

void StackChart::Parts::drawCursorLayer(QPainter& painter) {
    if (!chart.group()) return;
    const CursorLook look = cursorLook(chart);
    drawEventLines(painter, chart, look, map.area, chart.captionFont());
    drawCursors(painter, look, map.area, chart.colors(), chart.captionFont());
    if (chart.hovered() && look.b) {
        Tooltip box;
        const double x = *chart.group()->cursorB();
        const XAxis axis = chart.group()->xAxis();
        box.head = axis == XAxis::Step ? StackChart::tr("Step %1").arg(axisText(x, axis)) : axisText(x, axis);
        const std::vector<double> values = chart.valuesAt(x);
        for (std::size_t i = layers.size(); i-- > 0;)
            if (!std::isnan(values[i]))
                box.rows.push_back({layers[i].name, valueText(values[i], ValueFormat::Number),
                                    chart.colors().series[layers[i].color % kSeriesColors].fill, Marker::Square,
                                    double(layers.size() - i)});
        if (!box.rows.empty()) drawTooltip(painter, std::move(box), *look.b, map.area, chart.colors(), chart.captionFont());
    }
    if (chart.hasFocus()) drawFocusEdge(painter, chart.rect(), chart.colors());
}

StackChart::StackChart(ChartGroup* group, QWidget* parent) : ChartView(group, parent), m_parts(std::make_unique<Parts>(*this)) {
    colorsChanged();
}

StackChart::~StackChart() = default;

void StackChart::setLayers(std::vector<StackLayer> layers) {
    if (layers == m_parts->layers) return;
    m_parts->layers = std::move(layers);
    markDirty();
}

const std::vector<StackLayer>& StackChart::layers() const { return m_parts->layers; }

std::vector<double> StackChart::lastValues() const {
    std::vector<double> values;
    double sum = 0;
    for (const StackLayer& layer : m_parts->layers) {
        values.push_back(layer.data->empty() ? kNone : layer.data->last().value);
        if (std::isfinite(values.back())) sum += values.back();
    }
    values.push_back(sum);
    return values;
}

std::vector<double> StackChart::valuesAt(double x) const {
    std::vector<double> values;
    for (const StackLayer& layer : m_parts->layers) {
        const auto index = group() ? layer.data->nearest(x, group()->xAxis(), group()->startTime()) : std::nullopt;
        values.push_back(index ? layer.data->at(*index).value : kNone);
    }
    return values;
}

Range StackChart::yRange() const { return m_parts->y; }

std::size_t StackChart::outside() const { return m_parts->higher; }

std::optional<Range> StackChart::extent() const {
    std::optional<Range> all;
    for (const StackLayer& layer : m_parts->layers)
        if (const auto range = layer.data->extent(group()->xAxis(), group()->startTime())) all = all ? all->united(*range) : range;
    return all;
}

QRectF StackChart::plotArea() const { return m_parts->frame.area(); }

std::optional<double> StackChart::convert(double x, XAxis from, XAxis to) const {
    for (const StackLayer& layer : m_parts->layers)
        if (const auto index = layer.data->nearest(x, from, group()->startTime())) return layer.data->xOf(*index, to, group()->startTime());
    return std::nullopt;
}

QImage StackChart::image(double scale) {
    m_parts->frame.resize(size());
    redraw(true);
    return m_parts->frame.image(scale);
}

QByteArray StackChart::svg() {
    m_parts->frame.resize(size());
    redraw(true);
    return m_parts->frame.svg();
}

QString StackChart::csv() const {
    QString text = QStringLiteral("series,step,unix_time,value\n");
    for (const StackLayer& layer : m_parts->layers) text += csvLines(layer.name, *layer.data, nullptr);
    return text;
}

bool StackChart::hasNewData() const { return m_parts->seen != m_parts->revision(); }

void StackChart::redraw(bool refitY) {
    if (!group()) return;
    m_parts->prepare(refitY);
    m_parts->frame.replot();
    QStringList parts;
    for (const EndLabel& label : m_parts->labels()) parts << label.text;
    if (hasFocus() || accessibleDescription().isEmpty())
        setAccessibleDescription(parts.isEmpty() ? emptyText() : parts.join(QStringLiteral("; ")));
}

void StackChart::redrawCursors() { m_parts->frame.replotCursors(); }

void StackChart::colorsChanged() { m_parts->frame.setLook(colors(), captionFont()); }

void StackChart::resizeEvent(QResizeEvent* event) {
    m_parts->frame.resize(event->size());
    ChartView::resizeEvent(event);
}

}  // namespace lockstep::charts
