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

// The step stands beside it: the name of a checkpoint's folder and the end of many sentences say it once more.
QString shortText(const QModelIndex& index, const QString& kind) {
    QString text = index.data().toString();
    if (kind == QLatin1String("checkpoint")) return models::eventKindText("checkpoint");
    if (kind == QLatin1String("command")) return models::eventKindText("command") + QStringLiteral(": ") + text;
    const QString step = QStringLiteral(" at step %1").arg(index.data(models::EventsModel::StepRole).toULongLong());
    if (text.endsWith(step)) text.chop(step.size());
    return text;
}

}  // namespace

QSize ValuesDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    const QFontMetrics metrics(m_theme.font(TextStyle::Small));
    const bool last = index.column() == models::ValuesModel::Difference;
    const int room = metrics.horizontalAdvance(index.data().toString()) + kFigurePadding + (last ? kRight : 0) + 1;
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
    return {metrics.horizontalAdvance(index.data().toString()) + kFigurePadding + kRight + 1,
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
        const QString kind = index.data(models::EventsModel::KindRole).toString();
        api::RunEvent event;
        event.kind = kind.toStdString();
        const auto words = wordsOf(event);
        const QRect row = option.rect.adjusted(kInset, 0, 0, 0);
        constexpr int kIcon = style::icon_size::kInline;
        const QString icon = words ? QString(words->icon) : QStringLiteral("dash-circle");
        painter->drawPixmap(
            row.left() - 3, row.center().y() - kIcon / 2,
            style::iconPixmap(m_theme, icon, words ? words->role : Role::MutedText, kIcon, painter->device()->devicePixelRatioF()));
        painter->setPen(m_theme.color(Role::Text));
        paintText(*painter, row.adjusted(kMarkerRoom + 2, 0, 0, 0), Qt::AlignLeft, shortText(index, kind));
    }
    painter->restore();
}

}  // namespace lockstep::pages
