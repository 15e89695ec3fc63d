// The quiet cards of the Overview: facts about this computer, the three steps, recent projects, experiments that can be run.
#pragma once

#include <api/checks.h>
#include <pages/overview_page.h>
#include <style/card.h>

#include <optional>
#include <vector>

namespace lockstep::pages {

class OverviewFacts : public style::Card {
    Q_OBJECT
public:
    OverviewFacts(const style::Theme& theme, QWidget* parent);
    void setHost(const api::HostView& host);
    void setProblem(const QString& sentence);
    void setChecks(const std::vector<api::DoctorLine>& lines);

private:
    void clear();
    void showAll();
    void showHost(const api::HostView& host);
    void showFailed();
    void addRow(const QString& iconName, const QString& fact, const QString& value);
    const style::Theme& m_theme;
    style::StatePill* m_pill;
    QWidget* m_rows = nullptr;
    std::optional<api::HostView> m_host;
    std::vector<api::DoctorLine> m_failed;
    bool m_checked = false;  // nobody is told "Ready" before
};

class OverviewSteps : public style::Card {
    Q_OBJECT
public:
    OverviewSteps(const style::Theme& theme, QWidget* parent);
};

class OverviewProjects : public style::Card {
    Q_OBJECT
public:
    OverviewProjects(const style::Theme& theme, QWidget* parent);
    void setProjects(const std::vector<RecentProject>& projects);

signals:
    void openProject(const QString& folder);

private:
    const style::Theme& m_theme;
    QWidget* m_rows = nullptr;
    std::vector<RecentProject> m_projects;
};

class OverviewExperiments : public style::Card {
    Q_OBJECT
public:
    OverviewExperiments(const style::Theme& theme, QWidget* parent);
    void setExperiments(const std::vector<Experiment>& experiments);
    bool isEmpty() const { return m_experiments.empty(); }
    // One run at a time is started.
    void setStarting(bool starting);

signals:
    void runExperiment(const QString& file);

private:
    const style::Theme& m_theme;
    QWidget* m_rows = nullptr;
    std::vector<Experiment> m_experiments;
    bool m_starting = false;
};

}  // namespace lockstep::pages
