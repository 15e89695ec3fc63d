#include "dock_delegates.h"

#include "run_words.h"

#include <models/events_model.h>
#include <models/values_model.h>
#include <text/format.h>

#include <QPainter>
#include <QPainterPath>

namespace lockstep::pages {

using style::Role;
using style::TextStyle;

namespace {

constexpr int kInset = 16, kMarkerRoom = 14;  // left of names: the page's padding, then marker or icon
constexpr int kFigurePadding = 10;            // left of each figure
constexpr int kRight = 12;

int eventTextLeft(const style::Theme& theme) {
    return kInset + kMarkerRoom + 2 - style::icon_size::kInline + theme.iconSize(style::icon_size::kInline);
}

void paintRow(QPainter& painter, const QStyleOptionViewItem& option, const style::Theme& theme) {
    if (option.state.testFlag(QStyle::State_Selected))
        painter.fillRect(option.rect, theme.color(Role::AccentTint));
    else if (option.state.testFlag(QStyle::State_MouseOver))
        painter.fillRect(option.rect, theme.color(Role::Hover));
    painter.fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), theme.color(Role::ChartGrid));
}

void paintText(QPainter& painter, const QRect& area, Qt::Alignment side, const QString& text) {
    painter.drawText(area, static_cast<int>(side | Qt::AlignVCenter) | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, area.width()));
}

// The loss of training is a disc, that of validation a square: the two shapes that curves of a whole run have.
void paintMarker(QPainter& painter, const QRect& row, const style::SeriesStyle& series) {
    const QPointF centre(row.left() + kInset + 4, row.center().y() + 0.5);
    constexpr double kRadius = style::chart::kMarkerRadiusTable;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(series.line);
    if (series.marker == style::Marker::Square)
        painter.drawRect(QRectF(centre.x() - 3.5, centre.y() - 3.5, 7, 7));
    else
        painter.drawEllipse(centre, kRadius, kRadius);
}

}  // namespace

QSize ValuesDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    const QFontMetrics metrics(m_theme.font(TextStyle::Small));
    const bool name = index.column() == models::ValuesModel::Name, last = index.column() == models::ValuesModel::Difference;
    const bool heading = index.data(models::ValuesModel::HeadingRole).toBool();
    // A heading goes over all columns and asks none of them for room.
    if (heading) return {0, m_theme.heightFor(TextStyle::Small, style::layout::kTableRowDense)};
    const int padding = name ? kInset + kMarkerRoom : kFigurePadding;
    const int room = metrics.horizontalAdvance(index.data().toString()) + padding + (last ? kRight : 0) + 1;
    return {room, m_theme.heightFor(TextStyle::Small, style::layout::kTableRowDense)};
}

void ValuesDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    painter->save();
    paintRow(*painter, option, m_theme);
    const bool heading = index.data(models::ValuesModel::HeadingRole).toBool();
    const bool name = index.column() == models::ValuesModel::Name, difference = index.column() == models::ValuesModel::Difference;
    painter->setFont(m_theme.font(TextStyle::Small));
    painter->setPen(m_theme.color(heading || difference ? Role::MutedText : Role::Text));
    const QString text = index.data().toString();
    if (!name) {
        paintText(*painter, option.rect.adjusted(0, 0, difference ? -kRight : 0, 0), Qt::AlignRight, text);
    } else {
        const int color = index.data(models::ValuesModel::ColorRole).toInt();
        if (color >= 0) paintMarker(*painter, option.rect, m_theme.series(color));
        painter->setPen(m_theme.color(heading ? Role::MutedText : Role::Text));
        paintText(*painter, option.rect.adjusted(kInset + (heading ? 0 : kMarkerRoom), 0, 0, 0), Qt::AlignLeft, text);
    }
    painter->restore();
}

QSize EventsDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    const QFontMetrics metrics(m_theme.font(TextStyle::Small));
    const bool step = index.column() == models::EventsModel::Step;
    const int padding = step ? kFigurePadding + kRight : eventTextLeft(m_theme);
    return {metrics.horizontalAdvance(index.data().toString()) + padding + 1,
            m_theme.heightFor(TextStyle::Small, style::layout::kTableRowDense)};
}

void EventsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    painter->save();
    paintRow(*painter, option, m_theme);
    painter->setFont(m_theme.font(TextStyle::Small));
    if (index.column() == models::EventsModel::Step) {
        painter->setPen(m_theme.color(Role::MutedText));
        paintText(*painter, option.rect.adjusted(0, 0, -kRight, 0), Qt::AlignRight, index.data().toString());
    } else {
        const auto mark = iconOf(index.data(models::EventsModel::KindRole).toString());
        const QRect row = option.rect.adjusted(kInset, 0, 0, 0);
        const int icon = m_theme.iconSize(style::icon_size::kInline);
        painter->drawPixmap(row.left() - 3, row.center().y() - icon / 2,
                            style::iconPixmap(m_theme, mark.icon, mark.role, icon, painter->device()->devicePixelRatioF()));
        painter->setPen(m_theme.color(Role::Text));
        paintText(*painter, row.adjusted(eventTextLeft(m_theme) - kInset, 0, 0, 0), Qt::AlignLeft, index.data().toString());
    }
    painter->restore();
}

}  // namespace lockstep::pages
