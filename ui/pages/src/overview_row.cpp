#include "overview_row.h"

#include <text/format.h>

#include <QFontMetrics>
#include <QPainter>

namespace lockstep::pages {

using style::Role;
using style::TextStyle;

namespace {

constexpr int kHeight = 40;
constexpr int kLeastWidth = 240;

}  // namespace

OverviewRow::OverviewRow(const style::Theme& theme, const QString& iconName, const QString& title, const QString& detail,
                         const QString& action, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_iconName(iconName), m_detail(detail), m_action(action) {
    setText(text::withoutMnemonic(title));
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &style::Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

QSize OverviewRow::sizeHint() const { return {kLeastWidth, m_theme.heightFor(TextStyle::Body, kHeight)}; }

void OverviewRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (isDown() || underMouse()) painter.fillRect(rect(), m_theme.color(isDown() ? Role::Pressed : Role::Hover));
    if (hasFocus() && property("keyboardFocus").toBool()) {
        painter.setPen(QPen(m_theme.color(Role::Focus), style::edge::kFocusWidth));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
    QRect row = rect().adjusted(style::space::kCardPaddingXWide, 0, -style::space::kCardPaddingXWide, 0);
    const int icon = m_theme.iconSize(style::icon_size::kControl);
    painter.drawPixmap(
        row.left(), row.center().y() - icon / 2,
        style::iconPixmap(m_theme, m_iconName, isEnabled() ? Role::MutedText : Role::DisabledText, icon, devicePixelRatioF()));
    row.setLeft(row.left() + icon + style::space::kM);
    if (!m_action.isEmpty()) {
        const int width = QFontMetrics(m_theme.font(TextStyle::Body)).horizontalAdvance(m_action) + 1;
        draw(painter, {row.right() - width, row.top(), width + 1, row.height()}, TextStyle::Body, Role::Accent, m_action);
        row.setRight(row.right() - width - style::space::kM);
    }
    QString title = text();
    title.replace(QStringLiteral("&&"), QStringLiteral("&"));
    draw(painter, row, TextStyle::Strong, Role::Text, title);
    row.setLeft(row.left() + QFontMetrics(m_theme.font(TextStyle::Strong)).horizontalAdvance(title) + style::space::kM);
    if (row.width() > style::space::kXxl) draw(painter, row, TextStyle::Small, Role::MutedText, m_detail);
}

void OverviewRow::draw(QPainter& painter, const QRect& area, TextStyle style, Role role, const QString& words) const {
    painter.setFont(m_theme.font(style));
    painter.setPen(m_theme.color(isEnabled() ? role : Role::DisabledText));
    painter.drawText(area, Qt::AlignVCenter | Qt::TextSingleLine, painter.fontMetrics().elidedText(words, Qt::ElideMiddle, area.width()));
}

}  // namespace lockstep::pages
