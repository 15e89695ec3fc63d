#include <charts/chart_view.h>

#include <charts/series_data.h>

#include <QFontInfo>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lockstep::charts {
namespace {

constexpr double kDragThreshold = 4;  // px: less is a click
constexpr double kWheelZoom = 1.25;   // per notch
constexpr double kWheelPan = 0.1;     // part of the view per notch
constexpr double kKeyZoom = 1.5;

QString csvField(QString text) {
    if (!text.contains(',') && !text.contains('"') && !text.contains('\n')) return text;
    return '"' + text.replace('"', QStringLiteral("\"\"")) + '"';
}

QString csvNumber(double value) {
    return std::isfinite(value) ? QString::number(value, 'g', std::numeric_limits<double>::max_digits10) : QString();
}

}  // namespace

ChartView::ChartView(ChartGroup* group, QWidget* parent) : QWidget(parent), m_group(group) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(160, 90);
    m_group->add(this);
}

ChartView::~ChartView() {
    if (m_group) m_group->remove(this);
}

void ChartView::setColors(const ChartColors& colors) {
    m_colors = colors;
    colorsChanged();
    markDirty();
}

void ChartView::setTitle(const QString& title) {
    m_title = title;
    setAccessibleName(title);
}

void ChartView::setUnit(const QString& unit) {
    if (unit == m_unit) return;
    m_unit = unit;
    markDirty();
}

void ChartView::setEmptyText(const QString& text) {
    if (text == m_emptyText) return;
    m_emptyText = text;
    markDirty();
}

void ChartView::setEvents(std::vector<ChartEvent> events) {
    if (events == m_events) return;
    m_events = std::move(events);
    markDirty();
}

void ChartView::setCursorTags(bool on) {
    m_cursorTags = on;
    markDirty();
}

void ChartView::markDirty() {
    m_dirty = true;
    if (m_group) m_group->requestRefresh();
}

QSize ChartView::sizeHint() const { return {320, 136}; }

QFont ChartView::captionFont() const {
    QFont small = font();
    small.setPixelSize(std::max(9, static_cast<int>(std::lround(QFontInfo(font()).pixelSize() * 11.0 / 13.0))));
    small.setBold(false);
    return small;
}

QImage ChartView::image(double scale) {
    QImage picture((QSizeF(size()) * scale).toSize(), QImage::Format_RGB32);
    picture.setDevicePixelRatio(scale);
    picture.fill(m_colors.background);
    render(&picture, {}, {}, DrawChildren);
    return picture;
}

QString ChartView::csvLines(const QString& name, const SeriesData& raw, const SeriesData* smooth) const {
    QString text;
    const QString field = csvField(name);
    for (std::size_t i = 0; m_group && i < raw.size(); ++i) {
        if (!m_group->range().contains(raw.xOf(i, m_group->xAxis(), m_group->startTime()))) continue;
        const Sample& sample = raw.at(i);
        text += field + ',' + QString::number(sample.step) + ',' + QString::number(sample.time, 'f', 3) + ',' + csvNumber(sample.value);
        text += smooth ? ',' + csvNumber(smooth->at(i).value) + '\n' : QStringLiteral("\n");
    }
    return text;
}

double ChartView::xAt(double pixel) const {
    const QRectF area = plotArea();
    const Range range = m_group ? m_group->range() : Range{};
    const double part = (pixel - area.left()) / std::max(1.0, area.width());
    if (m_group && m_group->xScale() == Scale::Log && range.from > 0) return range.from * std::pow(range.to / range.from, part);
    return range.from + part * range.size();
}

double ChartView::pixelAt(double x) const {
    const QRectF area = plotArea();
    const Range range = m_group ? m_group->range() : Range{};
    if (m_group && m_group->xScale() == Scale::Log && range.from > 0)
        return area.left() + area.width() * std::log(std::max(x, 1e-12) / range.from) / std::log(range.to / range.from);
    return area.left() + area.width() * (x - range.from) / range.size();
}

double ChartView::eventX(const ChartEvent& event) const {
    if (!m_group || m_group->xAxis() == XAxis::Step) return static_cast<double>(event.step);
    return m_group->xAxis() == XAxis::Elapsed ? event.time - m_group->startTime() : event.time;
}

// Not visibleRegion(): that leaves out what opaque children cover, which is all of it here.
bool ChartView::drawable() const {
    if (!isVisible()) return false;
    QRect shown = rect();
    const QWidget* widget = this;
    for (; !widget->isWindow() && widget->parentWidget() && !shown.isEmpty(); widget = widget->parentWidget())
        shown = shown.translated(widget->pos()) & widget->parentWidget()->rect();
    return !shown.isEmpty();
}

bool ChartView::refreshIfNeeded(bool follow) {
    const bool moved = m_seenView != m_group->viewRevision();
    const bool fresh = hasNewData();
    if (!(m_dirty || moved || fresh) || !drawable()) return false;
    m_seenView = m_group->viewRevision();
    const bool refitY = moved || m_dirty || follow;
    m_dirty = false;
    redraw(refitY);
    emit redrawn();
    return true;
}

void ChartView::mouseMoveEvent(QMouseEvent* event) {
    if (!m_group) return;
    const QPointF place = event->position();
    m_hovered = true;
    if (m_pressed && !m_dragged && std::abs(place.x() - m_pressed->x()) >= kDragThreshold) m_dragged = true;
    if (m_dragged && m_pressed) {
        const double part = (m_pressed->x() - place.x()) / std::max(1.0, plotArea().width());
        m_group->setRange(m_dragRange);
        m_group->pan(part);
        return;
    }
    const QRectF area = plotArea();
    const bool inside = place.x() >= area.left() && place.x() <= area.right();
    m_group->setCursorB(inside ? std::optional(xAt(place.x())) : std::nullopt);
    hoverMoved(place);
}

void ChartView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_group) return QWidget::mousePressEvent(event);
    m_pressed = event->position();
    m_dragged = false;
    m_dragRange = m_group->range();
}

void ChartView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_pressed || !m_group) return QWidget::mouseReleaseEvent(event);
    const QPointF place = *m_pressed;
    m_pressed.reset();
    if (std::exchange(m_dragged, false)) return;
    if (!plotArea().adjusted(-1, 0, 1, 0).contains(place)) return clicked(place);
    if (event->modifiers() & Qt::ShiftModifier) {
        const double x = xAt(place.x());
        m_group->pinCursorB(m_group->cursorBPinned() ? std::nullopt : std::optional(x));
        return;
    }
    m_group->setCursorA(xAt(place.x()));
    clicked(place);
}

void ChartView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && m_group) m_group->setFollowing(true);
}

void ChartView::wheelEvent(QWheelEvent* event) {
    const double down = event->angleDelta().y() / 120.0, across = event->angleDelta().x() / 120.0;
    const bool zooms = event->modifiers().testFlag(Qt::ControlModifier) && down != 0;
    const bool pans = event->modifiers().testFlag(Qt::ShiftModifier) || std::abs(across) > std::abs(down);
    // The plain wheel belongs to whatever scrolls around the chart.
    if (!m_group || !(zooms || pans)) return event->ignore();
    if (zooms)
        m_group->zoom(std::pow(kWheelZoom, down), xAt(event->position().x()));
    else
        m_group->pan(-kWheelPan * (std::abs(across) > std::abs(down) ? across : down));
    event->accept();
}

void ChartView::moveCursor(double parts) {
    const Range range = m_group->range();
    const double now = m_group->cursorB().value_or(parts > 0 ? range.from : range.to);
    const double pixel = std::clamp(pixelAt(now) + parts * plotArea().width(), plotArea().left(), plotArea().right());
    m_group->setCursorB(xAt(pixel));
    m_hovered = true;
    hoverMoved({pixel, plotArea().center().y()});
}

void ChartView::keyPressEvent(QKeyEvent* event) {
    if (!m_group) return QWidget::keyPressEvent(event);
    const Range range = m_group->range();
    const double centre = m_group->cursorB().value_or((range.from + range.to) / 2);
    const double by = event->modifiers() & Qt::ShiftModifier ? 0.1 : 0.01;
    switch (event->key()) {
        case Qt::Key_Left: return moveCursor(-by);
        case Qt::Key_Right: return moveCursor(by);
        case Qt::Key_Plus:
        case Qt::Key_Equal: return m_group->zoom(kKeyZoom, centre);
        case Qt::Key_Minus: return m_group->zoom(1 / kKeyZoom, centre);
        case Qt::Key_PageUp: return m_group->pan(-0.5);
        case Qt::Key_PageDown: return m_group->pan(0.5);
        case Qt::Key_Home:
        case Qt::Key_End: return m_group->setFollowing(true);
        case Qt::Key_Return:
        case Qt::Key_Enter: return m_group->setCursorA(m_group->cursorB());
        case Qt::Key_Escape: m_group->setCursorA(std::nullopt); return m_group->pinCursorB(std::nullopt);
        default: QWidget::keyPressEvent(event);
    }
}

void ChartView::leaveEvent(QEvent* event) {
    m_hovered = false;
    if (m_group) m_group->setCursorB(std::nullopt);
    hoverMoved({});
    QWidget::leaveEvent(event);
}

void ChartView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    markDirty();
}

void ChartView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    markDirty();
}

void ChartView::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    redrawCursors();
}

void ChartView::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    redrawCursors();
}

void ChartView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        colorsChanged();
        markDirty();
    }
}

}  // namespace lockstep::charts
