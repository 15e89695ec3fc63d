#include <style/card.h>

#include "flow_layout.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QVBoxLayout>

#include <cmath>

namespace lockstep::style {
namespace {

constexpr int kBarSteps = 1000;
constexpr int kCommandGap = 10;
constexpr int kLinePadding = (layout::kChartStrip - control::kHeight) / 2;

QHBoxLayout* plainRow(int spacing) {
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    return row;
}

void keepMinimumHeight(const Theme& theme, QWidget* widget, TextStyle style, int least) {
    const auto set = [&theme, widget, style, least] { widget->setMinimumHeight(theme.heightFor(style, least)); };
    QObject::connect(&theme, &Theme::changed, widget, set);
    set();
}

}  // namespace

Card::Card(const Theme& theme, const QString& title, CardHeader header, QWidget* parent) : QFrame(parent) {
    setProperty("card", true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(edge::kWidth, edge::kWidth, edge::kWidth, edge::kWidth);
    column->setSpacing(0);
    if (header != CardHeader::None) {
        const bool wide = header == CardHeader::Wide;
        auto* strip = new QWidget(this);
        keepMinimumHeight(theme, strip, TextStyle::Strong, wide ? layout::kCardHeaderWide - 2 : layout::kCardHeader);
        strip->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        auto* row = new QHBoxLayout(strip);
        const int padding = wide ? space::kCardPaddingXWide : space::kCardPaddingX;
        row->setContentsMargins(padding, 0, padding, 0);
        row->setSpacing(space::kS);
        m_title = new Label(theme, title, TextStyle::Strong, Role::Text, strip);
        m_caption = new ElidedLabel(theme, {}, TextStyle::Caption, Role::MutedText, strip);
        m_start = plainRow(space::kS);
        m_end = plainRow(space::kS);
        row->addWidget(m_title);
        row->addWidget(m_caption);
        row->addLayout(m_start);
        row->addStretch(1);
        row->addLayout(m_end);
        column->addWidget(strip);
        if (wide) column->addWidget(new Divider(Qt::Horizontal, Divider::Weight::Edge, this));
    }
    m_body = new QVBoxLayout;
    m_body->setContentsMargins(0, 0, 0, 0);
    m_body->setSpacing(0);
    column->addLayout(m_body, 1);
    setAccessibleName(title);
}

void Card::setTitle(const QString& title) {
    setAccessibleName(title);
    if (m_title != nullptr) m_title->setText(title);
}

void Card::setCaption(const QString& caption) {
    if (m_caption != nullptr) m_caption->setText(caption);
}

void Card::addToHeader(QWidget* widget) {
    if (m_start != nullptr) m_start->addWidget(widget);
}

void Card::addToHeaderEnd(QWidget* widget) {
    if (m_end != nullptr) m_end->addWidget(widget);
}

KeyFigure::KeyFigure(const Theme& theme, const QString& caption, QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_caption = new Label(theme, caption, TextStyle::Caption, Role::MutedText, this);
    m_captionEnd = new ElidedLabel(theme, {}, TextStyle::Caption, Role::MutedText, this);
    m_value = new Label(theme, QStringLiteral("–"), TextStyle::Stat, Role::Text, this);
    m_unit = new ElidedLabel(theme, {}, TextStyle::Small, Role::MutedText, this);
    m_note = new Label(theme, {}, TextStyle::Small, Role::Warning, this);
    m_bar = new QProgressBar(this);
    auto* top = plainRow(space::kS);
    top->addWidget(m_caption);
    top->addStretch(1);
    top->addWidget(m_captionEnd);
    auto* bottom = plainRow(space::kIconTextGap);
    bottom->addWidget(m_value);
    bottom->addWidget(m_unit, 0, Qt::AlignBottom);
    bottom->addWidget(m_note, 0, Qt::AlignBottom);
    bottom->addStretch();  // weight 0: first the words get what they want
    // The small text stands on the base line of the large one.
    const auto align = [this, &theme] {
        const int drop = QFontMetrics(theme.font(TextStyle::Stat)).descent() - QFontMetrics(theme.font(TextStyle::Small)).descent();
        m_unit->setContentsMargins(0, 0, 0, drop);
        m_note->setContentsMargins(0, 0, 0, drop);
        m_unit->setMinimumHeight(m_unit->sizeHint().height() + drop);
    };
    connect(&theme, &Theme::changed, this, align);
    align();
    column->addLayout(top);
    column->addLayout(bottom);
    column->addStretch(1);
    column->addWidget(m_bar);
    m_bar->setRange(0, kBarSteps);
    m_bar->setTextVisible(false);
    m_bar->hide();
    m_note->hide();
    // After the label's own handler, which sets the regular weight.
    connect(&theme, &Theme::changed, this, &KeyFigure::strengthenNote);
    updateName();
}

void KeyFigure::setCaption(const QString& caption) {
    m_caption->setText(caption);
    updateName();
}

void KeyFigure::setCaptionEnd(const QString& text) { m_captionEnd->setText(text); }

void KeyFigure::setValue(const QString& value, const QString& unit) {
    m_value->setText(value);
    m_unit->setText(unit);
    updateName();
}

void KeyFigure::setNote(const QString& note, Tone tone) {
    m_note->setText(note);
    m_note->setRole(roleOf(tone));
    strengthenNote();
    m_note->setVisible(!note.isEmpty());
    updateName();
}

void KeyFigure::strengthenNote() {
    QFont strong = m_note->font();
    strong.setBold(true);
    m_note->setFont(strong);
}

void KeyFigure::setProgress(double ratio) {
    m_bar->setVisible(ratio >= 0);
    m_bar->setValue(static_cast<int>(std::lround(std::clamp(ratio, 0.0, 1.0) * kBarSteps)));
    m_bar->setAccessibleName(m_caption->text());
}

void KeyFigure::setStale(bool stale) { m_value->setRole(stale ? Role::MutedText : Role::Text); }

void KeyFigure::updateName() {
    setAccessibleName(QStringLiteral("%1: %2 %3 %4").arg(m_caption->text(), m_value->text(), m_unit->text(), m_note->text()).simplified());
}

EmptyState::EmptyState(const Theme& theme, const QString& iconName, const QString& reason, const QString& hint, QWidget* parent)
    : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::kL, space::kXl, space::kL, space::kXl);
    column->setSpacing(space::kS);
    m_reason = new Label(theme, {}, TextStyle::Body, Role::Text, this);
    m_hint = new Label(theme, {}, TextStyle::Small, Role::MutedText, this);
    for (Label* label : {m_reason, m_hint}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
    }
    m_hint->setTextFormat(Qt::RichText);
    m_hint->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_buttons = plainRow(space::kS);
    column->addStretch(1);
    column->addWidget(new IconLabel(theme, iconName, Role::DisabledText, icon_size::kEmpty, this), 0, Qt::AlignHCenter);
    column->addWidget(m_reason);
    column->addWidget(m_hint);
    auto* centred = plainRow(0);
    centred->addStretch(1);
    centred->addLayout(m_buttons);
    centred->addStretch(1);
    column->addLayout(centred);
    column->addStretch(1);
    connect(m_hint, &QLabel::linkActivated, this, &EmptyState::linkActivated);
    setTexts(reason, hint);
}

void EmptyState::setTexts(const QString& reason, const QString& hint) {
    m_reason->setText(reason);
    QString linked = hint;
    m_hint->setText(linked.replace(QStringLiteral("<a "), QStringLiteral("<a style=\"text-decoration:none\" ")));
    m_hint->setVisible(!hint.isEmpty());
    // Without a link the hint is no stop of the tab key.
    m_hint->setFocusPolicy(hint.contains(QLatin1String("href")) ? Qt::StrongFocus : Qt::NoFocus);
    setAccessibleName(reason);
}

void EmptyState::addButton(QPushButton* button) { m_buttons->addWidget(button); }

PageHeader::PageHeader(const Theme& theme, const QString& title, const QString& sentence, QWidget* parent) : QWidget(parent) {
    keepMinimumHeight(theme, this, TextStyle::Page, layout::kPageHeader);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);  // the page has its own padding
    row->setSpacing(space::kM);
    m_sentence = new ElidedLabel(theme, sentence, TextStyle::Body, Role::MutedText, this);
    m_actions = plainRow(space::kS);
    row->addWidget(new Label(theme, title, TextStyle::Page, Role::Text, this));
    row->addWidget(m_sentence, 1);
    row->addLayout(m_actions);
}

void PageHeader::setSentence(const QString& sentence) { m_sentence->setText(sentence); }

void PageHeader::addAction(QWidget* widget) { m_actions->addWidget(widget); }

CommandBar::CommandBar(const Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_row(new FlowLayout(this, space::kS, kLinePadding)) {
    keepMinimumHeight(theme, this, TextStyle::Body, layout::kChartStrip);
    // Not Fixed: that would keep it to the height of one line.
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    m_row->setContentsMargins(space::kPagePadding, 0, space::kPagePadding, 0);
}

void CommandBar::addCaption(const QString& text) { m_pendingCaption = new Label(m_theme, text, TextStyle::Small, Role::MutedText, this); }

void CommandBar::add(QWidget* widget) {
    if (m_pendingCaption != nullptr) {
        m_pendingCaption->setBuddy(widget);
        if (widget->accessibleName().isEmpty()) widget->setAccessibleName(m_pendingCaption->text());
        // The two stay together when the bar goes on in a second line.
        auto* both = new QWidget(this);
        auto* row = new QHBoxLayout(both);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(space::kS);
        m_pendingCaption->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
        row->addWidget(m_pendingCaption);
        row->addWidget(widget);
        m_pendingCaption = nullptr;
        widget = both;
    }
    m_row->addWidget(widget);
}

void CommandBar::addGap() { m_row->addGap(kCommandGap); }

void CommandBar::addStretch() { m_row->addBreak(); }

}  // namespace lockstep::style
