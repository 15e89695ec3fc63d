// The first page. Without a project: what Lockstep is, one button that trains the sample (or opens the last project again), recent
// projects, facts about this computer, three steps. In a project without a run: its experiments and those that come with Lockstep, each
// run by a click. Then: recent runs on top. It shows what it is given and asks for work by signals.
//
// Threads: GUI thread only. The theme must outlive it.
#pragma once

#include <api/checks.h>
#include <api/run.h>
#include <pages/page.h>
#include <style/theme.h>

#include <cstdint>
#include <vector>

namespace lockstep::pages {

class OverviewExperiments;
class OverviewFacts;
class OverviewHero;
class OverviewHeading;
class OverviewProjects;
class OverviewRuns;
class OverviewSteps;

struct RecentProject {
    QString name;
    QString folder;  // absolute
    bool operator==(const RecentProject&) const = default;
};

// A specification that can be run as it is.
struct Experiment {
    enum class Origin : std::uint8_t { Project, Preset };
    QString name;    // of its file
    QString detail;  // model, data, devices; or why it can't be used
    QString file;    // absolute
    Origin origin = Origin::Project;
    bool operator==(const Experiment&) const = default;
};

class OverviewPage : public Page {
    Q_OBJECT
public:
    explicit OverviewPage(const style::Theme& theme, QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("overview"); }
    QString title() const override { return tr("Overview"); }
    QString iconName() const override { return QStringLiteral("overview"); }

    void setHost(const api::HostView& host);
    // Why this computer could not be looked at: one sentence.
    void setHostProblem(const QString& sentence);
    // What the doctor says of this computer and the project; what fails is shown beside the facts.
    void setChecks(const std::vector<api::DoctorLine>& lines);
    // What can be run in the project that is open; empty without one.
    void setExperiments(std::vector<Experiment> experiments);
    // Newest first; the first ten are shown until all are asked for. `sparklines[i]` = the loss of run i thinned to ≤ 64 values, or empty.
    void setRuns(std::vector<api::RunSummary> runs, std::vector<std::vector<double>> sparklines);
    // What runs are in the way of, e.g. "Reading 3 of 12 runs"; empty when they are all there.
    void setLoading(const QString& sentence);
    void setRecentProjects(std::vector<RecentProject> projects);
    // The sample can't be tried twice at once, nor an experiment be run while another starts.
    void setSampleStarting(bool starting);
    void setRunStarting(bool starting);

signals:
    void trySample();
    void newProject();
    void openProject(const QString& folder);  // empty = ask for one
    void openRun(const QString& runId);
    void runExperiment(const QString& file);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Arrangement {
        bool first = true;
        bool narrow = false;
        bool project = false;
        bool operator==(const Arrangement&) const = default;
    };
    void arrange();
    const style::Theme& m_theme;
    OverviewHeading* m_heading;
    OverviewHero* m_hero;
    OverviewFacts* m_facts;
    OverviewSteps* m_steps;
    OverviewRuns* m_runs;
    OverviewProjects* m_projects;
    OverviewExperiments* m_experiments;
    QWidget* m_column;
    Arrangement m_arrangement;
};

}  // namespace lockstep::pages
