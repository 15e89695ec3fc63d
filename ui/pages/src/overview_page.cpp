#include "overview_cards.h"
#include "overview_hero.h"
#include "overview_runs.h"

#include <pages/overview_page.h>

#include <QBoxLayout>
#include <QScrollArea>

#include <algorithm>

namespace lockstep::pages {
namespace {

constexpr int kTopMarginFirst = 40, kTopMarginLater = 20;
constexpr int kOneColumnBelow = 720;  // of the column: the two cards stand under each other
constexpr int kCardGap = style::space::kL;

}  // namespace

OverviewPage::OverviewPage(const style::Theme& theme, QWidget* parent) : Page(parent), m_theme(theme) {
    auto* outside = new QVBoxLayout(this);
    outside->setContentsMargins(0, 0, 0, 0);
    auto* area = new QScrollArea(this);
    area->setObjectName(QStringLiteral("overview.scroll"));
    area->setAccessibleName(tr("Overview"));
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    outside->addWidget(area);
    auto* inside = new QWidget(area);
    auto* centred = new QHBoxLayout(inside);
    centred->setContentsMargins(style::space::kPagePadding, 0, style::space::kPagePadding, 0);
    m_column = new QWidget(inside);
    centred->addWidget(m_column);
    area->setWidget(inside);
    // What has only the page behind it stays the colour of the page.
    area->viewport()->setAutoFillBackground(false);
    inside->setAutoFillBackground(false);

    m_heading = new OverviewHeading(theme, m_column);
    m_hero = new OverviewHero(theme, m_column);
    m_facts = new OverviewFacts(theme, m_column);
    m_steps = new OverviewSteps(theme, m_column);
    m_runs = new OverviewRuns(theme, m_column);
    m_projects = new OverviewProjects(theme, m_column);
    m_experiments = new OverviewExperiments(theme, m_column);
    for (OverviewActions* actions : {&m_heading->actions(), &m_hero->actions()}) {
        connect(actions, &OverviewActions::trySample, this, &OverviewPage::trySample);
        connect(actions, &OverviewActions::newProject, this, &OverviewPage::newProject);
        connect(actions, &OverviewActions::openProject, this, [this] { emit openProject({}); });
    }
    connect(m_runs, &OverviewRuns::openRun, this, &OverviewPage::openRun);
    connect(m_projects, &OverviewProjects::openProject, this, &OverviewPage::openProject);
    connect(m_hero, &OverviewHero::openLast, this, &OverviewPage::openProject);
    connect(m_experiments, &OverviewExperiments::runExperiment, this, &OverviewPage::runExperiment);
    connect(m_runs, &OverviewRuns::heightChanged, this, [this] { m_column->updateGeometry(); });
    connect(&theme, &style::Theme::changed, this, &OverviewPage::arrange);
    arrange();
}

// Laid out anew when runs come or go and when the width changes between one and two columns.
void OverviewPage::arrange() {
    const bool first = m_runs->isEmpty();
    m_column->setMaximumWidth(static_cast<int>(style::layout::kEmptyColumn * m_theme.textScale()));
    const int width = std::min(m_column->maximumWidth(), this->width() - 2 * style::space::kPagePadding);
    const bool narrow = width < kOneColumnBelow * m_theme.textScale();
    const bool project = !m_experiments->isEmpty();
    const Arrangement wanted{first, narrow, project};
    if (m_column->layout() != nullptr && wanted == m_arrangement) return;
    m_arrangement = wanted;
    delete m_column->layout();
    auto* column = new QVBoxLayout(m_column);
    column->setContentsMargins(0, first ? kTopMarginFirst : kTopMarginLater, 0, style::space::kXl);
    column->setSpacing(kCardGap);
    auto* pair = new QBoxLayout(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    pair->setSpacing(kCardGap);
    pair->addWidget(m_facts, 1);
    pair->addWidget(m_steps, 1);
    column->addWidget(m_heading);
    // What a person goes on with comes first: a run, an experiment to run, the project of last time, the sample.
    if (first && project) {
        for (QWidget* card : std::initializer_list<QWidget*>{m_experiments, m_runs, m_projects}) column->addWidget(card);
        column->addLayout(pair);
    } else if (first) {
        for (QWidget* card : std::initializer_list<QWidget*>{m_hero, m_projects}) column->addWidget(card);
        column->addLayout(pair);
        column->addWidget(m_runs);
    } else {
        for (QWidget* card : std::initializer_list<QWidget*>{m_runs, m_projects}) column->addWidget(card);
        column->addLayout(pair);
    }
    column->addStretch(1);
    m_hero->setVisible(first && !project);
    m_experiments->setVisible(first && project);
    m_heading->setUse(!first ? OverviewHeading::Use::Later : project ? OverviewHeading::Use::Project : OverviewHeading::Use::First);
}

void OverviewPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    arrange();
}

void OverviewPage::setHost(const api::HostView& host) { m_facts->setHost(host); }

void OverviewPage::setChecks(const std::vector<api::DoctorLine>& lines) { m_facts->setChecks(lines); }

void OverviewPage::setHostProblem(const QString& sentence) { m_facts->setProblem(sentence); }

void OverviewPage::setRuns(std::vector<api::RunSummary> runs, std::vector<std::vector<double>> sparklines) {
    const bool before = m_runs->isEmpty();
    m_runs->setRuns(std::move(runs), std::move(sparklines));
    if (m_runs->isEmpty() != before) arrange();
}

void OverviewPage::setLoading(const QString& sentence) { m_runs->setLoading(sentence); }

void OverviewPage::setRecentProjects(std::vector<RecentProject> projects) {
    m_hero->setLast(projects.empty() ? std::nullopt : std::optional(projects.front()));
    m_projects->setProjects(projects);
}

void OverviewPage::setExperiments(std::vector<Experiment> experiments) {
    m_experiments->setExperiments(experiments);
    arrange();
}

void OverviewPage::setRunStarting(bool starting) { m_experiments->setStarting(starting); }

void OverviewPage::setSampleStarting(bool starting) {
    m_heading->actions().setSampleStarting(starting);
    m_hero->actions().setSampleStarting(starting);
}

}  // namespace lockstep::pages
