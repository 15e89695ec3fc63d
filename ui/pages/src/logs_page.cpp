#include <pages/logs_page.h>

#include "logs_filter_bar.h"
#include "logs_sources.h"
#include "logs_view.h"

#include <text/format.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <set>

namespace lockstep::pages {

using style::Role;
using style::TextStyle;

namespace {

constexpr int kContextLines = 3;

}  // namespace

LogsPage::LogsPage(const style::Theme& theme, api::Logs& logs, QWidget* parent) : Page(parent), m_theme(theme), m_feed(logs) {
    makeActions();
    build();
    connect(&m_feed, &bridge::LogFeed::reset, this, [this] {
        m_model.clear();
        m_problem->hide();
        refreshTexts();
    });
    connect(&m_feed, &bridge::LogFeed::linesAdded, &m_model, &models::LogModel::append);
    connect(&m_feed, &bridge::LogFeed::filesChanged, this, &LogsPage::refreshTexts);
    connect(&m_feed, &bridge::LogFeed::failed, this, &LogsPage::showProblem);
    connect(&m_feed, &bridge::LogFeed::loaded, this, [this] {
        refreshTexts();
        jump();
    });
    connect(&m_model, &models::LogModel::sourcesChanged, this, &LogsPage::refreshTexts);
    connect(&m_model, &models::LogModel::filteringChanged, this, &LogsPage::refreshTexts);
    connect(&m_model, &models::LogModel::followingChanged, this, [this](bool following) { showFollowing(following); });
    connect(m_filter, &LogsFilterBar::changed, this, &LogsPage::applyFilter);
    connect(m_sources, &LogsSources::chosenByPerson, this, &LogsPage::applyFilter);
    connect(m_empty, &style::EmptyState::linkActivated, this, [this](const QString& link) {
        if (link == QLatin1String("clear")) clearFilter();
        if (link == QLatin1String("overview")) emit overviewWanted();
    });
    refreshTexts();
}

LogsPage::~LogsPage() = default;

QAction* LogsPage::makeAction(const QString& text, const QString& icon, const QKeySequence& keys, void (LogsPage::*slot)()) {
    auto* action = new QAction(style::icon(m_theme, icon), text, this);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, this, slot);
    addAction(action);
    m_actions.append(action);
    return action;
}

void LogsPage::makeActions() {
    makeAction(tr("Follow the newest line"), QStringLiteral("follow"), {}, &LogsPage::toEnd);
    makeAction(tr("Next error"), QStringLiteral("chevron-down"), Qt::Key_F8, &LogsPage::nextError);
    makeAction(tr("Previous error"), QStringLiteral("chevron-up"), Qt::SHIFT | Qt::Key_F8, &LogsPage::previousError);
    makeAction(tr("Copy lines"), QStringLiteral("copy"), QKeySequence::Copy, &LogsPage::copy);
    makeAction(tr("Copy with context"), QStringLiteral("copy"), Qt::CTRL | Qt::SHIFT | Qt::Key_C, &LogsPage::copyWithContext);
    auto* filter = new QAction(style::icon(m_theme, QStringLiteral("filter")), tr("Filter lines"), this);
    filter->setShortcut(QKeySequence::Find);  // while the page is in front, wherever the keyboard is
    filter->setShortcutContext(Qt::WindowShortcut);
    connect(filter, &QAction::triggered, this, [this] { m_filter->focusPattern(); });
    addAction(filter);
    m_actions.append(filter);
}

QWidget* LogsPage::makeLines() {
    m_view = new LogsView(m_theme, m_model, this);
    m_empty = new style::EmptyState(m_theme, QStringLiteral("logs"), QString(), QString(), this);
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_empty);
    m_filter = new LogsFilterBar(m_theme, this);
    m_problem = new style::Label(m_theme, QString(), TextStyle::Body, Role::Error, this);
    m_problem->setObjectName(QStringLiteral("logs.lines.problem"));
    m_problem->setWordWrap(true);
    m_problem->setContentsMargins(style::space::kL, style::space::kS, style::space::kL, style::space::kS);
    m_problem->hide();
    m_cut = new style::ElidedLabel(m_theme, QString(), TextStyle::Small, Role::MutedText, this);
    m_cut->setObjectName(QStringLiteral("logs.lines.cut"));
    m_cut->setContentsMargins(style::space::kM, style::space::kXs, style::space::kM, style::space::kXs);
    auto* card = new style::Card(m_theme, QString(), style::CardHeader::None, this);
    card->body()->setSpacing(0);
    card->body()->addWidget(m_filter);
    card->body()->addWidget(m_problem);
    card->body()->addWidget(m_cut);
    card->body()->addWidget(m_stack, 1);
    return card;
}

void LogsPage::build() {
    m_header = new style::PageHeader(m_theme, title(), QString(), this);
    const auto button = [&](style::ButtonKind kind, const QString& text, const QString& icon, const char* name) {
        auto* made = new style::Button(m_theme, kind, text, icon, style::ControlSize::Small, this);
        made->setObjectName(QString::fromLatin1(name));
        m_header->addAction(made);
        return made;
    };
    auto* error = button(style::ButtonKind::Outlined, tr("Next error"), QStringLiteral("chevron-down"), "logs.header.nextError");
    error->setToolTip(tr("Next error (F8), previous one (Shift+F8)"));
    connect(error, &QPushButton::clicked, this, &LogsPage::nextError);
    auto* copies = button(style::ButtonKind::Outlined, tr("Copy with context"), QStringLiteral("copy"), "logs.header.copy");
    copies->setToolTip(tr("The chosen lines with %n line(s) before and after (Ctrl+Shift+C)", nullptr, kContextLines));
    connect(copies, &QPushButton::clicked, this, &LogsPage::copyWithContext);
    m_follow = button(style::ButtonKind::Outlined, tr("Follow"), QStringLiteral("follow"), "logs.header.follow");
    m_follow->setCheckable(true);
    showFollowing(true);
    m_follow->setToolTip(tr("Stay at the newest line (End)"));
    connect(m_follow, &QPushButton::clicked, &m_model, &models::LogModel::setFollowing);

    auto* sources = new style::Card(m_theme, tr("Sources"), style::CardHeader::Small, this);
    m_sources = new LogsSources(m_theme, this);
    sources->body()->addWidget(m_sources);
    auto* lines = makeLines();
    auto* cards = new QHBoxLayout;
    cards->setSpacing(style::space::kCardGap);
    cards->addWidget(sources);
    cards->addWidget(lines, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(style::space::kPagePadding, 0, style::space::kPagePadding, style::space::kPagePadding);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addLayout(cards, 1);
}

void LogsPage::showFollowing(bool on) {
    m_follow->setChecked(on);
    m_follow->setIconName(QStringLiteral("follow"), on ? Role::Accent : Role::Text);
}

void LogsPage::activated() {
    m_inFront = true;
    if (m_run.value.empty() || m_feed.isOpen()) return;
    m_feed.open(m_run);
}

// The place is kept as a moment: the lines are read anew when the page comes back.
void LogsPage::deactivated() {
    m_inFront = false;
    if (!m_feed.isOpen()) return;
    if (!m_model.isFollowing() && !m_jump) {
        const auto index = m_model.index(m_view->currentRow() >= 0 ? m_view->currentRow() : m_view->firstVisibleRow());
        if (index.isValid())
            m_jump = Jump{index.data(models::LogModel::RankRole).toInt(), index.data(models::LogModel::TimeRole).toDouble()};
    }
    m_feed.close();
}

void LogsPage::open(const RunId& run, const QString& name) {
    m_runName = name;
    if (run != m_run) {
        m_run = run;
        m_jump.reset();
        m_feed.close();
        m_model.clear();
        m_model.setFollowing(true);
        if (m_inFront) m_feed.open(run);
    }
    refreshTexts();
}

void LogsPage::close() {
    m_feed.close();
    m_run = {};
    m_runName.clear();
    m_jump.reset();
    m_model.clear();
    refreshTexts();
}

void LogsPage::showAt(std::optional<int> rank, double unixSeconds) {
    m_jump = Jump{rank, unixSeconds};
    m_model.setFollowing(false);
    if (m_feed.isLoaded()) jump();
}

// The line must be seen, whatever the filter was.
void LogsPage::jump() {
    if (!m_jump) return;
    const auto target = *m_jump;
    m_jump.reset();
    const auto chosen = m_sources->chosen();
    if (chosen && chosen != target.rank) m_sources->choose(target.rank);
    if (!m_model.filter().letsAllThrough()) m_filter->clear();
    applyFilter();
    m_model.finishFiltering();
    if (const auto row = m_model.rowAt(target.rank, target.time)) m_view->select(*row, LogsView::Place::Middle);
    m_view->setFocus(Qt::OtherFocusReason);
}

void LogsPage::applyFilter() {
    models::LogFilter filter;
    filter.rank = m_sources->chosen();
    filter.lowest = m_filter->lowest();
    filter.pattern = m_filter->pattern();
    m_model.setFilter(filter);
    refreshTexts();
}

void LogsPage::clearFilter() {
    m_sources->choose(std::nullopt);
    m_filter->clear();
    applyFilter();
}

QString LogsPage::cutText() const {
    QStringList parts;
    for (const auto& file : m_feed.files())
        if (file.unread > 0)
            parts << tr("the first %1 of %2 of %3")
                         .arg(text::formatBytes(static_cast<double>(file.unread)), text::formatBytes(static_cast<double>(file.bytes)),
                              text::toText(file.path.string()));
    if (m_model.droppedCount() > 0) parts << tr("%1 older lines").arg(text::formatInteger(m_model.droppedCount()));
    return parts.isEmpty() ? QString() : tr("Not shown: %1. Open the file to read them.").arg(parts.join(QStringLiteral("; ")));
}

void LogsPage::refreshTexts() {
    std::set<int> ranks;
    for (const auto& file : m_feed.files()) ranks.insert(file.rank);
    m_sources->setSources(ranks, m_model.sources());
    const auto all = text::formatInteger(m_model.lineCount());
    const auto shown = text::formatInteger(static_cast<std::uint64_t>(m_model.rowCount()));
    const bool filtered = !m_model.filter().letsAllThrough();
    m_filter->setCount(!filtered               ? m_model.lineCount() == 1 ? tr("1 line") : tr("%1 lines").arg(all)
                                     : m_model.isFiltering() ? tr("%1 of %2 lines, searching").arg(shown, all)
                                               : tr("%1 of %2 lines").arg(shown, all));
    m_cut->setText(cutText());
    m_cut->setVisible(!m_cut->text().isEmpty());
    m_header->setSentence(m_runName);
    if (m_run.value.empty())
        m_empty->setTexts(tr("No run is open."), tr("<a href=\"overview\">Choose a run</a> in the overview."));
    else if (filtered && m_model.lineCount() > 0)
        m_empty->setTexts(tr("No line matches."), tr("<a href=\"clear\">Clear the filter</a>"));
    else
        m_empty->setTexts(m_feed.isLoaded() || !m_inFront ? tr("Nothing has been logged yet.") : tr("Reading the log files."),
                          tr("Lines appear here as soon as the controller or a rank writes one."));
    const bool empty = m_model.rowCount() == 0 && !m_model.isFiltering();
    m_stack->setCurrentWidget(empty ? static_cast<QWidget*>(m_empty) : m_view);
}

void LogsPage::showProblem(const Error& error) {
    const auto sentence = text::toText(error.message), next = text::toText(error.next), code = text::toText(error.code);
    m_problem->setText(QStringLiteral("%1 %2 (%3)").arg(sentence, next, code));
    m_problem->show();
    emit issueRaised(code, sentence, next);
}

void LogsPage::toEnd() { m_model.setFollowing(true); }

void LogsPage::goToError(std::optional<int> row) {
    if (row) m_view->select(*row, LogsView::Place::Middle);
}

void LogsPage::nextError() { goToError(m_model.nextError(m_view->currentRow())); }

void LogsPage::previousError() { goToError(m_model.previousError(m_view->currentRow())); }

void LogsPage::copyLines(int context) {
    if (const auto rows = m_view->selection()) QApplication::clipboard()->setText(m_model.textOf(rows->first, rows->second, context));
}

void LogsPage::copy() { copyLines(0); }

void LogsPage::copyWithContext() { copyLines(kContextLines); }

}  // namespace lockstep::pages
