// A window as the program fills it, for tests and for looking at.
#pragma once

#include <pages/overview_page.h>
#include <shell/main_window.h>

#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>
#include <memory>

namespace lockstep::test {

// A page with two stops of the tab key, a dock and an action.
class PlainPage : public pages::Page {
public:
    PlainPage(QString id, QString title, QString icon, QWidget* parent)
        : pages::Page(parent), m_id(std::move(id)), m_title(std::move(title)), m_icon(std::move(icon)) {
        auto* column = new QVBoxLayout(this);
        auto* field = new QLineEdit(this);
        field->setObjectName(m_id + QStringLiteral(".field"));
        field->setAccessibleName(m_title);
        column->addWidget(field);
        column->addStretch(1);
    }
    QString id() const override { return m_id; }
    QString title() const override { return m_title; }
    QString iconName() const override { return m_icon; }
    QWidget* dock() const override { return dockWidget; }
    QList<QAction*> pageActions() const override { return found; }
    void activated() override { ++shown; }
    void deactivated() override { ++hidden; }

    QWidget* dockWidget = nullptr;
    QList<QAction*> found;
    int shown = 0;
    int hidden = 0;

private:
    QString m_id, m_title, m_icon;
};

inline shell::PageRegistry sampleRegistry(const style::Theme& theme) {
    shell::PageRegistry registry;
    registry.add(shell::PageGroup::Overview, [&theme](QWidget* parent) { return new pages::OverviewPage(theme, parent); });
    registry.add(shell::PageGroup::Watch, [](QWidget* parent) {
        auto* page = new PlainPage(QStringLiteral("live"), QStringLiteral("Live"), QStringLiteral("live"), parent);
        page->dockWidget = new QLineEdit(page);
        page->dockWidget->setWindowTitle(QStringLiteral("Values"));
        page->dockWidget->setObjectName(QStringLiteral("live.values"));
        page->dockWidget->setAccessibleName(QStringLiteral("Values"));
        return page;
    });
    registry.add(shell::PageGroup::Watch, [](QWidget* parent) {
        return new PlainPage(QStringLiteral("logs"), QStringLiteral("Logs"), QStringLiteral("logs"), parent);
    });
    registry.add(shell::PageGroup::Bottom, [](QWidget* parent) {
        return new PlainPage(QStringLiteral("preferences"), QStringLiteral("Preferences"), QStringLiteral("preferences"), parent);
    });
    return registry;
}

inline api::HostView sampleHost() {
    api::HostView host;
    host.name = "here";
    host.processor = "AMD EPYC 7543";
    host.cores = 16;
    host.memoryBytes = 62ull << 30;
    host.shmBytes = 31ull << 30;
    host.diskFreeBytes = 212ull << 30;
    return host;
}

inline std::vector<api::RunSummary> sampleRuns() {
    using api::RunState;
    std::vector<api::RunSummary> runs;
    const RunState states[] = {RunState::Running, RunState::Completed, RunState::Stopped,
                               RunState::Failed,  RunState::Lost,      RunState::WarmingUp};
    const char* names[] = {"mnist-mirrored", "mnist-mlp",  "mnist-two-hosts-with-a-long-name-for-a-run",
                           "cifar-ring",     "ps-sweep-3", "sample"};
    for (int i = 0; i < 6; ++i) {
        api::RunSummary run;
        run.run.value = "20260514-0731" + std::to_string(10 + i) + "-ab1" + std::to_string(i);
        run.name = names[i];
        run.state = states[i];
        run.strategy = i % 2 == 0 ? "MirroredStrategy" : "MultiWorkerMirroredStrategy";
        run.step = static_cast<std::uint64_t>(12400 - i * 1871);
        run.steps = 20000;
        run.started = 1.7787e9 - i * 86400;
        if (i != 5) run.loss = 0.253 + i * 0.31;
        runs.push_back(run);
    }
    runs.push_back(runs.back());
    runs.back().run.value = "20260513-080000-dead";
    runs.back().name = "broken";
    runs.back().problem = makeError("F609", {{"file", "run.db"}, {"what", "it is damaged"}, {"cause", ""}, {"next", ""}});
    return runs;
}

inline std::vector<std::vector<double>> sampleCurves(std::size_t runs) {
    std::vector<std::vector<double>> curves(runs);
    for (std::size_t i = 0; i + 2 < runs; ++i)
        for (int k = 0; k < 48; ++k)
            curves[i].push_back(2.3 * std::exp(-k / (8.0 + 3.0 * static_cast<double>(i))) + 0.1 * std::sin(k * 1.7));
    return curves;
}

// With runs, a project, issues and tasks.
inline void fillWindow(shell::MainWindow& window) {
    window.setProject({QStringLiteral("cifar-ring"), QStringLiteral("/projects/cifar-ring")});
    window.setTarget({QStringLiteral("This computer"), QStringLiteral("16 cores, 62 GiB"), QStringLiteral("computer")});
    window.setRunControls({true, true, false, {}, {}, QStringLiteral("No run has stopped.")});
    shell::Facts facts;
    facts.runs = 1;
    facts.hostsUp = 1;
    facts.hosts = 1;
    facts.busy = 0.62;
    for (int i = 0; i < 12; ++i) facts.busyHistory.push_back(0.3 + 0.05 * i);
    window.setFacts(facts);
    window.setPageBadge(QStringLiteral("live"), 1, style::Tone::Good);
    window.addIssue({shell::Severity::Note,
                     QStringLiteral("H105"),
                     QStringLiteral("ws-alice runs agent 1.2, this program ships 1.3. It still works."),
                     {}});
    window.addIssue({shell::Severity::Warning, QStringLiteral("R504"),
                     QStringLiteral("Replica 6 on gpu-b is 1.65× slower than the median for 87 s."),
                     QStringLiteral("Look at its device.")});
    window.addIssue({shell::Severity::Error, QStringLiteral("F609"),
                     QStringLiteral("runs/20260513-080000-dead/run.db can't be used as a run store: it is damaged."),
                     QStringLiteral("Remove the run, or bring its folder back from a backup.")});
    window.setTasks({{QStringLiteral("t1"), QStringLiteral("Starting mnist-mirrored"), QStringLiteral("starting ranks"), 3, 12}});
    auto* overview = qobject_cast<pages::OverviewPage*>(window.page(QStringLiteral("overview")));
    overview->setHost(sampleHost());
    overview->setRuns(sampleRuns(), sampleCurves(sampleRuns().size()));
    overview->setRecentProjects({{QStringLiteral("cifar-ring"), QStringLiteral("/projects/cifar-ring")},
                                 {QStringLiteral("digits"), QStringLiteral("/projects/experiments/of/last/year/digits")}});
}

}  // namespace lockstep::test
