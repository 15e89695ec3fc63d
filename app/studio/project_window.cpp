#include "project_window.h"

#include "task_words.h"

#include <text/format.h>

#include <QCursor>
#include <QDir>
#include <QFileDialog>
#include <QMenu>

#include <algorithm>
#include <utility>

namespace lockstep::studio {
namespace {

QString text(const std::string& value) { return QString::fromStdString(value); }

shell::Issue issueOf(const Error& error) { return {shell::Severity::Error, text(error.code), text(error.message), text(error.next)}; }

}  // namespace

ProjectWindow::ProjectWindow(const style::Theme& theme, std::unique_ptr<api::Workbench> workbench, QObject* parent)
    : QObject(parent),
      m_theme(theme),
      m_workbench(std::move(workbench)),
      m_commands(std::make_unique<bridge::CommandRunner>(*m_workbench)),
      m_runs(std::make_unique<bridge::RunListFeed>(m_workbench->runs())) {
    makeWindow();
    wireOverview();
    wireLive();
    wireWindow();
    wireCommands();
    const auto project = m_workbench->project();
    if (hasProject()) {
        m_window->setProject({text(project.name), text(project.folder.string())});
        m_experiments = std::make_unique<Experiments>(*m_commands, project.folder);
        connect(m_experiments.get(), &Experiments::changed, this, [this] { m_overview->setExperiments(m_experiments->all()); });
        m_experiments->refresh();
    }
    m_live->setRuns(&m_workbench->runs());
    showControls();
}

// Pages read through the workbench: they go first.
ProjectWindow::~ProjectWindow() { m_window.reset(); }

bool ProjectWindow::hasProject() const { return !m_workbench->project().name.empty(); }

void ProjectWindow::makeWindow() {
    shell::PageRegistry registry;
    registry.add(shell::PageGroup::Overview, [this](QWidget* parent) { return m_overview = new pages::OverviewPage(m_theme, parent); });
    registry.add(shell::PageGroup::Watch, [this](QWidget* parent) { return m_live = new pages::LivePage(m_theme, parent); });
    registry.add(shell::PageGroup::Watch,
                 [this](QWidget* parent) { return m_logs = new pages::LogsPage(m_theme, m_workbench->logs(), parent); });
    registry.add(shell::PageGroup::Bottom, [this](QWidget* parent) { return m_preferences = new pages::PreferencesPage(m_theme, parent); });
    m_window = std::make_unique<shell::MainWindow>(m_theme, registry);
    m_window->setTarget({tr("This computer"), {}, QStringLiteral("computer")});
}

void ProjectWindow::wireOverview() {
    connect(m_overview, &pages::OverviewPage::trySample, this, &ProjectWindow::trySample);
    connect(m_overview, &pages::OverviewPage::newProject, this, &ProjectWindow::newProject);
    connect(m_overview, &pages::OverviewPage::openProject, this, &ProjectWindow::openProject);
    connect(m_overview, &pages::OverviewPage::openRun, this, [this](const QString& run) { show(RunId{run.toStdString()}); });
    connect(m_overview, &pages::OverviewPage::runExperiment, this, &ProjectWindow::startFile);
    connect(m_runs.get(), &bridge::RunListFeed::changed, this, &ProjectWindow::takeRuns);
    connect(m_runs.get(), &bridge::RunListFeed::failed, this, [this](const Error& error) { m_window->setBanner(issueOf(error)); });
    connect(m_runs.get(), &bridge::RunListFeed::recovered, this, [this] { m_window->setBanner(std::nullopt); });
    m_commands->doctor(this, [this](const Result<api::DoctorReport>& report) {
        if (report.ok()) return m_overview->setChecks(report->lines);
        m_overview->setChecks({{"doctor", api::CheckStatus::Fail, report.error().message, {}, report.error().next}});
    });
    m_commands->hostFacts(this, [this](const Result<api::HostView>& host) {
        if (!host.ok()) return m_overview->setHostProblem(text(host.error().message));
        m_overview->setHost(*host);
        m_window->setTarget(
            {tr("This computer"), tr("%n device(s)", nullptr, static_cast<int>(host->devices.size())), QStringLiteral("computer")});
    });
}

void ProjectWindow::wireLive() {
    connect(m_live, &pages::LivePage::runShown, this, [this](const QString& run) {
        const auto* summary = shownRun();
        m_logs->open(RunId{run.toStdString()}, summary != nullptr ? text(summary->name) : run);
        showControls();
    });
    connect(m_live, &pages::LivePage::stopAsked, this, &ProjectWindow::stop);
    connect(m_live, &pages::LivePage::checkpointAsked, this, &ProjectWindow::checkpoint);
    connect(m_live, &pages::LivePage::resumeAsked, this, &ProjectWindow::resume);
    connect(m_live, &pages::LivePage::logAsked, this, [this](const QString&, int rank, double time) {
        m_window->showPage(m_logs->id());
        m_logs->showAt(rank < 0 ? std::nullopt : std::optional(rank), time);
    });
    connect(m_logs, &pages::LogsPage::overviewWanted, this, [this] { m_window->showPage(m_overview->id()); });
}

void ProjectWindow::wireWindow() {
    connect(m_window.get(), &shell::MainWindow::runRequested, this, &ProjectWindow::chooseSpec);
    connect(m_window.get(), &shell::MainWindow::stopRequested, this, [this] {
        if (m_live->run()) stop(text(m_live->run()->value));
    });
    connect(m_window.get(), &shell::MainWindow::resumeRequested, this, [this] {
        if (m_live->run()) resume(text(m_live->run()->value));
    });
    connect(m_window.get(), &shell::MainWindow::newProjectRequested, this, &ProjectWindow::newProject);
    connect(m_window.get(), &shell::MainWindow::openProjectRequested, this, &ProjectWindow::openProject);
    connect(m_window.get(), &shell::MainWindow::runChosen, this, [this](const QString& run) { show(RunId{run.toStdString()}); });
}

void ProjectWindow::wireCommands() {
    for (const auto signal :
         {&bridge::CommandRunner::taskStarted, &bridge::CommandRunner::taskProgressed, &bridge::CommandRunner::taskFinished})
        connect(m_commands.get(), signal, this, &ProjectWindow::showTasks);
    connect(m_window.get(), &shell::MainWindow::cancelTaskRequested, this, [this](const QString& id) {
        for (auto* task : m_commands->tasks())
            if (taskId(*task) == id) task->cancel();
    });
}

void ProjectWindow::setRecentProjects(const std::vector<api::RecentProject>& projects) {
    std::vector<pages::RecentProject> rows;
    std::vector<shell::ProjectLine> lines;
    for (const auto& recent : projects) {
        if (recent.problem) continue;
        rows.push_back({text(recent.project.name), text(recent.project.folder.string())});
        lines.push_back({rows.back().name, rows.back().folder});
    }
    m_overview->setRecentProjects(std::move(rows));
    m_window->setRecentProjects(lines);
}

void ProjectWindow::takeRuns() {
    std::vector<api::RunSummary> runs;
    std::vector<std::vector<double>> sparklines;
    std::vector<shell::LocatorItem> items;
    int going = 0;
    for (const auto& row : m_runs->rows()) {
        runs.push_back(row.summary);
        sparklines.push_back(row.sparkline);
        items.push_back({shell::LocatorKind::Run, text(row.summary.run.value), text(row.summary.name), text(row.summary.run.value),
                         QStringLiteral("live")});
        going += api::isIdle(row.summary.state) ? 0 : 1;
    }
    m_live->setChoices(runs);
    m_overview->setRuns(std::move(runs), std::move(sparklines));
    m_window->setRuns(std::move(items));
    m_window->setFacts({.runs = going, .hostsUp = 1, .hosts = 1, .busy = std::nullopt, .busyHistory = {}});
    m_window->setPageBadge(m_live->id(), going, style::Tone::Good);
    // A project that is opened shows what it did last; nobody has to look for it.
    if (!m_live->run() && !m_runs->rows().empty()) m_live->showRun(m_runs->rows().front().summary.run);
    showControls();
}

const api::RunSummary* ProjectWindow::shownRun() const {
    if (!m_live->run()) return nullptr;
    const auto& rows = m_runs->rows();
    const auto found = std::ranges::find_if(rows, [&](const bridge::RunRow& row) { return row.summary.run == *m_live->run(); });
    return found == rows.end() ? nullptr : &found->summary;
}

void ProjectWindow::showControls() {
    const auto* run = shownRun();
    const bool going = run != nullptr && !api::isIdle(run->state);
    const bool unreadable = run != nullptr && run->problem.has_value();
    const bool resumable = run != nullptr && api::isIdle(run->state) && run->state != api::RunState::Completed && !unreadable;
    m_overview->setRunStarting(m_starting);
    shell::RunControls controls{.run = hasProject() && !m_starting,
                                .stop = going,
                                .resume = resumable && !m_starting,
                                .whyNotRun = {},
                                .whyNotStop = {},
                                .whyNotResume = {}};
    if (!controls.run) controls.whyNotRun = m_starting ? tr("A run is being started.") : tr("Open or make a project first.");
    if (!controls.stop) controls.whyNotStop = run == nullptr ? tr("No run is shown.") : tr("The run that is shown has ended.");
    if (!controls.resume)
        controls.whyNotResume = m_starting       ? controls.whyNotRun
                                : run == nullptr ? tr("No run is shown.")
                                : unreadable     ? tr("The files of the run can't be read.")
                                : going          ? tr("The run is going on.")
                                                 : tr("The run has completed.");
    m_window->setRunControls(controls);
}

void ProjectWindow::showTasks() {
    std::vector<shell::Task> tasks;
    for (const auto* task : m_commands->tasks())
        if (worthShowing(*task)) tasks.push_back(toShellTask(*task));
    std::ranges::reverse(tasks);  // newest first
    m_window->setTasks(tasks);
}

void ProjectWindow::startFile(const QString& path) { start({std::filesystem::path(path.toStdString()), {}, {}}); }

// The only experiment of a project starts at once; of several the person chooses, by what they are.
void ProjectWindow::chooseSpec() {
    m_experiments->refresh();
    const QDir folder(text((m_workbench->project().folder / "experiments").string()));
    const auto files = folder.entryInfoList({QStringLiteral("*.yaml"), QStringLiteral("*.yml")}, QDir::Files, QDir::Name);
    if (files.size() == 1) return startFile(files.front().absoluteFilePath());
    QMenu menu(m_window.get());
    for (const auto& file : files) {
        const auto path = file.absoluteFilePath();
        const auto known = std::ranges::find(m_experiments->all(), path, &pages::Experiment::file);
        const bool described = known != m_experiments->all().end() && !known->detail.isEmpty();
        const auto line = described ? file.fileName() + QStringLiteral("   ") + known->detail : file.fileName();
        menu.addAction(text::withoutMnemonic(line), this, [this, path] { startFile(path); });
    }
    menu.addSeparator();
    menu.addAction(tr("Choose a specification…"), this, [this, &folder] {
        const auto path =
            QFileDialog::getOpenFileName(m_window.get(), tr("Choose a specification"), folder.path(), tr("Specifications (*.yaml *.yml)"));
        if (!path.isEmpty()) startFile(path);
    });
    menu.exec(QCursor::pos());
}

void ProjectWindow::showStarted(const Result<api::StartedRun>& result) {
    m_starting = false;
    showControls();
    m_runs->refresh();
    if (!result.ok()) return report(result.error());
    show(result->run);
}

void ProjectWindow::start(const api::SpecSource& spec) {
    if (std::exchange(m_starting, true)) return;
    showControls();
    m_commands->start(spec, this, [this](const Result<api::StartedRun>& result) { showStarted(result); });
}

void ProjectWindow::resume(const QString& run) {
    if (std::exchange(m_starting, true)) return;
    showControls();
    m_commands->resume(RunId{run.toStdString()}, this, [this](const Result<api::StartedRun>& result) { showStarted(result); });
}

void ProjectWindow::stop(const QString& run) {
    m_commands->stop(RunId{run.toStdString()}, api::StopMode::Ask, this, [this](const Result<void>& result) {
        if (!result.ok()) report(result.error());
        m_runs->refresh();
    });
}

void ProjectWindow::checkpoint(const QString& run) {
    m_commands->checkpoint(RunId{run.toStdString()}, this, [this](const Result<void>& result) {
        if (!result.ok()) report(result.error());
    });
}

void ProjectWindow::show(const RunId& run) {
    m_live->showRun(run);
    m_window->showPage(m_live->id());
}

void ProjectWindow::report(const Error& error) {
    m_window->addIssue(issueOf(error));
    m_window->showPane(QStringLiteral("issues"));
}

bool ProjectWindow::isSettled() const { return m_runs->isLoaded() && (!m_live->run() || m_live->isComplete()); }

}  // namespace lockstep::studio
