#include "page_bar.h"

#include <text/format.h>

#include <QEvent>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace lockstep::shell {

using style::Role;
using style::TextStyle;

namespace {

constexpr int kPadding = 8;
constexpr int kItemGap = 2;
constexpr int kGroupGap = 13;
constexpr int kIconLeft = 11;
constexpr int kTextLeft = 38;
constexpr int kMark = 2;
constexpr int kDot = 7;

}  // namespace

NavButton::NavButton(const style::Theme& theme, const QString& iconName, const QString& title, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_iconName(iconName) {
    setText(title);
    setAccessibleName(title);
    setCheckable(true);
    setAutoExclusive(true);
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::ClickFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(this, &QAbstractButton::toggled, this, [this](bool on) { setFocusPolicy(on ? Qt::StrongFocus : Qt::ClickFocus); });
    connect(&theme, &style::Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void NavButton::setWidth(Width width) {
    m_width = width;
    setToolTip(width == Width::Collapsed ? text() : QString());
    updateGeometry();
    update();
}

void NavButton::setBadge(int count, style::Tone tone) {
    m_badge = count;
    m_badgeTone = tone;
    setAccessibleDescription(count > 0 ? text::formatInteger(count) : QString());
    update();
}

int NavButton::textLeft() const { return kTextLeft - style::icon_size::kNav + m_theme.iconSize(style::icon_size::kNav); }

int NavButton::collapsedWidth() const {
    return style::layout::kPageBarCollapsed - style::icon_size::kNav + m_theme.iconSize(style::icon_size::kNav);
}

QSize NavButton::sizeHint() const {
    const int height = m_theme.heightFor(TextStyle::Body, style::layout::kNavItem);
    if (m_width == Width::Collapsed) return {collapsedWidth() - 2 * kPadding, height};
    return {textLeft() + QFontMetrics(m_theme.font(TextStyle::Strong)).horizontalAdvance(text()) + 24, height};
}

void NavButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool on = isChecked();
    const bool focus = hasFocus() && property("keyboardFocus").toBool();
    if (on || underMouse() || focus) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(isDown() ? Role::Pressed : on ? Role::AccentTint : underMouse() ? Role::Hover : Role::Surface));
        painter.drawRoundedRect(rect(), style::radius::kControl, style::radius::kControl);
    }
    if (on) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(Role::Accent));
        painter.drawRoundedRect(QRectF(0, height() / 2.0 - 9, style::edge::kNavMarkWidth, 18), kMark, kMark);
    }
    if (focus) {
        painter.setPen(QPen(m_theme.color(Role::Focus), style::edge::kFocusWidth));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), style::radius::kControl, style::radius::kControl);
    }
    const int size = m_theme.iconSize(style::icon_size::kNav);
    painter.drawPixmap(m_width == Width::Collapsed ? (width() - size) / 2 : kIconLeft, (height() - size) / 2,
                       style::iconPixmap(m_theme, m_iconName, on ? Role::Accent : Role::MutedText, size, devicePixelRatioF()));
    if (m_width == Width::Wide) {
        painter.setFont(m_theme.font(on ? TextStyle::Strong : TextStyle::Body));
        painter.setPen(m_theme.color(on ? Role::Text : Role::MutedText));
        painter.drawText(rect().adjusted(textLeft(), 0, -4, 0), Qt::AlignVCenter | Qt::TextSingleLine, text());
    }
    if (m_badge > 0) paintBadge(painter);
}

void NavButton::paintBadge(QPainter& painter) const {
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.color(style::roleOf(m_badgeTone)));
    if (m_width == Width::Collapsed) {
        painter.drawEllipse(QRectF(width() - kDot - 4, 5, kDot, kDot));
        return;
    }
    const QFont font = m_theme.font(TextStyle::Small);
    const QString count = text::formatInteger(m_badge);
    const int words = QFontMetrics(font).horizontalAdvance(count);
    const int right = width() - 8;
    painter.drawEllipse(QRectF(right - words - 5 - kDot, (height() - kDot) / 2.0, kDot, kDot));
    painter.setFont(font);
    painter.setPen(m_theme.color(Role::MutedText));
    painter.drawText(QRect(right - words, 0, words + 2, height()), Qt::AlignVCenter | Qt::TextSingleLine, count);
}

PageBar::PageBar(const style::Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme), m_column(new QVBoxLayout(this)) {
    setProperty("bar", true);
    setAccessibleName(tr("Pages"));
    m_column->setContentsMargins(kPadding, kPadding, kPadding, kPadding);
    m_column->setSpacing(kItemGap);
}

void PageBar::addPage(PageGroup group, const pages::Page& page) {
    auto* button = new NavButton(m_theme, page.iconName(), page.title(), this);
    const QString id = page.id();
    button->setObjectName(QStringLiteral("shell.pageBar.") + id);
    button->installEventFilter(this);
    if (group == PageGroup::Bottom && !m_bottomReached) {
        m_column->addStretch(1);
        m_bottomReached = true;
    } else if (!m_order.isEmpty() && group != m_lastGroup) {
        m_column->addSpacing(kGroupGap);
    }
    m_lastGroup = group;
    m_column->addWidget(button);
    m_buttons.insert(id, button);
    m_order.append(id);
    connect(button, &QAbstractButton::clicked, this, [this, id] { emit pageChosen(id); });
}

void PageBar::tabAfter(QWidget* before) {
    for (const QString& id : m_order) {
        QWidget::setTabOrder(before, m_buttons.value(id));
        before = m_buttons.value(id);
    }
}

void PageBar::setCurrent(const QString& id) {
    if (NavButton* button = m_buttons.value(id)) button->setChecked(true);
}

void PageBar::setBadge(const QString& id, int count, style::Tone tone) {
    if (NavButton* button = m_buttons.value(id)) button->setBadge(count, tone);
}

void PageBar::setWidth(NavButton::Width width) {
    m_width = width;
    for (NavButton* button : m_buttons) button->setWidth(width);
    setFixedWidth(wantedWidth());
}

int PageBar::wantedWidth() const {
    if (m_width == NavButton::Width::Collapsed)
        return m_buttons.isEmpty() ? style::layout::kPageBarCollapsed : (*m_buttons.begin())->collapsedWidth();
    int widest = style::layout::kPageBar;
    for (const NavButton* button : m_buttons) widest = std::max(widest, button->sizeHint().width() + 2 * kPadding);
    return widest;
}

bool PageBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            step(key == Qt::Key_Down ? 1 : -1);
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void PageBar::step(int by) {
    qsizetype at = 0;
    for (qsizetype i = 0; i < m_order.size(); ++i)
        if (m_buttons.value(m_order[i])->isChecked()) at = i;
    const qsizetype next = std::clamp<qsizetype>(at + by, 0, m_order.size() - 1);
    NavButton* button = m_buttons.value(m_order[next]);
    button->setChecked(true);
    button->setFocus(Qt::TabFocusReason);
    emit pageChosen(m_order[next]);
}

}  // namespace lockstep::shell
