#include "live_grid.h"

#include "chart_palette.h"
#include "run_words.h"

#include <text/format.h>

#include <QGridLayout>
#include <QResizeEvent>
#include <QScrollBar>

#include <algorithm>

namespace lockstep::pages {
namespace {

constexpr int kTall = 252;
constexpr int kLow = 170;
constexpr int kLeastCardWidth = 270;
constexpr std::size_t kColoredRanks = 8;  // more than that are a crowd in one neutral pen

struct StackRow {
    const char* series;
    const char* name;
    int color;
};
// From the bottom, in the order of a step.
constexpr StackRow kStack[] = {{"input_wait_seconds", QT_TRANSLATE_NOOP("lockstep::pages::LiveGrid", "input"), 7},
                               {"compute_seconds", QT_TRANSLATE_NOOP("lockstep::pages::LiveGrid", "compute"), 0},
                               {"communication_wait_seconds", QT_TRANSLATE_NOOP("lockstep::pages::LiveGrid", "comm wait"), 2},
                               {"optimizer_seconds", QT_TRANSLATE_NOOP("lockstep::pages::LiveGrid", "optimizer"), 3}};

std::vector<std::shared_ptr<charts::SeriesData>> rankData(const LiveSeries& series, const std::string& name) {
    std::vector<std::shared_ptr<charts::SeriesData>> data;
    for (const int rank : series.ranksOf(name)) data.push_back(series.find(name, rank));
    return data;
}

}  // namespace

LiveGrid::LiveGrid(const style::Theme& theme, charts::ChartGroup& group, QWidget* parent)
    : QScrollArea(parent), m_theme(theme), m_group(group), m_inside(new QWidget(this)), m_layout(new QGridLayout(m_inside)) {
    setObjectName("live.grid");
    setAccessibleName(tr("Charts"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWidget(m_inside);
    m_layout->setContentsMargins(style::space::kPagePadding, 0, style::space::kPagePadding, 0);
    m_layout->setSpacing(style::space::kCardGap);
    addLines(tr("Loss"), {}, kTall, {{"loss", tr("train")}, {"val_loss", tr("val")}});
    addRanks(tr("Throughput"), tr("samples/s each"), kTall, "samples_per_second", charts::ValueFormat::Number);
    addStack();
    addLines(tr("Accuracy"), {}, kLow, {{"accuracy", tr("train")}, {"val_accuracy", tr("val")}});
    addLines(tr("Gradient norm"), tr("L2"), kLow, {{"gradient_norm", {}}});
    addLines(tr("Learning rate"), {}, kLow, {{"learning_rate", {}}});
    addRanks(tr("Device busy"), {}, kLow, "device_busy_ratio", charts::ValueFormat::Percent);
    addRanks(tr("Memory"), {}, kLow, "memory_bytes", charts::ValueFormat::Bytes);
    m_metrics.front().chart->setCursorTags(true);
    connect(&theme, &style::Theme::changed, this, [this] {
        dressAll();
        place();
    });
    dressAll();
    place();
}

void LiveGrid::addLines(const QString& title, const QString& unit, int height, std::vector<std::pair<std::string, QString>> lines) {
    Metric metric;
    metric.lines = std::move(lines);
    addMetric(std::move(metric), title, unit, height);
}

void LiveGrid::addRanks(const QString& title, const QString& unit, int height, std::string series, charts::ValueFormat format) {
    Metric metric;
    metric.perRank = std::move(series);
    metric.format = format;
    addMetric(std::move(metric), title, unit, height);
}

void LiveGrid::addMetric(Metric metric, const QString& title, const QString& unit, int height) {
    metric.chart = new charts::LineChart(&m_group, m_inside);
    metric.chart->setValueFormat(metric.format);
    metric.chart->setObjectName("live.chart." + QString::fromStdString(metric.perRank.empty() ? metric.lines[0].first : metric.perRank));
    metric.card = new MetricCard(m_theme, title, unit, metric.chart, height, m_inside);
    // Queued: chips change the layout, which must not happen in the middle of a redraw.
    connect(
        metric.chart, &charts::LineChart::countsChanged, metric.card,
        [card = metric.card, chart = metric.chart] { card->setChips(chart->chips()); }, Qt::QueuedConnection);
    m_metrics.push_back(std::move(metric));
}

void LiveGrid::addStack() {
    m_stack = new charts::StackChart(&m_group, m_inside);
    m_stack->setObjectName("live.chart.step_time");
    m_stackCard = new MetricCard(m_theme, tr("Step time"), tr("ms, mean of workers"), m_stack, kLow, m_inside);
}

void LiveGrid::dressAll() {
    const auto colors = chartColors(m_theme);
    for (auto* card : cards()) card->chart()->setColors(colors);
}

QList<MetricCard*> LiveGrid::cards() const {
    QList<MetricCard*> all;
    for (std::size_t i = 0; i < m_metrics.size(); ++i) {
        if (i == 2) all << m_stackCard;  // third place: after the tall row
        all << m_metrics[i].card;
    }
    return all;
}

int LiveGrid::usableColumns() const {
    return std::clamp(static_cast<int>(viewport()->width() / (kLeastCardWidth * m_theme.textScale())), 1, m_columns);
}

void LiveGrid::place() {
    const int columns = usableColumns();
    if (columns == m_placed) return;
    m_placed = columns;
    int row = 0;
    int column = 0;
    for (auto* card : cards()) {
        const int wanted = card == m_metrics.front().card ? std::min(2, columns) : 1;
        if (column + wanted > columns) {
            ++row;
            column = 0;
        }
        m_layout->addWidget(card, row, column, 1, wanted);
        column += wanted;
    }
    for (int i = 0; i < 4; ++i) m_layout->setColumnStretch(i, i < columns ? 1 : 0);
    m_layout->setRowStretch(m_layout->rowCount(), 0);
}

void LiveGrid::setColumns(int columns) {
    m_columns = std::clamp(columns, 1, 4);
    place();
}

void LiveGrid::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    // The scroll bar stands in the padding of the page, so that cards end where the lanes end.
    const int bar = verticalScrollBar()->isVisible() ? verticalScrollBar()->width() : 0;
    m_layout->setContentsMargins(style::space::kPagePadding, 0, std::max(0, style::space::kPagePadding - bar), 0);
    place();
}

void LiveGrid::setEvents(const std::vector<charts::ChartEvent>& events) {
    for (auto* card : cards()) card->chart()->setEvents(events);
}

void LiveGrid::setEmptyText(const QString& text) {
    for (auto* card : cards()) card->chart()->setEmptyText(text);
}

void LiveGrid::setLogY(bool on) {
    for (auto& metric : m_metrics) metric.chart->setYScale(on ? charts::Scale::Log : charts::Scale::Linear);
    m_metrics.front().card->setUnit(on ? tr("log scale") : QString());
}

void LiveGrid::showWholeRun(Metric& metric, const LiveSeries& series) {
    std::vector<charts::LineSeries> lines;
    int color = 0;
    for (const auto& [name, label] : metric.lines) {
        if (const auto samples = series.find(name)) {
            charts::LineSeries line{label, samples, color};
            line.role = color == 0 ? charts::LineRole::Main : charts::LineRole::Secondary;
            if (color == 0) line.band = {samples};
            line.labelled = !label.isEmpty();
            lines.push_back(std::move(line));
        }
        ++color;
    }
    metric.chart->setSeries(std::move(lines));
    // The figure of the header above: of the validation where there is one, but the loss of training.
    auto last = series.last(metric.lines.front().first);
    if (metric.lines.front().first == "accuracy" && series.last("val_accuracy")) last = series.last("val_accuracy");
    metric.card->setLast(text::formatFigure(last));
}

void LiveGrid::showRanks(Metric& metric, const LiveSeries& series, WorkerView workers) {
    const auto ranks = series.ranksOf(metric.perRank);
    const auto samples = rankData(series, metric.perRank);
    std::vector<charts::LineSeries> lines;
    if (workers == WorkerView::MeanAndBand && ranks.size() > 1) {
        metric.mean.update(samples);
        lines.push_back(
            {tr("mean"), metric.mean.data(), 0, charts::LinePen::Series, charts::LineRole::Main, {samples.begin(), samples.end()}});
    } else {
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            charts::LineSeries line{rankName(ranks[i]), samples[i], static_cast<int>(i)};
            line.pen = ranks.size() > kColoredRanks ? charts::LinePen::Context : charts::LinePen::Series;
            line.labelled = ranks.size() <= kColoredRanks;
            lines.push_back(std::move(line));
        }
    }
    for (const auto& late : series.lateRanks()) {
        const auto found = std::ranges::find(ranks, late.rank);
        if (found == ranks.end()) continue;
        const auto at = static_cast<std::size_t>(found - ranks.begin());
        charts::LineSeries line{rankName(late.rank), samples[at], 1, charts::LinePen::Warning};
        if (workers == WorkerView::Each && at < lines.size())
            lines[at] = line;
        else
            lines.push_back(line);
    }
    // No figure of its own: the ends of the lines have theirs.
    metric.chart->setSeries(std::move(lines));
}

void LiveGrid::showStack(const LiveSeries& series) {
    std::vector<charts::StackLayer> layers;
    for (const auto& row : kStack) {
        const auto samples = rankData(series, row.series);
        if (samples.empty()) continue;
        auto& mean = m_stackParts.try_emplace(row.series, 1e3).first->second;
        mean.update(samples);
        layers.push_back({tr(row.name), mean.data(), row.color});
    }
    m_stack->setLayers(std::move(layers));
    const auto times = series.recentPercentiles("step_seconds");
    m_stackCard->setLast(text::formatFigure(times ? std::optional(times->p50 * 1e3) : std::nullopt));
}

void LiveGrid::update(const LiveSeries& series, WorkerView workers) {
    for (auto& metric : m_metrics) {
        if (metric.perRank.empty())
            showWholeRun(metric, series);
        else
            showRanks(metric, series, workers);
    }
    showStack(series);
}

}  // namespace lockstep::pages
