// The quiet cards of the Overview: facts about this computer, the three steps, recent projects.
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

}  // namespace lockstep::pages
