// One project in one window: the workbench, what asks it, the pages, and the wires between them. Destroying it never touches a run.
#pragma once

#include "experiments.h"

#include <api/project_catalog.h>
#include <bridge/command_runner.h>
#include <bridge/run_list_feed.h>
#include <pages/live_page.h>
#include <pages/logs_page.h>
#include <pages/overview_page.h>
#include <pages/preferences_page.h>
#include <shell/main_window.h>
#include <style/theme.h>

#include <QObject>

#include <memory>
#include <optional>

namespace lockstep::studio {

class ProjectWindow : public QObject {
    Q_OBJECT
public:
    // `workbench` of no project (its folder has no name then): the window offers to make or open one. The theme must outlive it.
    ProjectWindow(const style::Theme& theme, std::unique_ptr<api::Workbench> workbench, QObject* parent = nullptr);
    ~ProjectWindow() override;

    shell::MainWindow& window() { return *m_window; }
    api::Workbench& workbench() { return *m_workbench; }
    pages::LivePage& live() { return *m_live; }
    pages::LogsPage& logs() { return *m_logs; }
    pages::OverviewPage& overview() { return *m_overview; }
    pages::PreferencesPage& preferences() { return *m_preferences; }

    void setRecentProjects(const std::vector<api::RecentProject>& projects);
    // Starts what the file says and shows it as soon as it trains.
    void start(const api::SpecSource& spec);
    void show(const RunId& run);
    void report(const Error& error);
    // The list of runs has been read, and the run shown is there with everything stored of it.
    bool isSettled() const;

signals:
    void trySample();
    void newProject();
    void openProject(const QString& folder);  // empty = ask

private:
    void makeWindow();
    void wireOverview();
    void wireLive();
    void wireWindow();
    void wireCommands();
    void takeRuns();
    void showControls();
    void showTasks();
    void chooseSpec();
    void startFile(const QString& path);
    void stop(const QString& run);
    void resume(const QString& run);
    void checkpoint(const QString& run);
    const api::RunSummary* shownRun() const;
    bool hasProject() const;
    void showStarted(const Result<api::StartedRun>& result);

    const style::Theme& m_theme;
    std::unique_ptr<api::Workbench> m_workbench;
    std::unique_ptr<bridge::CommandRunner> m_commands;
    std::unique_ptr<bridge::RunListFeed> m_runs;
    std::unique_ptr<Experiments> m_experiments;  // null without a project
    std::unique_ptr<shell::MainWindow> m_window;
    bool m_starting = false;  // one run at a time is started: a second press of the key is no second run
    pages::OverviewPage* m_overview = nullptr;
    pages::LivePage* m_live = nullptr;
    pages::LogsPage* m_logs = nullptr;
    pages::PreferencesPage* m_preferences = nullptr;
};

}  // namespace lockstep::studio
