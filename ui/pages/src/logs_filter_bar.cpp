#include "logs_filter_bar.h"

#include <QAction>
#include <QFontMetrics>
#include <QLineEdit>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace lockstep::pages {

using style::Role;
using style::TextStyle;

namespace {

constexpr int kTypingMilliseconds = 150;
constexpr int kLongestPattern = 500;
constexpr int kFieldRest = 56;  // beside the words: icon, edges, the button that clears
constexpr int kFieldMost = 460;

// Small letters mean both, as in most editors.
QRegularExpression::PatternOptions optionsFor(const QString& text) {
    const bool big = std::ranges::any_of(text, [](QChar c) { return c.isUpper(); });
    return big ? QRegularExpression::NoPatternOption : QRegularExpression::CaseInsensitiveOption;
}

}  // namespace

LogsFilterBar::LogsFilterBar(const style::Theme& theme, QWidget* parent) : QWidget(parent) {
    auto* bar = new style::CommandBar(theme, this);
    m_levels = new style::SegmentedControl(theme, tr("Least level"), style::ControlSize::Normal, this);
    m_levels->setObjectName(QStringLiteral("logs.filter.level"));
    m_levels->addSegment(QStringLiteral("all"), tr("All"));
    m_levels->addSegment(QStringLiteral("info"), tr("Info"), tr("Information, warnings and errors"));
    m_levels->addSegment(QStringLiteral("warning"), tr("Warnings"), tr("Warnings and errors"));
    m_levels->addSegment(QStringLiteral("error"), tr("Errors"));
    m_field = new QLineEdit(this);
    m_field->setObjectName(QStringLiteral("logs.filter.pattern"));
    m_field->setAccessibleName(tr("Pattern"));
    m_field->setPlaceholderText(tr("Regular expression"));
    m_field->setToolTip(tr("Shows the lines that match; small letters match capitals too (Ctrl+F)"));
    m_field->setProperty("controlSize", "small");
    m_field->setClearButtonEnabled(true);
    m_field->setMaxLength(kLongestPattern);
    const auto widen = [this, &theme] {
        const QFontMetrics metrics(theme.font(TextStyle::Body));
        m_field->setMinimumWidth(metrics.horizontalAdvance(m_field->placeholderText()) + kFieldRest);
        m_field->setMaximumWidth(static_cast<int>(kFieldMost * theme.textScale()));
    };
    connect(&theme, &style::Theme::changed, this, widen);
    widen();
    auto* search = m_field->addAction(style::icon(theme, QStringLiteral("filter")), QLineEdit::LeadingPosition);
    connect(&theme, &style::Theme::changed, search, [search, &theme] { search->setIcon(style::icon(theme, QStringLiteral("filter"))); });
    m_count = new style::Label(theme, QString(), TextStyle::Small, Role::MutedText, this);
    m_count->setObjectName(QStringLiteral("logs.filter.count"));
    m_problem = new style::Label(theme, QString(), TextStyle::Small, Role::Error, this);
    m_problem->setObjectName(QStringLiteral("logs.filter.problem"));
    m_problem->setWordWrap(true);
    m_problem->setContentsMargins(style::space::kL, 0, style::space::kL, style::space::kXs);
    m_problem->hide();
    bar->addCaption(tr("Level"));
    bar->add(m_levels);
    bar->addGap();
    bar->addCaption(tr("Pattern"));
    bar->add(m_field);
    bar->addStretch();
    bar->add(m_count);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(m_problem);

    m_typing.setSingleShot(true);
    m_typing.setInterval(kTypingMilliseconds);
    connect(m_field, &QLineEdit::textChanged, &m_typing, qOverload<>(&QTimer::start));
    connect(m_field, &QLineEdit::returnPressed, this, &LogsFilterBar::takePattern);
    connect(&m_typing, &QTimer::timeout, this, &LogsFilterBar::takePattern);
    connect(m_levels, &style::SegmentedControl::chosenByPerson, this, &LogsFilterBar::changed);
}

void LogsFilterBar::takePattern() {
    m_typing.stop();
    const auto text = m_field->text();
    const QRegularExpression pattern(text, optionsFor(text));
    const bool valid = pattern.isValid();
    m_field->setProperty("invalid", !valid);
    m_field->style()->unpolish(m_field);
    m_field->style()->polish(m_field);
    m_problem->setVisible(!valid);
    if (!valid) {
        m_problem->setText(tr("This is no pattern: %1 (at character %2). The last valid one stays in force.")
                               .arg(pattern.errorString())
                               .arg(pattern.patternErrorOffset() + 1));
        return;
    }
    m_problem->setText(QString());
    if (pattern == m_pattern) return;
    m_pattern = pattern;
    emit changed();
}

models::LogLevel LogsFilterBar::lowest() const {
    const auto level = m_levels->chosen();
    if (level == QLatin1String("error")) return models::LogLevel::Error;
    if (level == QLatin1String("warning")) return models::LogLevel::Warning;
    return level == QLatin1String("info") ? models::LogLevel::Info : models::LogLevel::Debug;
}

QString LogsFilterBar::problem() const { return m_problem->text(); }

void LogsFilterBar::setCount(const QString& text) { m_count->setText(text); }

void LogsFilterBar::clear() {
    m_levels->choose(QStringLiteral("all"));
    m_field->clear();
    takePattern();
    emit changed();
}

void LogsFilterBar::focusPattern() {
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

}  // namespace lockstep::pages
