#include <charts/chart_group.h>

#include <charts/chart_view.h>
#include <charts/smoother.h>

#include <QElapsedTimer>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lockstep::charts {
namespace {

constexpr qint64 kPassMs = 12;

constexpr double kWidestView = 4;  // times all data: further out there is only a dot

// Closer than this there is less than a step, or doubles can't tell neighbouring pixels apart.
bool usable(const Range& range, XAxis axis) {
    const double least = axis == XAxis::Step ? 1 : std::max(1e-3, 1e-9 * std::abs(range.to));
    return std::isfinite(range.from) && std::isfinite(range.to) && range.size() >= least;
}

}  // namespace

ChartGroup::ChartGroup(QObject* parent) : QObject(parent) {
    m_timer.setInterval(kRefreshMs);
    connect(&m_timer, &QTimer::timeout, this, &ChartGroup::tick);
    m_soon.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, &ChartGroup::tick);
    m_cursorSoon.setSingleShot(true);
    connect(&m_cursorSoon, &QTimer::timeout, this, &ChartGroup::announceCursors);
}

ChartGroup::~ChartGroup() = default;

void ChartGroup::add(ChartView* member) {
    m_members.push_back(member);
    if (!m_timer.isActive() && !m_driven) m_timer.start();
}

void ChartGroup::setDriven(bool driven) {
    m_driven = driven;
    if (driven)
        m_timer.stop();
    else if (!m_members.empty())
        m_timer.start();
}

void ChartGroup::remove(ChartView* member) {
    std::erase(m_members, member);
    if (m_members.empty()) m_timer.stop();
}

void ChartGroup::requestRefresh() {
    if (!m_soon.isActive()) m_soon.start(0);
}

void ChartGroup::touchView() {
    ++m_viewRevision;
    requestRefresh();
}

std::optional<double> ChartGroup::converted(double x, XAxis from) const {
    for (const ChartView* member : m_members)
        if (const auto result = member->convert(x, from, m_axis)) return result;
    return std::nullopt;
}

void ChartGroup::setXAxis(XAxis axis) {
    if (axis == m_axis) return;
    const XAxis before = m_axis;
    m_axis = axis;
    if (m_cursorA) m_cursorA = converted(*m_cursorA, before);
    if (m_cursorB) m_cursorB = converted(*m_cursorB, before);
    if (!m_following) {
        const auto from = converted(m_range.from, before);
        const auto to = converted(m_range.to, before);
        if (from && to && usable({*from, *to}, m_axis))
            m_range = {*from, *to};
        else
            setFollowing(true);
    }
    touchView();
    emit axisChanged();
    emit cursorsChanged();
}

void ChartGroup::setXScale(Scale scale) {
    if (scale == m_scale) return;
    m_scale = scale;
    if (!m_following) m_range = onScale(m_range);
    touchView();
    emit axisChanged();
}

void ChartGroup::setSmoothing(double weight) {
    const double inside = std::isfinite(weight) ? std::clamp(weight, 0.0, kMostSmoothing) : 0.0;
    if (inside == m_smoothing) return;
    m_smoothing = inside;
    touchView();
    emit smoothingChanged(inside);
}

void ChartGroup::setStartTime(double unixSeconds) {
    if (unixSeconds == m_startTime) return;
    m_startTime = unixSeconds;
    touchView();
}

// A log axis has no place for 0 and below: three decades are shown instead.
Range ChartGroup::onScale(const Range& range) const {
    if (m_scale == Scale::Linear || range.from > 0) return range;
    return {range.to / 1000, range.to};
}

void ChartGroup::setRange(const Range& range) {
    const Range wanted = onScale(range);
    if (!usable(wanted, m_axis)) return;
    setFollowing(false);
    if (wanted == m_range) return;
    m_range = wanted;
    touchView();
    emit rangeChanged();
}

void ChartGroup::zoom(double factor, double centre) {
    if (!(factor > 0)) return;
    const auto all = extent();
    if (factor < 1 && all && m_range.size() / factor > kWidestView * std::max(all->size(), 1.0)) return;
    if (m_scale == Scale::Log && m_range.from > 0 && centre > 0) {
        setRange({centre * std::pow(m_range.from / centre, 1 / factor), centre * std::pow(m_range.to / centre, 1 / factor)});
        return;
    }
    setRange({centre - (centre - m_range.from) / factor, centre + (m_range.to - centre) / factor});
}

void ChartGroup::pan(double part) {
    const auto all = extent();
    if (all && (part > 0 ? m_range.from > all->to : m_range.to < all->from)) return;
    if (m_scale == Scale::Log && m_range.from > 0) {
        const double by = std::pow(m_range.to / m_range.from, part);
        setRange({m_range.from * by, m_range.to * by});
        return;
    }
    const double by = m_range.size() * part;
    setRange({m_range.from + by, m_range.to + by});
}

void ChartGroup::setFollowing(bool on) {
    if (on == m_following) return;
    m_following = on;
    if (on) touchView();
    emit followingChanged(on);
}

void ChartGroup::setCursorA(std::optional<double> x) {
    if (x == m_cursorA) return;
    m_cursorA = x;
    if (!m_cursorSoon.isActive()) m_cursorSoon.start(0);
}

void ChartGroup::setCursorB(std::optional<double> x) {
    if (x == m_cursorB || m_pinnedB) return;
    m_cursorB = x;
    if (!m_cursorSoon.isActive()) m_cursorSoon.start(0);
}

void ChartGroup::pinCursorB(std::optional<double> x) {
    m_pinnedB = false;
    setCursorB(x);
    m_pinnedB = x.has_value();
}

void ChartGroup::announceCursors() {
    for (ChartView* member : m_members)
        if (member->drawable()) member->redrawCursors();
    emit cursorsChanged();
}

std::optional<Range> ChartGroup::extent() const {
    std::optional<Range> all;
    for (const ChartView* member : m_members)
        if (const auto range = member->extent()) all = all ? all->united(*range) : range;
    return all;
}

void ChartGroup::fitToData() {
    const auto all = extent();
    if (!all) return;
    Range range = *all;
    // A run that begins at its first steps is shown from 0; one joined late begins where its data begins.
    if (m_axis != XAxis::WallTime && m_scale == Scale::Linear && range.from > 0 && range.from < 0.1 * range.to) range.from = 0;
    if (m_scale == Scale::Log) range.from = std::max(range.from, m_axis == XAxis::Step ? 1.0 : 1e-2);
    // A single step stands in the middle.
    if (!usable(range, m_axis)) {
        const double around = m_axis == XAxis::Step ? 1 : 0.5;
        range = {m_scale == Scale::Log ? range.from : range.from - around, range.to + around};
    }
    if (range == m_range) return;
    m_range = range;
    ++m_viewRevision;
    emit rangeChanged();
}

void ChartGroup::refreshNow() { refresh(std::numeric_limits<qint64>::max()); }

// Input waits for no more than a few charts: the rest is drawn in the next pass of the event loop, beginning with the first that waited.
void ChartGroup::tick() {
    if (!refresh(kPassMs)) m_soon.start(0);
}

bool ChartGroup::refresh(qint64 budgetMs) {
    QElapsedTimer clock;
    clock.start();
    if (m_following && !m_unfinished) fitToData();
    bool drew = false;
    const auto members = m_members;  // a slot may add or remove one
    for (std::size_t place = std::exchange(m_next, 0); place < members.size(); ++place) {
        ChartView* member = members[place];
        if (std::find(m_members.begin(), m_members.end(), member) == m_members.end()) continue;
        if (drew && clock.elapsed() >= budgetMs) {
            m_next = place;
            m_unfinished = true;
            return false;
        }
        drew |= member->refreshIfNeeded(m_following);
    }
    const bool continued = std::exchange(m_unfinished, false);
    if (drew || continued) emit refreshed();
    return true;
}

}  // namespace lockstep::charts
