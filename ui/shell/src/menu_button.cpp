#include "menu_button.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>

#include <algorithm>

namespace lockstep::shell {

using style::Role;
using style::TextStyle;

namespace {

constexpr int kPadding = 12;
constexpr int kGap = 8;

}  // namespace

MenuButton::MenuButton(const style::Theme& theme, Edge edge, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_edge(edge), m_menu(new QMenu(this)) {
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(this, &QAbstractButton::clicked, this, &MenuButton::openMenu);
    connect(&theme, &style::Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void MenuButton::setTexts(const QString& iconName, Role iconRole, const QString& name, const QString& detail) {
    m_iconName = iconName;
    m_iconRole = iconRole;
    m_name = name;
    m_detail = detail;
    const QString whole = detail.isEmpty() ? name : name + QStringLiteral(", ") + detail;
    setAccessibleName(whole);
    setToolTip(whole);
    updateGeometry();
    update();
}

void MenuButton::setStrong(bool strong) {
    m_strong = strong;
    updateGeometry();
    update();
}

int MenuButton::iconWidth() const { return m_theme.iconSize(style::icon_size::kNav); }
int MenuButton::chevronWidth() const { return m_theme.iconSize(style::icon_size::kInline); }
int MenuButton::fixedWidth() const { return 2 * kPadding + iconWidth() + 2 * kGap + chevronWidth(); }

QFont MenuButton::nameFont() const { return m_theme.font(m_strong ? TextStyle::Strong : TextStyle::Body); }

QSize MenuButton::sizeHint() const {
    const int name = QFontMetrics(nameFont()).horizontalAdvance(m_name);
    const int detail = m_detail.isEmpty() ? 0 : kGap + QFontMetrics(m_theme.font(TextStyle::Body)).horizontalAdvance(m_detail);
    return {fixedWidth() + name + detail + 2, m_theme.heightFor(TextStyle::Body, style::control::kHeight)};
}

QSize MenuButton::minimumSizeHint() const { return {fixedWidth() + m_theme.iconSize(40), sizeHint().height()}; }

void MenuButton::keyPressEvent(QKeyEvent* event) {
    const bool opens = event->key() == Qt::Key_Down || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (!opens) return QAbstractButton::keyPressEvent(event);
    openMenu();
}

void MenuButton::openMenu() {
    m_menu->setMinimumWidth(std::min(width(), 320));
    m_menu->popup(mapToGlobal(QPoint(0, height() + 2)));
}

void MenuButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool focus = hasFocus() && property("keyboardFocus").toBool();
    const Role fill = isDown() ? Role::Pressed : underMouse() ? Role::Hover : Role::Surface;
    const double inset = focus ? 1.0 : 0.5;
    painter.setBrush(m_theme.color(fill));
    if (focus)
        painter.setPen(QPen(m_theme.color(Role::Focus), style::edge::kFocusWidth));
    else
        painter.setPen(m_edge == Edge::Line ? QPen(m_theme.color(Role::Border)) : QPen(Qt::NoPen));
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), style::radius::kControl, style::radius::kControl);

    const double ratio = devicePixelRatioF();
    const int icon = iconWidth(), chevron = chevronWidth();
    const int middle = height() / 2;
    painter.drawPixmap(kPadding, middle - icon / 2, style::iconPixmap(m_theme, m_iconName, m_iconRole, icon, ratio));
    int x = kPadding + icon + kGap;
    const int room = width() - x - kGap - chevron - kPadding;
    painter.setFont(nameFont());
    painter.setPen(m_theme.color(Role::Text));
    const QString name = painter.fontMetrics().elidedText(m_name, Qt::ElideRight, room);
    painter.drawText(QRect(x, 0, room, height()), Qt::AlignVCenter | Qt::TextSingleLine, name);
    const int used = painter.fontMetrics().horizontalAdvance(name);
    if (!m_detail.isEmpty() && room - used - kGap > 40) {
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::MutedText));
        const QRect rest(x + used + kGap, 0, room - used - kGap, height());
        painter.drawText(rest, Qt::AlignVCenter | Qt::TextSingleLine,
                         painter.fontMetrics().elidedText(m_detail, Qt::ElideRight, rest.width()));
    }
    // With an edge the chevron stands at the right, without one after the name.
    const int chevronX = m_edge == Edge::Line ? width() - kPadding - chevron : x + used + kGap;
    painter.drawPixmap(chevronX, middle - chevron / 2,
                       style::iconPixmap(m_theme, QStringLiteral("chevron-down"), Role::MutedText, chevron, ratio));
}

}  // namespace lockstep::shell
