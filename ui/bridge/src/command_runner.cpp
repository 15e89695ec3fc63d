#include <bridge/command_runner.h>

#include <base/clock.h>
#include <base/thread.h>

#include <QPointer>

#include <utility>

namespace lockstep::bridge {
namespace {

constexpr int kLookEveryMilliseconds = 100;
constexpr int kTasksKept = 50;
constexpr const char* kActor = "studio";

template <class T>
std::optional<Error> errorOf(const Result<T>& result) {
    return result.ok() ? std::nullopt : std::optional(result.error());
}

QString text(const std::string& value) { return QString::fromStdString(value); }

}  // namespace

CommandRunner::CommandRunner(api::Workbench& workbench, QObject* parent) : QObject(parent), m_workbench(workbench) {
    m_timer.setInterval(kLookEveryMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &CommandRunner::lookAtJobs);
}

CommandRunner::~CommandRunner() {
    for (const auto& running : m_jobs) running.job->cancel();
}

Task* CommandRunner::addTask(const char* kind, QString subject) {
    auto* task = new Task(QString::fromLatin1(kind), std::move(subject), this);
    task->m_progress.started = unixSeconds();
    m_tasks.append(task);
    return task;
}

void CommandRunner::finish(Task* task, const std::optional<Error>& error) {
    auto& progress = task->m_progress;
    if (progress.state == api::JobState::Running) progress.state = error ? api::JobState::Failed : api::JobState::Succeeded;
    if (progress.ended == 0) progress.ended = unixSeconds();
    task->m_error = error;
    task->m_cancel = nullptr;
    emit task->finished();
    emit taskFinished(task);
    for (int i = 0; m_tasks.size() > kTasksKept && i < m_tasks.size();) {
        if (m_tasks[i]->isRunning() || m_tasks[i] == task)
            ++i;
        else
            m_tasks.takeAt(i)->deleteLater();
    }
}

template <class T>
Task* CommandRunner::call(const char* kind, QString subject, QObject* context, Done<T> done, std::function<Result<T>()> work) {
    auto* task = addTask(kind, std::move(subject));
    const QPointer<QObject> guard(context);
    m_threads.emplace_back();
    const auto place = std::prev(m_threads.end());
    auto tell = [this, task, guard, place, done = std::move(done)](const Result<T>& result) {
        m_threads.erase(place);  // its last act was to post this
        finish(task, errorOf(result));
        if (guard) done(result);
    };
    *place = startThread("command", [poster = m_door.poster(), tell = std::move(tell), work = std::move(work)](std::stop_token) {
        auto result = std::make_shared<const Result<T>>(work());
        poster.post([tell, result] { tell(*result); });
    });
    emit taskStarted(task);
    return task;
}

void CommandRunner::watchJob(RunningJob job) {
    auto* task = job.task;
    task->m_cancel = [raw = job.job] { raw->cancel(); };
    m_jobs.push_back(std::move(job));
    m_timer.start();
    emit taskStarted(task);
}

void CommandRunner::lookAtJobs() {
    std::list<RunningJob> ended;
    for (auto running = m_jobs.begin(); running != m_jobs.end();) {
        const auto here = running++;
        auto progress = here->job->progress();
        auto& shown = here->task->m_progress;
        const bool moved = progress.stage != shown.stage || progress.done != shown.done || progress.total != shown.total;
        shown = std::move(progress);
        if (shown.state != api::JobState::Running) {
            ended.splice(ended.end(), m_jobs, here);
        } else if (moved) {
            emit here->task->progressed();
            emit taskProgressed(here->task);
        }
    }
    if (m_jobs.empty()) m_timer.stop();
    for (const auto& job : ended) job.end();
}

Task* CommandRunner::watchStart(const char* kind, QString subject, std::shared_ptr<api::StartJob> job, QObject* context,
                                Done<api::StartedRun> done) {
    auto* task = addTask(kind, std::move(subject));
    auto* raw = job.get();
    watchJob({task, raw, [this, task, job = std::move(job), guard = QPointer<QObject>(context), done = std::move(done)] {
                  const auto result = job->result();
                  finish(task, errorOf(result));
                  if (guard) done(result);
              }});
    return task;
}

Task* CommandRunner::start(const api::SpecSource& spec, QObject* context, Done<api::StartedRun> done) {
    return watchStart("start", text(spec.file.string()), m_workbench.commands().start(spec), context, std::move(done));
}

Task* CommandRunner::resume(const RunId& run, QObject* context, Done<api::StartedRun> done) {
    return watchStart("resume", text(run.value), m_workbench.commands().resume(run), context, std::move(done));
}

Task* CommandRunner::awaitEnd(const RunId& run, QObject* context, Done<void> done) {
    std::shared_ptr<api::Job> job = m_workbench.commands().awaitEnd(run);
    auto* task = addTask("awaitEnd", text(run.value));
    auto* raw = job.get();
    watchJob({task, raw, [this, task, job = std::move(job), guard = QPointer<QObject>(context), done = std::move(done)] {
                  const auto result = job->outcome();
                  finish(task, errorOf(result));
                  if (guard) done(result);
              }});
    return task;
}

Task* CommandRunner::stop(const RunId& run, api::StopMode mode, QObject* context, Done<void> done) {
    return call<void>("stop", text(run.value), context, std::move(done),
                      [this, run, mode] { return m_workbench.commands().stop(run, mode, kActor); });
}

Task* CommandRunner::checkpoint(const RunId& run, QObject* context, Done<void> done) {
    return call<void>("checkpoint", text(run.value), context, std::move(done),
                      [this, run] { return m_workbench.commands().checkpoint(run, kActor); });
}

Task* CommandRunner::inspectRemoval(const RunId& run, QObject* context, Done<api::Removal> done) {
    return call<api::Removal>("inspectRemoval", text(run.value), context, std::move(done),
                              [this, run] { return m_workbench.commands().inspectRemoval(run); });
}

Task* CommandRunner::remove(const RunId& run, QObject* context, Done<api::Removal> done) {
    return call<api::Removal>("remove", text(run.value), context, std::move(done),
                              [this, run] { return m_workbench.commands().remove(run); });
}

Task* CommandRunner::describe(std::vector<api::SpecSource> specs, QObject* context, Done<std::vector<SpecLine>> done) {
    return call<std::vector<SpecLine>>("describe", {}, context, std::move(done), [this, specs = std::move(specs)] {
        std::vector<SpecLine> lines;
        for (const auto& spec : specs) {
            const auto summary = m_workbench.checks().describe(spec);
            lines.push_back({spec.file, summary.ok() ? *summary : api::SpecSummary{}, errorOf(summary)});
        }
        return Result<std::vector<SpecLine>>(std::move(lines));
    });
}

Task* CommandRunner::validate(const api::SpecSource& spec, QObject* context, Done<api::SpecView> done) {
    return call<api::SpecView>("validate", text(spec.file.string()), context, std::move(done),
                               [this, spec] { return m_workbench.checks().validate(spec); });
}

Task* CommandRunner::plan(const api::SpecSource& spec, QObject* context, Done<api::PlanView> done) {
    return call<api::PlanView>("plan", text(spec.file.string()), context, std::move(done),
                               [this, spec] { return m_workbench.checks().plan(spec); });
}

Task* CommandRunner::doctor(QObject* context, Done<api::DoctorReport> done) {
    return call<api::DoctorReport>("doctor", {}, context, std::move(done), [this] { return m_workbench.checks().doctor(); });
}

Task* CommandRunner::hostFacts(QObject* context, Done<api::HostView> done) {
    return call<api::HostView>("hostFacts", {}, context, std::move(done), [this] { return m_workbench.checks().thisHost(); });
}

}  // namespace lockstep::bridge
