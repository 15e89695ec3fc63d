#include "live_lanes.h"

#include "chart_palette.h"
#include "run_words.h"

#include <charts/ticks.h>
#include <text/format.h>

#include <QFontMetrics>
#include <QVBoxLayout>

#include <algorithm>

namespace lockstep::pages {
namespace {

constexpr int kMostHeight = 232;
constexpr int kLeastHeight = 76;        // events, two workers and the axis
constexpr std::size_t kLeastRanks = 3;  // of two nobody is the odd one out
constexpr int kLeastSentence = 120;

struct Mode {
    const char* id;
    const char* name;
    const char* series;
    charts::LaneMode mode;
    charts::ValueFormat format;
};
constexpr Mode kModes[] = {{"late", QT_TRANSLATE_NOOP("lockstep::pages::LiveLanes", "Compute ÷ median"), "compute_seconds",
                            charts::LaneMode::Late, charts::ValueFormat::Number},
                           {"busy", QT_TRANSLATE_NOOP("lockstep::pages::LiveLanes", "Busy"), "device_busy_ratio", charts::LaneMode::Load,
                            charts::ValueFormat::Percent},
                           {"memory", QT_TRANSLATE_NOOP("lockstep::pages::LiveLanes", "Memory"), "memory_bytes", charts::LaneMode::Load,
                            charts::ValueFormat::Bytes},
                           {"wait", QT_TRANSLATE_NOOP("lockstep::pages::LiveLanes", "Comm wait"), "communication_wait_seconds",
                            charts::LaneMode::Load, charts::ValueFormat::Seconds}};

const Mode& modeOf(const QString& id) {
    for (const auto& mode : kModes)
        if (id == QLatin1String(mode.id)) return mode;
    return kModes[0];
}

}  // namespace

LiveLanes::LiveLanes(const style::Theme& theme, charts::ChartGroup& group, QWidget* parent)
    : Card(theme, tr("Workers"), style::CardHeader::Small, parent), m_theme(theme), m_view(new charts::LaneView(&group)) {
    setObjectName("live.lanes");
    m_view->setObjectName("live.lanes.view");
    m_view->setTitle(tr("Workers"));
    addModes();
    body()->addWidget(m_view);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(m_view, &charts::LaneView::cellClicked, this, &LiveLanes::cellClicked);
    connect(m_view, &charts::ChartView::redrawn, this, &LiveLanes::showLateSentence, Qt::QueuedConnection);
    connect(m_view, &charts::LaneView::foldingChanged, this, &LiveLanes::showLanes);
    const auto dress = [this] {
        m_view->setColors(chartColors(m_theme));
        fitHeader();
        fitHeight();
    };
    connect(&theme, &style::Theme::changed, this, dress);
    dress();
}

void LiveLanes::addModes() {
    m_modes = new style::SegmentedControl(m_theme, tr("What the lanes show"), style::ControlSize::Small, this);
    m_modes->setObjectName("live.lanes.mode");
    for (const auto& mode : kModes) m_modes->addSegment(mode.id, tr(mode.name));
    addToHeader(m_modes);
    m_lateIcon = new style::IconLabel(m_theme, "warning", style::Role::Warning, style::icon_size::kInline, this);
    m_late = new style::ElidedLabel(m_theme, {}, style::TextStyle::Body, style::Role::Warning, this);
    addToHeader(m_lateIcon);
    m_late->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    addToHeader(m_late);
    m_lateIcon->hide();
    m_legend = new HeatLegend(m_theme, this);
    addToHeaderEnd(m_legend);
    connect(m_modes, &style::SegmentedControl::chosenByPerson, this, &LiveLanes::choose);
}

void LiveLanes::choose(const QString& id) {
    m_view->setMode(modeOf(id).mode);
    showLanes();
}

void LiveLanes::setRanks(const std::vector<api::RankStatus>& ranks) {
    m_ranks = ranks;
    std::ranges::sort(m_ranks, {}, &api::RankStatus::rank);
    showLanes();
}

void LiveLanes::setEnded(bool ended) {
    if (ended == m_ended) return;
    m_ended = ended;
    showLateSentence();
}

void LiveLanes::showLanes() {
    const auto& mode = modeOf(m_modes->chosen());
    std::vector<charts::Lane> lanes;
    double most = 0;
    for (const auto& rank : m_ranks) {
        charts::Lane lane{rank.rank, QString::fromStdString(rank.host), rankName(rank.rank),
                          QString::fromStdString(rank.device.substr(std::min(rank.device.find(':'), rank.device.size())))};
        if (m_series != nullptr) lane.data = m_series->find(mode.series, rank.rank);
        if (lane.data && !lane.data->empty()) most = std::max(most, lane.data->last().value);
        lanes.push_back(std::move(lane));
    }
    const bool ratio = mode.format == charts::ValueFormat::Percent;
    const double top = ratio || !(most > 0) ? 1 : most * 1.25;
    m_view->setLoadRange({0, top}, mode.format);
    m_view->setLanes(std::move(lanes));
    showLegend(top);
    fitHeight();
}

void LiveLanes::showLegend(double most) {
    const auto& mode = modeOf(m_modes->chosen());
    if (mode.mode != charts::LaneMode::Late)
        return m_legend->setRamp(HeatLegend::Ramp::Load, QStringLiteral("0"), charts::valueText(most, mode.format),
                                 tr("Darker is more; click a cell to see the log at that moment."));
    QStringList cuts;
    for (const double cut : m_theme.scheme().late.cuts) cuts << text::formatMultiple(cut);
    m_legend->setRamp(
        HeatLegend::Ramp::Late, text::formatFixed(0.9, 1) + QStringLiteral("×"), text::formatFixed(2, 1) + QStringLiteral("×"),
        tr("Compute time over the median of all workers; the colour changes at %1. Click a cell to see the log at that moment.")
            .arg(cuts.join(QStringLiteral(", "))));
}

void LiveLanes::setMostHeight(int pixels) {
    m_mostHeight = std::max(pixels, kLeastHeight);
    fitHeight();
}

void LiveLanes::fitHeight() {
    const int wanted = m_view->sizeHint().height();
    const int most = std::min(m_mostHeight > 0 ? m_mostHeight : kMostHeight, static_cast<int>(kMostHeight * m_theme.textScale()));
    m_view->setFixedHeight(std::min(wanted, std::max(most, m_view->minimumSizeHint().height())));
}

void LiveLanes::resizeEvent(QResizeEvent* event) {
    Card::resizeEvent(event);
    fitHeader();
}

// The legend gives way before the choice does, and before the sentence about who is late.
void LiveLanes::fitHeader() {
    // Without room for its beginning the sentence goes too: who is late stands strong in its row.
    const int mark = m_lateIcon->sizeHint().width() + kLeastSentence / 2;
    const bool late = !m_late->text().isEmpty() && width() - headerWidth() >= mark;
    m_lateIcon->setVisible(late);
    m_late->setVisible(late);
    const int taken = headerWidth() + (late ? kLeastSentence : 0);
    m_legend->setVisible(width() - taken >= m_legend->sizeHint().width());
}

int LiveLanes::headerWidth() const {
    const QFontMetrics title(m_theme.font(style::TextStyle::Strong));
    return title.horizontalAdvance(accessibleName()) + m_modes->sizeHint().width() + 2 * style::space::kCardPaddingX + 5 * style::space::kS;
}

QSize LiveLanes::minimumSizeHint() const {
    return {std::max(headerWidth(), m_view->minimumSizeHint().width()), Card::minimumSizeHint().height()};
}

void LiveLanes::update(const LiveSeries& series) {
    m_series = &series;
    const auto& shown = m_view->lanes();
    const auto& mode = modeOf(m_modes->chosen());
    const bool stale =
        std::ranges::any_of(shown, [&](const charts::Lane& lane) { return lane.data != series.find(mode.series, lane.rank); });
    if (stale) showLanes();
}

void LiveLanes::showLateSentence() {
    const auto late = m_ranks.size() < kLeastRanks ? std::nullopt : m_view->latest();
    m_lateIcon->setVisible(late.has_value());
    if (!late) {
        m_late->setText({});
        return fitHeader();
    }
    m_late->setText(
        (m_ended ? tr("%1 took %2× the median from step %3 on") : tr("%1 takes %2× the median since step %3"))
            .arg(rankName(late->rank), text::formatFixed(late->ratio, 2), text::formatInteger(static_cast<std::int64_t>(late->sinceStep))));
    fitHeader();
}

void LiveLanes::cellClicked(int rank, std::uint64_t step) {
    const auto samples = m_series != nullptr ? m_series->find("step_seconds", rank) : nullptr;
    if (!samples) return;
    if (const auto index = samples->nearest(static_cast<double>(step), charts::XAxis::Step, 0))
        emit cellChosen(rank, samples->at(*index).time);
}

}  // namespace lockstep::pages
