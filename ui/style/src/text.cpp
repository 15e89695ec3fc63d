#include <style/text.h>

#include <QEvent>
#include <QPainter>

namespace lockstep::style {

Label::Label(const Theme& theme, const QString& text, TextStyle style, Role role, QWidget* parent)
    : QLabel(text, parent), m_theme(theme), m_style(style), m_role(role) {
    setTextFormat(Qt::PlainText);
    connect(&theme, &Theme::changed, this, &Label::refresh);
    refresh();
}

void Label::setRole(Role role) {
    if (role == m_role) return;
    m_role = role;
    refresh();
}

void Label::refresh() {
    setFont(m_theme.font(m_style));
    setForegroundRole(QPalette::WindowText);  // else it follows the background that stands behind it
    QPalette own;
    own.setColor(QPalette::Active, QPalette::WindowText, m_theme.color(m_role));
    own.setColor(QPalette::Inactive, QPalette::WindowText, m_theme.color(m_role));
    own.setColor(QPalette::Disabled, QPalette::WindowText, m_theme.color(Role::DisabledText));
    own.setColor(QPalette::Link, m_theme.color(Role::Accent));
    setPalette(own);
}

ElidedLabel::ElidedLabel(const Theme& theme, const QString& text, TextStyle style, Role role, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_text(text), m_style(style), m_role(role) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    setAccessibleName(text);
    connect(&theme, &Theme::changed, this, &ElidedLabel::refresh);
    refresh();
}

void ElidedLabel::setText(const QString& text) {
    if (text == m_text) return;
    m_text = text;
    setAccessibleName(text);
    setToolTip(isElided() ? m_text : QString());
    updateGeometry();
    update();
}

void ElidedLabel::setRole(Role role) {
    m_role = role;
    update();
}

void ElidedLabel::setElideMode(Qt::TextElideMode mode) {
    m_mode = mode;
    update();
}

void ElidedLabel::setAlignment(Qt::Alignment alignment) {
    m_alignment = alignment;
    update();
}

bool ElidedLabel::isElided() const { return fontMetrics().horizontalAdvance(m_text) > width(); }

QSize ElidedLabel::sizeHint() const {
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(m_text) + (m_text.isEmpty() ? 0 : 1), metrics.height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    const QFontMetrics metrics(font());
    return {std::min(sizeHint().width(), metrics.horizontalAdvance(QStringLiteral("m…"))), metrics.height()};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(m_theme.color(isEnabled() ? m_role : Role::DisabledText));
    painter.drawText(rect(), static_cast<int>(m_alignment) | Qt::TextSingleLine, fontMetrics().elidedText(m_text, m_mode, width()));
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    setToolTip(isElided() ? m_text : QString());
}

void ElidedLabel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) updateGeometry();
    QWidget::changeEvent(event);
}

void ElidedLabel::refresh() {
    setFont(m_theme.font(m_style));
    setToolTip(isElided() ? m_text : QString());
    updateGeometry();
    update();
}

IconLabel::IconLabel(const Theme& theme, const QString& name, Role role, int size, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_name(name), m_role(role), m_size(size) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

QSize IconLabel::sizeHint() const {
    const int size = m_theme.iconSize(m_size);
    return {size, size};
}

void IconLabel::setIcon(const QString& name, Role role) {
    m_name = name;
    m_role = role;
    update();
}

void IconLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.drawPixmap(
        0, 0, iconPixmap(m_theme, m_name, isEnabled() ? m_role : Role::DisabledText, m_theme.iconSize(m_size), devicePixelRatioF()));
}

}  // namespace lockstep::style
