#include <pages/preferences_page.h>

#include <style/card.h>

#include <QComboBox>
#include <QGridLayout>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

namespace lockstep::pages {
namespace {

constexpr int kFieldWidth = 200;
constexpr const char* kModeIds[] = {"system", "light", "dark"};

}  // namespace

PreferencesPage::PreferencesPage(const style::Theme& theme, QWidget* parent) : Page(parent) {
    setObjectName("preferences");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(style::space::kPagePadding, 0, style::space::kPagePadding, style::space::kPagePadding);
    column->addWidget(
        new style::PageHeader(theme, tr("Preferences"), tr("They hold for every project of yours and take effect at once."), this));
    auto* card = new style::Card(theme, tr("Look"), style::CardHeader::Wide, this);
    card->body()->addWidget(makeRows(theme));
    const auto grow = [card, &theme] { card->setMaximumWidth(static_cast<int>(style::layout::kEmptyColumn * theme.textScale())); };
    connect(&theme, &style::Theme::changed, card, grow);
    grow();
    column->addWidget(card);
    column->addStretch(1);
}

QWidget* PreferencesPage::makeRows(const style::Theme& theme) {
    auto* rows = new QWidget(this);
    auto* form = new QGridLayout(rows);
    form->setContentsMargins(style::space::kL, style::space::kM, style::space::kL, style::space::kL);
    form->setHorizontalSpacing(style::space::kXl);
    form->setVerticalSpacing(style::space::kM);
    form->setColumnStretch(2, 1);
    m_mode = new style::SegmentedControl(theme, tr("Theme"), style::ControlSize::Normal, rows);
    m_mode->setObjectName("preferences.look.theme");
    const QString names[] = {tr("System"), tr("Light"), tr("Dark")};
    for (int i = 0; i < 3; ++i) m_mode->addSegment(kModeIds[i], names[i]);
    connect(m_mode, &style::SegmentedControl::chosenByPerson, this, [this](const QString& id) {
        for (int i = 0; i < 3; ++i)
            if (id == QLatin1String(kModeIds[i])) emit modeChosen(static_cast<style::Mode>(i));
    });
    m_textSize = new QSpinBox(rows);
    m_textSize->setObjectName("preferences.look.textSize");
    m_textSize->setRange(100, 200);
    m_textSize->setSingleStep(10);
    m_textSize->setSuffix(QStringLiteral("\u202F%"));
    connect(m_textSize, &QSpinBox::valueChanged, this, [this](int percent) { emit textScaleChosen(percent / 100.0); });
    m_language = new QComboBox(rows);
    m_language->setObjectName("preferences.look.language");
    m_language->addItem(tr("As the system"), QString());
    m_language->addItem(QStringLiteral("English"), QStringLiteral("en"));
    m_language->addItem(QStringLiteral("简体中文"), QStringLiteral("zh_CN"));
    connect(m_language, &QComboBox::currentIndexChanged, this, [this] { emit languageChosen(m_language->currentData().toString()); });
    const auto addRow = [&](const QString& text, QWidget* field) {
        auto* label = new style::Label(theme, text, style::TextStyle::Body, style::Role::Text, rows);
        label->setBuddy(field);
        field->setAccessibleName(text);
        const int row = form->rowCount();
        form->addWidget(label, row, 0);
        form->addWidget(field, row, 1);
    };
    addRow(tr("Theme"), m_mode);
    addRow(tr("Text size"), m_textSize);
    addRow(tr("Language"), m_language);
    const auto grow = [this, &theme] {
        for (QWidget* field : std::initializer_list<QWidget*>{m_textSize, m_language})
            field->setMinimumWidth(static_cast<int>(kFieldWidth * theme.textScale()));
    };
    connect(&theme, &style::Theme::changed, rows, grow);
    grow();
    return rows;
}

void PreferencesPage::setChosen(style::Mode mode, double textScale, const QString& language) {
    const QSignalBlocker quietSize(m_textSize);
    const QSignalBlocker quietLanguage(m_language);
    m_mode->choose(kModeIds[static_cast<int>(mode)]);
    m_textSize->setValue(qRound(textScale * 100));
    m_language->setCurrentIndex(std::max(0, m_language->findData(language)));
}

}  // namespace lockstep::pages
