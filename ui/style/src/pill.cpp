#include <style/pill.h>
#include <text/format.h>

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace lockstep::style {
namespace {

constexpr int kDot = 8;
constexpr int kCounterHeight = 16;
constexpr int kCounterPadding = 5;
constexpr int kChipPadding = 7;
constexpr int kMostShown = 999;

QFont pillFont(const Theme& theme) {
    QFont font = theme.font(TextStyle::Small);
    font.setBold(true);
    return font;
}

int pillPadding(const Pill& pill) { return pill.size == PillSize::Small ? 8 : 10; }

void paintTag(QWidget& widget, const Theme& theme, Tone tone, double corner, const QString& text) {
    QPainter painter(&widget);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.color(tintOf(tone)));
    painter.drawRoundedRect(widget.rect(), corner, corner);
    painter.setPen(theme.color(roleOf(tone)));
    painter.setFont(theme.font(TextStyle::Caption));
    painter.drawText(widget.rect(), Qt::AlignCenter, text);
}

int markWidth(const Theme& theme, const Pill& pill) { return theme.iconSize(pill.icon.isEmpty() ? kDot : icon_size::kInline); }

}  // namespace

Role roleOf(Tone tone) {
    switch (tone) {
        case Tone::Neutral: return Role::MutedText;
        case Tone::Good: return Role::Success;
        case Tone::Warning: return Role::Warning;
        case Tone::Bad: return Role::Error;
    }
    return Role::MutedText;
}

Role tintOf(Tone tone) {
    switch (tone) {
        case Tone::Neutral: return Role::Hover;
        case Tone::Good: return Role::SuccessTint;
        case Tone::Warning: return Role::WarningTint;
        case Tone::Bad: return Role::ErrorTint;
    }
    return Role::Hover;
}

QSize pillSize(const Theme& theme, const Pill& pill) {
    const int words = QFontMetrics(pillFont(theme)).horizontalAdvance(pill.word);
    const int least = pill.size == PillSize::Small ? control::kPillSmall : control::kPill;
    return {2 * pillPadding(pill) + markWidth(theme, pill) + space::kIconTextGap + words, theme.heightFor(TextStyle::Small, least)};
}

void paintPill(QPainter& painter, const QRect& area, const Theme& theme, const Pill& pill) {
    const QSize size = pillSize(theme, pill);
    QRect box(area.left(), area.top() + (area.height() - size.height()) / 2, std::min(size.width(), area.width()), size.height());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.color(tintOf(pill.tone)));
    painter.drawRoundedRect(box, box.height() / 2.0, box.height() / 2.0);
    const int mark = markWidth(theme, pill);
    QRect markBox(box.left() + pillPadding(pill), box.top() + (box.height() - mark) / 2, mark, mark);
    if (pill.icon.isEmpty()) {
        painter.setBrush(theme.color(roleOf(pill.tone)));
        painter.drawEllipse(markBox);
    } else {
        painter.drawPixmap(markBox.topLeft(), iconPixmap(theme, pill.icon, roleOf(pill.tone), mark, painter.device()->devicePixelRatioF()));
    }
    painter.setPen(theme.color(roleOf(pill.tone)));
    painter.setFont(pillFont(theme));
    const QRect words(markBox.right() + 1 + space::kIconTextGap, box.top(), box.right() - markBox.right() - space::kIconTextGap,
                      box.height());
    painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, pill.word);
    painter.restore();
}

Mark::Mark(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void Mark::contentChanged(bool hasContent) {
    m_hasContent = hasContent;
    if (parentWidget() != nullptr) setVisible(hasContent);
    updateGeometry();
    update();
}

void Mark::changeEvent(QEvent* event) {
    if (event->type() == QEvent::ParentChange && parentWidget() != nullptr) setVisible(m_hasContent);
    QWidget::changeEvent(event);
}

StatePill::StatePill(const Theme& theme, Pill pill, QWidget* parent) : Mark(theme, parent) { setPill(pill); }

void StatePill::setPill(const Pill& pill) {
    m_pill = pill;
    setAccessibleName(pill.word);
    contentChanged(!pill.word.isEmpty());
}

QSize StatePill::sizeHint() const { return pillSize(theme(), m_pill); }

void StatePill::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintPill(painter, rect(), theme(), m_pill);
}

Counter::Counter(const Theme& theme, Tone tone, QWidget* parent) : Mark(theme, parent), m_tone(tone) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    contentChanged(false);
}

void Counter::setCount(int count) {
    if (count == m_count) return;
    m_count = count;
    contentChanged(count > 0);
}

void Counter::setTone(Tone tone) {
    m_tone = tone;
    update();
}

QString Counter::text() const { return m_count > kMostShown ? QStringLiteral("999+") : text::formatInteger(m_count); }

QSize Counter::sizeHint() const {
    const int height = theme().heightFor(TextStyle::Caption, kCounterHeight);
    const int words = QFontMetrics(theme().font(TextStyle::Caption)).horizontalAdvance(text());
    return {std::max(height, words + 2 * kCounterPadding), height};
}

void Counter::paintEvent(QPaintEvent*) { paintTag(*this, theme(), m_tone, height() / 2.0, text()); }

Chip::Chip(const Theme& theme, const QString& text, Tone tone, QWidget* parent) : Mark(theme, parent), m_tone(tone) { setText(text); }

void Chip::setText(const QString& text) {
    m_text = text;
    setAccessibleName(text);
    contentChanged(!text.isEmpty());
}

QSize Chip::sizeHint() const {
    const int words = QFontMetrics(theme().font(TextStyle::Caption)).horizontalAdvance(m_text);
    return {words + 2 * kChipPadding, theme().heightFor(TextStyle::Caption, control::kChip)};
}

void Chip::paintEvent(QPaintEvent*) { paintTag(*this, theme(), m_tone, radius::kChip, m_text); }

}  // namespace lockstep::style
