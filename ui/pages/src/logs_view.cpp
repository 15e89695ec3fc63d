#include "logs_view.h"

#include <text/format.h>

#include <QAccessible>
#include <QApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>

namespace lockstep::pages {

using models::LogLevel;
using models::LogModel;
using style::Role;
using style::TextStyle;

namespace {

constexpr int kPadding = 8;
constexpr int kBarWidth = 3;
constexpr int kBlockEdge = 2;

}  // namespace

LogsView::LogsView(const style::Theme& theme, LogModel& model, QWidget* parent)
    : QAbstractScrollArea(parent), m_theme(theme), m_model(model) {
    setObjectName(QStringLiteral("logs.lines.view"));
    setAccessibleName(tr("Log lines"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setCursor(Qt::IBeamCursor);
    connect(&theme, &style::Theme::changed, this, [this] { measure(); });
    connect(&model, &LogModel::rowsInserted, this, [this] { rowsAdded(); });
    connect(&model, &LogModel::rowsRemoved, this, [this](const QModelIndex&, int first, int last) { rowsTaken(first, last); });
    connect(&model, &LogModel::modelAboutToBeReset, this, &LogsView::keepPlace);
    connect(&model, &LogModel::modelReset, this, &LogsView::rowsAdded);
    connect(&model, &LogModel::filteringChanged, this, [this](bool filtering) {
        if (!filtering) restorePlace();
    });
    connect(&model, &LogModel::followingChanged, this, [this](bool following) {
        if (following) verticalScrollBar()->setValue(verticalScrollBar()->maximum());
    });
    connect(verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] { personScrolled(); });
    measure();
}

void LogsView::measure() {
    setFont(m_theme.font(TextStyle::Code));
    const QFontMetrics metrics(font());
    m_rowHeight = std::max(m_theme.lineHeight(TextStyle::Code), metrics.height() + 2);
    m_columns.time = kPadding;
    m_columns.bar = m_columns.time + metrics.horizontalAdvance(QStringLiteral("00:00:00.000")) + kPadding;
    m_columns.source = m_columns.bar + kBarWidth + 6;
    const auto longest = std::max(metrics.horizontalAdvance(tr("controller")), metrics.horizontalAdvance(tr("rank %1").arg(9999)));
    m_columns.mark = m_columns.source + longest + kPadding;
    m_columns.text = m_columns.mark + m_theme.iconSize(style::icon_size::kInline) + 6;
    m_widestText = 0;
    updateRanges();
    viewport()->update();
}

int LogsView::rowsPerPage() const { return std::max(1, viewport()->height() / m_rowHeight); }

int LogsView::firstVisibleRow() const { return verticalScrollBar()->value(); }

void LogsView::updateRanges() {
    verticalScrollBar()->setPageStep(rowsPerPage());
    verticalScrollBar()->setSingleStep(1);
    verticalScrollBar()->setRange(0, std::max(0, m_model.rowCount() - rowsPerPage()));
    const int room = viewport()->width() - m_columns.text - kPadding;
    horizontalScrollBar()->setPageStep(std::max(1, room));
    horizontalScrollBar()->setSingleStep(20);
    horizontalScrollBar()->setRange(0, std::max(0, m_widestText - room));
}

void LogsView::rowsAdded() {
    updateRanges();
    if (m_model.isFollowing()) verticalScrollBar()->setValue(verticalScrollBar()->maximum());
    viewport()->update();
}

// The oldest lines have gone: what is in sight stays in sight.
void LogsView::rowsTaken(int first, int last) {
    const int count = last - first + 1;
    const auto moved = [&](int row) { return row > last ? row - count : row >= first ? -1 : row; };
    m_current = moved(m_current);
    m_anchor = m_current < 0 ? -1 : std::max(0, moved(m_anchor));
    const int top = std::max(0, verticalScrollBar()->value() - count);
    updateRanges();
    verticalScrollBar()->setValue(m_model.isFollowing() ? verticalScrollBar()->maximum() : top);
    viewport()->update();
}

void LogsView::keepPlace() {
    const int row = m_current >= 0 ? m_current : firstVisibleRow();
    if (!m_place && row < m_model.rowCount()) {
        m_place = m_model.index(row).data(LogModel::NumberRole).toULongLong();
        m_placeOffset = std::clamp(row - firstVisibleRow(), 0, rowsPerPage() - 1);
    }
    m_current = m_anchor = -1;
}

void LogsView::restorePlace() {
    if (!m_place) return;
    const auto place = *m_place;
    m_place.reset();
    if (m_model.isFollowing()) return;
    if (const auto row = m_model.rowOfNumber(place)) {
        verticalScrollBar()->setValue(*row - m_placeOffset);
        m_current = m_anchor = *row;
        viewport()->update();
    }
}

std::optional<std::pair<int, int>> LogsView::selection() const {
    if (m_current < 0) return std::nullopt;
    return std::minmax(m_current, m_anchor < 0 ? m_current : m_anchor);
}

void LogsView::select(int row, Place place) {
    m_model.setFollowing(false);
    m_place.reset();
    m_current = m_anchor = std::clamp(row, -1, m_model.rowCount() - 1);
    if (m_current >= 0) ensureVisible(m_current, place);
    describeCurrent();
    viewport()->update();
}

void LogsView::selectAll() {
    if (m_model.rowCount() == 0) return;
    m_anchor = 0;
    m_current = m_model.rowCount() - 1;
    viewport()->update();
}

void LogsView::ensureVisible(int row, Place place) {
    auto* bar = verticalScrollBar();
    if (place == Place::Middle)
        bar->setValue(row - rowsPerPage() / 2);
    else if (row < bar->value())
        bar->setValue(row);
    else if (row >= bar->value() + rowsPerPage())
        bar->setValue(row - rowsPerPage() + 1);
}

void LogsView::describeCurrent() {
    const auto index = m_model.index(m_current);
    setAccessibleDescription(index.isValid() ? index.data(LogModel::TextRole).toString() : QString());
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
}

void LogsView::moveTo(int row, bool extend) {
    if (m_model.rowCount() == 0) return;
    m_current = std::clamp(row, 0, m_model.rowCount() - 1);
    if (!extend) m_anchor = m_current;
    m_place.reset();
    ensureVisible(m_current, Place::Nearest);
    describeCurrent();
    viewport()->update();
}

// Whoever looks at older lines does not want them to run away; back at the end, following goes on only when asked for.
void LogsView::personScrolled() {
    m_place.reset();
    if (verticalScrollBar()->sliderPosition() < verticalScrollBar()->maximum()) m_model.setFollowing(false);
}

void LogsView::keyPressEvent(QKeyEvent* event) {
    const bool extend = event->modifiers().testFlag(Qt::ShiftModifier);
    const int current = m_current >= 0 ? m_current : m_model.isFollowing() ? m_model.rowCount() - 1 : firstVisibleRow() - 1;
    if (event->matches(QKeySequence::SelectAll)) return selectAll();
    switch (event->key()) {
        case Qt::Key_Up: m_model.setFollowing(false); return moveTo(current - (m_current >= 0 ? 1 : 0), extend);
        case Qt::Key_Down: m_model.setFollowing(false); return moveTo(current + 1, extend);
        case Qt::Key_PageUp: m_model.setFollowing(false); return moveTo(current - rowsPerPage(), extend);
        case Qt::Key_PageDown: m_model.setFollowing(false); return moveTo(current + rowsPerPage(), extend);
        case Qt::Key_Home: m_model.setFollowing(false); return moveTo(0, extend);
        case Qt::Key_End:
            moveTo(m_model.rowCount() - 1, extend);
            if (!extend) m_model.setFollowing(true);
            return;
        case Qt::Key_Left: return horizontalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepSub);
        case Qt::Key_Right: return horizontalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepAdd);
        default: QAbstractScrollArea::keyPressEvent(event);
    }
}

int LogsView::rowAt(const QPoint& position) const { return firstVisibleRow() + std::max(0, position.y()) / m_rowHeight; }

void LogsView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return QAbstractScrollArea::mousePressEvent(event);
    m_model.setFollowing(false);
    moveTo(rowAt(event->position().toPoint()), event->modifiers().testFlag(Qt::ShiftModifier));
}

void LogsView::mouseMoveEvent(QMouseEvent* event) {
    if (!event->buttons().testFlag(Qt::LeftButton)) return;
    const int y = event->position().toPoint().y();
    moveTo(y < 0 ? firstVisibleRow() - 1 : rowAt(event->position().toPoint()), true);
}

void LogsView::wheelEvent(QWheelEvent* event) {
    QAbstractScrollArea::wheelEvent(event);
    if (event->angleDelta().y() != 0) personScrolled();
}

void LogsView::resizeEvent(QResizeEvent*) {
    updateRanges();
    if (m_model.isFollowing()) verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

void LogsView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) viewport()->update();
}

void LogsView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void LogsView::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void LogsView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    painter.fillRect(event->rect(), m_theme.color(Role::Surface));
    const int first = firstVisibleRow() + event->rect().top() / m_rowHeight;
    const int last = std::min(m_model.rowCount() - 1, firstVisibleRow() + event->rect().bottom() / m_rowHeight);
    const int widest = m_widestText;
    for (int row = first; row <= last; ++row)
        paintRow(painter, row, QRect(0, (row - firstVisibleRow()) * m_rowHeight, viewport()->width(), m_rowHeight));
    painter.fillRect(m_columns.text - 4, 0, 1, viewport()->height(), m_theme.color(Role::ChartGrid));
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(Role::Focus), style::edge::kFocusWidth));
        painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    }
    // After painting: a range that changes while painting would paint again and again.
    if (m_widestText > widest)
        QMetaObject::invokeMethod(
            this, [this] { updateRanges(); }, Qt::QueuedConnection);
}

void LogsView::paintRow(QPainter& painter, int row, const QRect& area) {
    const auto index = m_model.index(row);
    const auto level = static_cast<LogLevel>(index.data(LogModel::LevelRole).toInt());
    const auto chosen = selection();
    if (chosen && row >= chosen->first && row <= chosen->second)
        painter.fillRect(area, m_theme.color(Role::AccentTint));
    else if (level == LogLevel::Error)
        painter.fillRect(area, m_theme.color(Role::ErrorTint));
    paintGutter(painter, index, area, level);
    const QRect room(m_columns.text, area.top(), area.width() - m_columns.text - kPadding, area.height());
    const auto text = index.data().toString();
    const QFontMetrics metrics(font());
    m_widestText = std::max(m_widestText, metrics.horizontalAdvance(text) + kPadding);
    painter.save();
    painter.setClipRect(room);
    painter.setPen(m_theme.color(level == LogLevel::Debug ? Role::MutedText : Role::Text));
    painter.setFont(font());
    const auto place = room.translated(-horizontalScrollBar()->value(), 0);
    painter.drawText(QRect(place.topLeft(), QSize(m_widestText, place.height())), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     text);
    painter.restore();
}

void LogsView::paintGutter(QPainter& painter, const QModelIndex& index, const QRect& area, LogLevel level) {
    const auto at = [&](int left, int right) { return QRect(left, area.top(), right - left, area.height()); };
    const int rank = index.data(LogModel::RankRole).toInt();
    painter.setFont(font());
    painter.setPen(m_theme.color(Role::MutedText));
    // A line without a stamp was said at some moment after the one above: no time is better than a wrong one.
    if (index.data(LogModel::DatedRole).toBool())
        painter.drawText(at(m_columns.time, m_columns.bar), Qt::AlignLeft | Qt::AlignVCenter,
                         text::formatTimeOfDay(index.data(LogModel::TimeRole).toDouble(), text::Fineness::Milliseconds));
    const auto color = rank < 0 ? m_theme.color(Role::ChartAxis) : m_theme.series(rank).line;
    painter.fillRect(QRect(m_columns.bar, area.top(), kBarWidth, area.height()), color);
    painter.drawText(at(m_columns.source, m_columns.mark), Qt::AlignLeft | Qt::AlignVCenter,
                     rank < 0 ? tr("controller") : tr("rank %1").arg(rank));
    if (level < LogLevel::Warning) return;
    const bool error = level == LogLevel::Error;
    // All lines of it are one block.
    painter.fillRect(QRect(m_columns.text - kBlockEdge - 2, area.top(), kBlockEdge, area.height()),
                     m_theme.color(error ? Role::Error : Role::Warning));
    if (index.data(LogModel::GoesOnRole).toBool()) return;
    const int size = m_theme.iconSize(style::icon_size::kInline);
    const auto picture = style::iconPixmap(m_theme, error ? QStringLiteral("error") : QStringLiteral("warning"),
                                           error ? Role::Error : Role::Warning, size, devicePixelRatioF());
    painter.drawPixmap(QRect(m_columns.mark, area.top() + (area.height() - size) / 2, size, size), picture);
}

}  // namespace lockstep::pages
