#include "search_button.h"

#include <QFontMetrics>
#include <QPainter>

namespace lockstep::shell {

using style::Role;
using style::TextStyle;

namespace {

constexpr int kPadding = 12;
constexpr int kGap = 8;
constexpr int kKeyPadding = 5;

}  // namespace

SearchButton::SearchButton(const style::Theme& theme, const QString& hint, const QString& shortcut, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_hint(hint), m_shortcut(shortcut) {
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setAccessibleName(hint);
    setToolTip(QStringLiteral("%1 (%2)").arg(hint, shortcut));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&theme, &style::Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

QSize SearchButton::sizeHint() const {
    const int words = QFontMetrics(m_theme.font(TextStyle::Body)).horizontalAdvance(m_hint) + 2 * kPadding +
                      m_theme.iconSize(style::icon_size::kInline) + kGap + 2;
    return {std::max(style::layout::kSearchField, words), m_theme.heightFor(TextStyle::Body, style::control::kHeight)};
}

QSize SearchButton::minimumSizeHint() const { return {2 * kPadding + m_theme.iconSize(style::icon_size::kInline), sizeHint().height()}; }

void SearchButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool focus = hasFocus() && property("keyboardFocus").toBool();
    const double inset = focus ? 1.0 : 0.5;
    painter.setBrush(m_theme.color(underMouse() ? Role::Hover : Role::Sunken));
    painter.setPen(QPen(m_theme.color(focus ? Role::Focus : Role::Border), focus ? style::edge::kFocusWidth : style::edge::kWidth));
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), style::radius::kControl, style::radius::kControl);

    const int middle = height() / 2, icon = m_theme.iconSize(style::icon_size::kInline);
    painter.drawPixmap(kPadding, middle - icon / 2,
                       style::iconPixmap(m_theme, QStringLiteral("search"), Role::MutedText, icon, devicePixelRatioF()));
    const int x = kPadding + icon + kGap;
    const QFont body = m_theme.font(TextStyle::Body), caption = m_theme.font(TextStyle::Caption);
    const int key = QFontMetrics(caption).horizontalAdvance(m_shortcut) + 2 * kKeyPadding;
    const int words = QFontMetrics(body).horizontalAdvance(m_hint);
    const bool withKey = x + words + kGap + key + kPadding / 2 <= width();
    const int room = width() - x - (withKey ? key + kPadding / 2 : kPadding / 2);
    painter.setFont(body);
    painter.setPen(m_theme.color(Role::MutedText));
    painter.drawText(QRect(x, 0, room, height()), Qt::AlignVCenter | Qt::TextSingleLine,
                     QFontMetrics(body).elidedText(m_hint, Qt::ElideRight, room));
    if (!withKey) return;
    const int keyHeight = QFontMetrics(caption).height() + 3;
    const QRectF box(width() - key - kPadding / 2 - 2 + 0.5, middle - keyHeight / 2 + 0.5, key, keyHeight);
    painter.setPen(m_theme.color(Role::Border));
    painter.setBrush(m_theme.color(Role::Surface));
    painter.drawRoundedRect(box, style::radius::kChip, style::radius::kChip);
    painter.setFont(caption);
    painter.setPen(m_theme.color(Role::MutedText));
    painter.drawText(box, Qt::AlignCenter, m_shortcut);
}

}  // namespace lockstep::shell
