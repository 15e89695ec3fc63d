#include <charts/lane_view.h>
#include <charts/ticks.h>
#include <text/format.h>

#include "lane_view_parts.h"

#include <QBuffer>
#include <QKeyEvent>
#include <QSvgGenerator>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace lockstep::charts {
namespace {

constexpr double kMostDevice = 60;  // at 100 %; longer names of devices elide
constexpr double kBelowAxis = 2;
constexpr int kLeastRows = 2;
constexpr int kRowsPerNotch = 3;  // of the wheel

}  // namespace

std::uint64_t LaneView::Parts::revision() const {
    std::uint64_t sum = 0;
    for (const Lane& lane : lanes)
        if (lane.data) sum += lane.data->revision();
    return sum;
}

void LaneView::Parts::arrange() {
    rows.clear();
    double top = eventLane();
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const bool first = i == 0 || lanes[i].host != lanes[i - 1].host;
        if (first && i > 0) top += kHostGap;
        if (!first && folded.contains(lanes[i].host)) {
            rows.back().lanes.push_back(i);
            continue;
        }
        rows.push_back({{i}, i, lanes[i].host, first, top});
        top += rowHeight() + kRowGap;
    }
    if (current && *current >= rows.size()) current.reset();
    measureNames();
    fitBar();
    view.updateGeometry();
}

void LaneView::Parts::measureNames() {
    QFont strong = view.captionFont();
    strong.setBold(true);
    const QFontMetricsF metrics(strong);
    double worker = 0;
    deviceWidth = 0;
    for (const Lane& lane : lanes) {
        worker = std::max(worker, metrics.horizontalAdvance(lane.worker));
        deviceWidth = std::max(deviceWidth, metrics.horizontalAdvance(lane.device));
    }
    deviceWidth = std::ceil(std::min(deviceWidth, grown(kMostDevice)));
    namesWidth = std::ceil(worker) + (deviceWidth > 0 ? grown(8) + deviceWidth : 0);
    for (const LaneRow& row : rows)
        if (row.lanes.size() > 1) namesWidth = std::max(namesWidth, std::ceil(metrics.horizontalAdvance(foldedText(row.lanes.size()))));
}

void LaneView::Parts::fitBar() {
    const int hidden = std::max(0, view.sizeHint().height() - view.height());
    const bool shown = hidden > 0 && !rows.empty();
    bar->setRange(0, shown ? hidden : 0);
    bar->setSingleStep(static_cast<int>(rowHeight() + kRowGap));
    bar->setPageStep(std::max(1, static_cast<int>(shownBottom() - eventLane())));
    bar->setGeometry(view.width() - bar->sizeHint().width(), static_cast<int>(eventLane()), bar->sizeHint().width(),
                     std::max(1, static_cast<int>(shownBottom() - eventLane())));
    bar->setVisible(shown);
}

void LaneView::Parts::ensureVisible(const LaneRow& row) {
    const double above = row.top - eventLane(), below = row.top + rowHeight() - shownBottom();
    if (above < bar->value()) bar->setValue(static_cast<int>(above));
    if (below > bar->value()) bar->setValue(static_cast<int>(std::ceil(below)));
}

double LaneView::Parts::shownBottom() const {
    return whole ? rowsBottom() : std::min(rowsBottom(), view.height() - axisHeight() - kBelowAxis);
}

QString LaneView::Parts::foldedText(std::size_t count) { return LaneView::tr("%1 folded").arg(count); }

double LaneView::Parts::rowsBottom() const { return rows.empty() ? eventLane() : rows.back().top + rowHeight(); }

void LaneView::Parts::compute() {
    seen = revision();
    const ChartGroup& group = *view.group();
    const int count = std::max(1, static_cast<int>(view.plotArea().width()) / kBucketWidth);
    columns = {group.xAxis(), group.startTime(), group.range(), count, group.xScale()};
    cells = laneCells(lanes, mode, columns);
    for (LaneRow& row : rows)
        row.shown = *std::max_element(row.lanes.begin(), row.lanes.end(), [&](std::size_t a, std::size_t b) {
            return std::fmax(cells[a].newest, -1) < std::fmax(cells[b].newest, -1);
        });
}

std::optional<std::size_t> LaneView::Parts::rowAt(double y) const {
    if (y < eventLane() || y >= shownBottom() + kRowGap) return std::nullopt;
    y += scrolled();
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (y >= rows[i].top && y < rows[i].top + rowHeight() + kRowGap) return i;
    return std::nullopt;
}

QString LaneView::Parts::hostArrowAt(const QPointF& place) const {
    const auto row = rowAt(place.y());
    return row && rows[*row].firstOfHost && place.x() < gutter() - 56 ? rows[*row].host : QString();
}

std::optional<int> LaneView::Parts::eventAt(const QPointF& place) const {
    if (place.y() > eventLane()) return std::nullopt;
    const auto& events = view.events();
    for (std::size_t i = events.size(); i-- > 0;)
        if (std::abs(view.pixelAt(view.eventX(events[i])) - place.x()) <= 7) return static_cast<int>(i);
    return std::nullopt;
}

std::uint64_t LaneView::Parts::stepAt(const Lane& lane, double x) const {
    const auto index = lane.data ? lane.data->nearest(x, columns.axis, columns.origin) : std::nullopt;
    if (index) return lane.data->at(*index).step;
    return columns.axis == XAxis::Step && x > 0 ? static_cast<std::uint64_t>(x) : 0;
}

QString LaneView::Parts::valueText(std::size_t lane) const {
    const double value = lane < cells.size() ? cells[lane].newest : NAN;
    if (mode == LaneMode::States) return lanes[lane].states.empty() ? QString() : lanes[lane].states.back().name;
    if (std::isnan(value)) return QStringLiteral("–");
    if (mode == LaneMode::Late) return text::formatMultiple(value);
    return charts::valueText(value, format);
}

bool LaneView::Parts::late(const LaneRow& row) const {
    return mode == LaneMode::Late && cells[row.shown].newest > view.colors().lateCuts[2];
}

LaneView::LaneView(ChartGroup* group, QWidget* parent) : ChartView(group, parent), m_parts(std::make_unique<Parts>(*this)) {
    m_parts->bar->hide();
    m_parts->bar->setObjectName(QStringLiteral("lanes.scroll"));
    m_parts->bar->setAccessibleName(tr("Workers"));
    m_parts->bar->setFocusPolicy(Qt::NoFocus);
    connect(m_parts->bar, &QScrollBar::valueChanged, this, &LaneView::markDirty);
}

LaneView::~LaneView() = default;

void LaneView::setLanes(std::vector<Lane> lanes) {
    m_parts->lanes = std::move(lanes);
    m_parts->cells.clear();
    m_parts->arrange();
    markDirty();
}

const std::vector<Lane>& LaneView::lanes() const { return m_parts->lanes; }

void LaneView::setMode(LaneMode mode) {
    m_parts->mode = mode;
    markDirty();
}

LaneMode LaneView::mode() const { return m_parts->mode; }

void LaneView::setLoadRange(const Range& range, ValueFormat format) {
    m_parts->load = range;
    m_parts->format = format;
    markDirty();
}

void LaneView::setFolded(const QString& host, bool folded) {
    if (folded == m_parts->folded.contains(host)) return;
    if (folded)
        m_parts->folded.insert(host);
    else
        m_parts->folded.remove(host);
    m_parts->arrange();
    markDirty();
    emit foldingChanged();
}

bool LaneView::folded(const QString& host) const { return m_parts->folded.contains(host); }

std::optional<LateLane> LaneView::latest() const {
    if (m_parts->mode != LaneMode::Late) return std::nullopt;
    std::optional<LateLane> worst;
    for (std::size_t i = 0; i < m_parts->cells.size(); ++i) {
        const LaneCells& cells = m_parts->cells[i];
        if (!(cells.newest > colors().lateCuts[2]) || (worst && cells.newest <= worst->ratio)) continue;
        const Lane& lane = m_parts->lanes[i];
        const Range& x = m_parts->columns.x;
        const double since = x.from + x.size() * double(aboveSince(cells, colors().lateCuts[1])) / m_parts->columns.columns;
        const auto index = lane.data->nearest(since, m_parts->columns.axis, m_parts->columns.origin);
        worst = LateLane{lane.rank, cells.newest, lane.data->at(*index).step, lane.data->at(*index).time};
    }
    return worst;
}

QString LaneView::valueOf(int rank) const {
    for (std::size_t i = 0; i < m_parts->lanes.size(); ++i)
        if (m_parts->lanes[i].rank == rank) return m_parts->valueText(i);
    return {};
}

std::optional<Range> LaneView::extent() const {
    std::optional<Range> all;
    for (const Lane& lane : m_parts->lanes) {
        const auto range = lane.data ? lane.data->extent(group()->xAxis(), group()->startTime()) : std::nullopt;
        if (range) all = all ? all->united(*range) : range;
    }
    return all;
}

QRectF LaneView::plotArea() const {
    return {m_parts->gutter(), m_parts->eventLane(), std::max(1.0, m_parts->right() - m_parts->gutter() - m_parts->valueColumn()),
            std::max(1.0, m_parts->shownBottom() - m_parts->eventLane())};
}

std::optional<double> LaneView::convert(double x, XAxis from, XAxis to) const {
    for (const Lane& lane : m_parts->lanes) {
        const auto index = lane.data ? lane.data->nearest(x, from, group()->startTime()) : std::nullopt;
        if (index) return lane.data->xOf(*index, to, group()->startTime());
    }
    return std::nullopt;
}

QSize LaneView::sizeHint() const { return {900, static_cast<int>(m_parts->rowsBottom() + m_parts->axisHeight() + kBelowAxis)}; }

QSize LaneView::minimumSizeHint() const {
    const auto rows = std::min<std::size_t>(m_parts->rows.size(), kLeastRows);
    return {360,
            static_cast<int>(m_parts->eventLane() + double(rows) * (m_parts->rowHeight() + kRowGap) + m_parts->axisHeight() + kBelowAxis)};
}

// Every row, also those that are scrolled out of sight.
QImage LaneView::image(double scale) {
    const WholePicture whole(*m_parts);
    if (group()) m_parts->compute();
    QImage result((QSizeF(width(), sizeHint().height()) * scale).toSize(), QImage::Format_RGB32);
    result.setDevicePixelRatio(scale);
    result.fill(colors().background);
    QPainter painter(&result);
    m_parts->draw(painter);
    return result;
}

QByteArray LaneView::svg() {
    const WholePicture whole(*m_parts);
    if (group()) m_parts->compute();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    const QRect all(0, 0, width(), sizeHint().height());
    generator.setSize(all.size());
    generator.setViewBox(all);
    QPainter painter(&generator);
    painter.fillRect(all, colors().background);
    m_parts->draw(painter);
    painter.end();
    return bytes;
}

QString LaneView::csv() const {
    QString text = QStringLiteral("series,step,unix_time,value\n");
    for (const Lane& lane : m_parts->lanes)
        if (lane.data) text += csvLines(lane.worker, *lane.data, nullptr);
    return text;
}

bool LaneView::hasNewData() const { return m_parts->seen != m_parts->revision(); }

void LaneView::redraw(bool) {
    if (!group()) return;
    m_parts->compute();
    m_parts->render();
    if (hasFocus() || accessibleDescription().isEmpty()) {
        QStringList parts;
        for (std::size_t i = 0; i < m_parts->lanes.size(); ++i) parts << m_parts->lanes[i].worker + ' ' + m_parts->valueText(i);
        setAccessibleDescription(parts.join(QStringLiteral("; ")));
    }
    update();
}

void LaneView::redrawCursors() { update(); }

// Also called when the font is another: rows grow with it.
void LaneView::colorsChanged() { m_parts->arrange(); }

void LaneView::hoverMoved(const QPointF& place) {
    m_parts->pointer = place;
    const auto row = hovered() && plotArea().contains(place) ? m_parts->rowAt(place.y()) : std::nullopt;
    const Lane* lane = row ? &m_parts->lanes[m_parts->rows[*row].shown] : nullptr;
    const int rank = lane ? lane->rank : -1;
    if (rank < 0 && m_parts->hoveredRank < 0) return;
    m_parts->hoveredRank = rank;
    emit cellHovered(rank, lane ? m_parts->stepAt(*lane, xAt(place.x())) : 0);
}

void LaneView::clicked(const QPointF& place) {
    if (const QString host = m_parts->hostArrowAt(place); !host.isEmpty()) return setFolded(host, !folded(host));
    if (const auto event = m_parts->eventAt(place)) return emit eventClicked(*event);
    const auto row = m_parts->rowAt(place.y());
    if (!row) return;
    m_parts->current = row;
    const Lane& lane = m_parts->lanes[m_parts->rows[*row].shown];
    if (place.x() >= plotArea().left() && place.x() <= plotArea().right())
        emit cellClicked(lane.rank, m_parts->stepAt(lane, xAt(place.x())));
    update();
}

void LaneView::keyPressEvent(QKeyEvent* event) {
    auto& current = m_parts->current;
    const std::size_t last = m_parts->rows.empty() ? 0 : m_parts->rows.size() - 1;
    if (m_parts->rows.empty()) return ChartView::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Up: current = current && *current > 0 ? *current - 1 : 0; break;
        case Qt::Key_Down: current = current ? std::min(*current + 1, last) : 0; break;
        case Qt::Key_Space:
            if (current && group()) {
                const Lane& lane = m_parts->lanes[m_parts->rows[*current].shown];
                emit cellClicked(lane.rank, m_parts->stepAt(lane, group()->cursorB().value_or(group()->range().to)));
            }
            break;
        default: return ChartView::keyPressEvent(event);
    }
    if (current) m_parts->ensureVisible(m_parts->rows[*current]);
    update();
}

void LaneView::resizeEvent(QResizeEvent* event) {
    ChartView::resizeEvent(event);
    m_parts->fitBar();
}

// The rows scroll as long as there are more of them that way; then what is around scrolls.
void LaneView::wheelEvent(QWheelEvent* event) {
    const int before = m_parts->bar->value();
    if (event->modifiers() == Qt::NoModifier && !m_parts->bar->isHidden())
        m_parts->bar->setValue(before - event->angleDelta().y() * kRowsPerNotch * m_parts->bar->singleStep() / 120);
    if (m_parts->bar->value() == before) return ChartView::wheelEvent(event);
    event->accept();
}

}  // namespace lockstep::charts
