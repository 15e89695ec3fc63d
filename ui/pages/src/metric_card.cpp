#include "metric_card.h"

#include <QMenu>
#include <QVBoxLayout>

namespace lockstep::pages {
namespace {

constexpr std::size_t kMostChips = 2;
constexpr int kHeaderRest = 110;  // margins, unit, menu

}  // namespace

MetricCard::MetricCard(const style::Theme& theme, const QString& title, const QString& unit, charts::ChartView* chart, int height,
                       QWidget* parent)
    : Card(theme, title, style::CardHeader::Small, parent), m_theme(theme), m_chart(chart) {
    chart->setTitle(title);
    setUnit(unit);
    for (std::size_t i = 0; i < kMostChips; ++i) {
        auto* chip = new style::Chip(theme, {}, style::Tone::Neutral, this);
        chip->hide();
        addToHeader(chip);
        m_chips << chip;
    }
    m_last = new style::Label(theme, {}, style::TextStyle::Figure, style::Role::Text, this);
    addToHeaderEnd(m_last);
    auto* more = new style::IconButton(theme, "more", tr("%1: save or copy").arg(title), this);
    more->setPopupMode(QToolButton::InstantPopup);
    fillMenu(more);
    addToHeaderEnd(more);
    body()->addWidget(chart);
    // Two more lines of the axis and the header: a card grows with its text.
    const auto grow = [this, height] {
        setFixedHeight(m_theme.heightFor(style::TextStyle::Body, height) + m_theme.heightFor(style::TextStyle::Body, 18) - 18);
    };
    connect(&theme, &style::Theme::changed, this, grow);
    grow();
}

void MetricCard::fillMenu(QWidget* button) {
    auto* menu = new QMenu(button);
    const std::pair<QString, QString> entries[] = {
        {tr("Save as PNG…"), "png"}, {tr("Save as SVG…"), "svg"}, {tr("Save values as CSV…"), "csv"}, {tr("Copy picture"), "copy"}};
    for (const auto& [text, kind] : entries) menu->addAction(text, this, [this, kind = kind] { emit exportAsked(kind); });
    qobject_cast<QToolButton*>(button)->setMenu(menu);
}

void MetricCard::setUnit(const QString& unit) {
    setCaption(unit);
    m_chart->setUnit(unit);
}

void MetricCard::setChips(const std::vector<QString>& texts) {
    m_texts = texts;
    QStringList all;
    for (const auto& text : texts) all << text;
    setToolTip(all.join(QLatin1Char('\n')));
    showChips();
}

// Chips give way before title, value and menu do; what has no room is in the tool tip.
void MetricCard::showChips() {
    int room = width() - fontMetrics().horizontalAdvance(accessibleName()) - m_last->sizeHint().width() - kHeaderRest;
    for (std::size_t i = 0; i < kMostChips; ++i) {
        auto* chip = m_chips[static_cast<qsizetype>(i)];
        if (i < m_texts.size()) chip->setText(m_texts[i]);
        room -= i < m_texts.size() ? chip->sizeHint().width() + style::space::kS : 0;
        chip->setVisible(i < m_texts.size() && room >= 0);
    }
}

void MetricCard::resizeEvent(QResizeEvent* event) {
    Card::resizeEvent(event);
    showChips();
}

}  // namespace lockstep::pages
