#include <style/theme.h>

#include "drawing_style.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QDialog>
#include <QEvent>
#include <QFile>
#include <QFocusEvent>
#include <QFocusFrame>
#include <QFontDatabase>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QRegularExpression>
#include <QScopedValueRollback>
#include <QStyle>
#include <QWidget>

#include <algorithm>
#include <cmath>

namespace lockstep::style {
namespace {

constexpr double kMiddleLightness = 0.5;

// Outside dialogs Qt presses a button that has the focus with the space bar only; people try Enter too.
bool pressesButton(QObject* watched, const QKeyEvent& key) {
    auto* button = qobject_cast<QAbstractButton*>(watched);
    if (button == nullptr || (key.key() != Qt::Key_Return && key.key() != Qt::Key_Enter) || key.isAutoRepeat()) return false;
    if (key.modifiers() & ~Qt::KeypadModifier || !button->hasFocus() || !button->isEnabled()) return false;
    if (qobject_cast<QDialog*>(button->window()) != nullptr) return false;
    button->click();
    return true;
}

// The edge of keyboard focus is shown for focus that came by keyboard, so that a click leaves no ring behind.
void markKeyboardFocus(QWidget& widget, bool shown) {
    if (widget.property("keyboardFocus").toBool() == shown) return;
    widget.setProperty("keyboardFocus", shown);
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
    widget.update();
}

bool cameByKeyboard(Qt::FocusReason reason) {
    return reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason;
}

}  // namespace

Theme::Theme(Tokens tokens, QObject* parent) : QObject(parent), m_tokens(std::move(tokens)) {}

Theme::~Theme() {
    delete m_frame;
    // The style draws with this object; the application may live on for a moment.
    if (m_application == nullptr) return;
    m_application->setStyleSheet({});
    m_application->setStyle(QStringLiteral("Fusion"));
}

void Theme::apply(QApplication& application) {
    m_application = &application;
    if (m_mode == Mode::System) m_dark = systemIsDark();
    application.setStyle(new DrawingStyle(*this));
    application.installEventFilter(this);
    refresh();
}

void Theme::setMode(Mode mode) {
    m_mode = mode;
    const bool dark = mode == Mode::System ? systemIsDark() : mode == Mode::Dark;
    if (dark == m_dark) return;
    m_dark = dark;
    refresh();
}

void Theme::setTextScale(double scale) {
    const double clamped = std::isfinite(scale) ? std::clamp(scale, 1.0, 2.0) : 1.0;
    if (clamped == m_textScale) return;
    m_textScale = clamped;
    refresh();
}

const SeriesStyle& Theme::series(int index) const {
    const auto& all = scheme().series;
    return all[static_cast<std::size_t>(std::max(index, 0)) % all.size()];
}

QFont Theme::font(TextStyle style) const {
    const TextSpec& spec = m_tokens.text[static_cast<std::size_t>(style)];
    QFont font = QFontDatabase::systemFont(spec.mono ? QFontDatabase::FixedFont : QFontDatabase::GeneralFont);
    font.setPixelSize(static_cast<int>(std::lround(spec.px * m_textScale)));
    font.setWeight(static_cast<QFont::Weight>(spec.weight));
    return font;
}

int Theme::lineHeight(TextStyle style) const {
    return static_cast<int>(std::lround(m_tokens.text[static_cast<std::size_t>(style)].line * m_textScale));
}

int Theme::heightFor(TextStyle style, int least) const {
    const int grown = least + lineHeight(style) - m_tokens.text[static_cast<std::size_t>(style)].line;
    return std::max(grown, QFontMetrics(font(style)).height() + 2);
}

int Theme::iconSize(int token) const { return static_cast<int>(std::lround(token * m_textScale)); }

QPalette Theme::palette() const {
    struct Row {
        QPalette::ColorRole qt;
        Role ours;
    };
    static constexpr Row kRows[] = {
        {QPalette::Window, Role::Window},        {QPalette::Base, Role::Surface},
        {QPalette::Button, Role::Surface},       {QPalette::Light, Role::Surface},
        {QPalette::AlternateBase, Role::Sunken}, {QPalette::ToolTipBase, Role::Raised},
        {QPalette::WindowText, Role::Text},      {QPalette::Text, Role::Text},
        {QPalette::ButtonText, Role::Text},      {QPalette::ToolTipText, Role::Text},
        {QPalette::HighlightedText, Role::Text}, {QPalette::PlaceholderText, Role::MutedText},
        {QPalette::Link, Role::Accent},          {QPalette::LinkVisited, Role::Accent},
        {QPalette::Highlight, Role::AccentTint}, {QPalette::BrightText, Role::OnAccent},
        {QPalette::Mid, Role::Border},           {QPalette::Dark, Role::BorderStrong},
        {QPalette::Midlight, Role::Hover},       {QPalette::Shadow, Role::Border},
    };
    QPalette palette;
    for (const Row& row : kRows) palette.setColor(QPalette::All, row.qt, color(row.ours));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, color(Role::DisabledText));
    palette.setColor(QPalette::Disabled, QPalette::Base, color(Role::Sunken));
    palette.setColor(QPalette::Disabled, QPalette::Button, color(Role::Sunken));
    return palette;
}

QString Theme::styleSheet() const {
    QFile file(QStringLiteral(":/lockstep/palettes/lockstep.qss"));
    QString sheet = file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    for (const RoleRow& row : roleTable())
        sheet.replace(QStringLiteral("@%1;").arg(QLatin1String(row.token)), color(row.role).name() + u';');
    // Heights grow with the text: @height.30; is 30 at 100 %.
    static const QRegularExpression height(QStringLiteral("@height\\.(\\d+);"));
    const int grown = lineHeight(TextStyle::Body) - m_tokens.text[static_cast<std::size_t>(TextStyle::Body)].line;
    for (auto match = height.match(sheet); match.hasMatch(); match = height.match(sheet))
        sheet.replace(match.captured(0), QStringLiteral("%1px;").arg(match.captured(1).toInt() + grown));
    const auto px = [this](TextStyle style) { return QStringLiteral("%1px;").arg(font(style).pixelSize()); };
    sheet.replace(QStringLiteral("@px.caption;"), px(TextStyle::Caption));
    sheet.replace(QStringLiteral("@px.body;"), px(TextStyle::Body));
    return sheet;
}

void Theme::refresh() {
    if (m_application == nullptr) return;
    {
        const QScopedValueRollback applying(m_applying, true);
        QApplication::setPalette(palette());
        QApplication::setFont(font(TextStyle::Body));
        m_application->setStyleSheet(styleSheet());
    }
    emit changed();
}

bool Theme::systemIsDark() const {
    // Qt 6.4 knows no colour scheme of the desktop; only its palette, which is what is left when ours is taken away.
    if (m_application == nullptr) return false;
    const QPalette ours = QApplication::palette();
    const bool covered = ours.resolveMask() != 0;
    if (covered) QApplication::setPalette(QPalette());
    const bool dark = QApplication::palette().color(QPalette::Window).lightnessF() < kMiddleLightness;
    if (covered) QApplication::setPalette(ours);
    return dark;
}

void Theme::frameFocus(QWidget* widget) {
    if (m_frame == nullptr && widget == nullptr) return;
    // A frame dies with the parent of the widget it was around.
    if (m_frame == nullptr) m_frame = new QFocusFrame;
    m_frame->setWidget(widget);
}

bool Theme::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::FocusIn:
            if (auto* widget = qobject_cast<QWidget*>(watched)) {
                const bool keyboard = cameByKeyboard(static_cast<QFocusEvent*>(event)->reason());
                markKeyboardFocus(*widget, keyboard);
                frameFocus(keyboard && qobject_cast<QAbstractScrollArea*>(widget) != nullptr ? widget : nullptr);
            }
            break;
        case QEvent::FocusOut:
            if (auto* widget = qobject_cast<QWidget*>(watched)) markKeyboardFocus(*widget, false);
            break;
        case QEvent::KeyPress:
            if (pressesButton(watched, *static_cast<QKeyEvent*>(event))) return true;
            break;
        case QEvent::ThemeChange:
            if (m_mode == Mode::System && !m_applying) setMode(Mode::System);
            break;
        default: break;
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace lockstep::style
