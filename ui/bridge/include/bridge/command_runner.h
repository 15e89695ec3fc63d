// What a person can ask for, done without blocking the window: every command returns at once with a Task; `done` is called in the GUI
// thread with the outcome unless `context` (never null) is gone by then.
//
// Threads: GUI thread only. Commands that are jobs of the workbench are asked for their progress ten times a second while one runs;
// the others run on a thread of their own each ("command"). The destructor cancels what can be cancelled and waits for the rest
// (a stop or checkpoint that is being sent: seconds at most). No run is ever harmed by that.
#pragma once

#include <api/workbench.h>
#include <bridge/gui_door.h>
#include <bridge/task.h>

#include <QList>
#include <QObject>
#include <QTimer>

#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace lockstep::bridge {

struct SpecLine {
    std::filesystem::path file;
    api::SpecSummary summary;
    std::optional<Error> problem;
};

template <class T>
using Done = std::function<void(const Result<T>&)>;

class CommandRunner : public QObject {
    Q_OBJECT
public:
    // The workbench must live longer.
    explicit CommandRunner(api::Workbench& workbench, QObject* parent = nullptr);
    ~CommandRunner() override;

    // Done when the run trains, or has ended already (api::RunCommands::start).
    Task* start(const api::SpecSource& spec, QObject* context, Done<api::StartedRun> done);
    Task* resume(const RunId& run, QObject* context, Done<api::StartedRun> done);
    // Done when the controller has accepted it.
    Task* stop(const RunId& run, api::StopMode mode, QObject* context, Done<void> done);
    Task* checkpoint(const RunId& run, QObject* context, Done<void> done);
    // Done when the run is idle.
    Task* awaitEnd(const RunId& run, QObject* context, Done<void> done);
    Task* inspectRemoval(const RunId& run, QObject* context, Done<api::Removal> done);
    Task* remove(const RunId& run, QObject* context, Done<api::Removal> done);
    // One line of each, in their order; what can't be read says why.
    Task* describe(std::vector<api::SpecSource> specs, QObject* context, Done<std::vector<SpecLine>> done);
    Task* validate(const api::SpecSource& spec, QObject* context, Done<api::SpecView> done);
    Task* plan(const api::SpecSource& spec, QObject* context, Done<api::PlanView> done);
    Task* doctor(QObject* context, Done<api::DoctorReport> done);
    Task* hostFacts(QObject* context, Done<api::HostView> done);

    // Running ones and the last 50 that have ended, oldest first. A task is deleted when it leaves this list.
    const QList<Task*>& tasks() const { return m_tasks; }

signals:
    void taskStarted(lockstep::bridge::Task* task);
    void taskProgressed(lockstep::bridge::Task* task);
    void taskFinished(lockstep::bridge::Task* task);

private:
    struct RunningJob {
        Task* task;
        api::Job* job;
        std::function<void()> end;  // owns the job
    };
    template <class T>
    Task* call(const char* kind, QString subject, QObject* context, Done<T> done, std::function<Result<T>()> work);
    Task* watchStart(const char* kind, QString subject, std::shared_ptr<api::StartJob> job, QObject* context, Done<api::StartedRun> done);
    Task* addTask(const char* kind, QString subject);
    void watchJob(RunningJob job);
    void lookAtJobs();
    void finish(Task* task, const std::optional<Error>& error);

    api::Workbench& m_workbench;
    QList<Task*> m_tasks;
    std::list<RunningJob> m_jobs;
    QTimer m_timer;
    GuiDoor m_door{this};
    std::list<std::jthread> m_threads;  // last: they use the door
};

}  // namespace lockstep::bridge
