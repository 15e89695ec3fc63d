#include "task_words.h"

#include <QCoreApplication>

namespace lockstep::studio {
namespace {

struct TaskWords {
    Q_DECLARE_TR_FUNCTIONS(TaskWords)
};

QString titleOf(const bridge::Task& task) {
    const auto& kind = task.kind();
    if (kind == "start") return TaskWords::tr("Starting %1").arg(task.subject());
    if (kind == "resume") return TaskWords::tr("Resuming %1").arg(task.subject());
    if (kind == "stop") return TaskWords::tr("Stopping %1").arg(task.subject());
    if (kind == "checkpoint") return TaskWords::tr("Checkpoint of %1").arg(task.subject());
    if (kind == "remove") return TaskWords::tr("Removing %1").arg(task.subject());
    return kind + QLatin1Char(' ') + task.subject();
}

}  // namespace

QString taskId(const bridge::Task& task) { return QString::number(reinterpret_cast<quintptr>(&task), 16); }

bool worthShowing(const bridge::Task& task) {
    return task.kind() == "start" || task.kind() == "resume" || task.kind() == "stop" || task.kind() == "checkpoint" ||
           task.kind() == "remove";
}

shell::Task toShellTask(const bridge::Task& task) {
    const auto& progress = task.progress();
    shell::Task row{taskId(task), titleOf(task), QString::fromStdString(progress.stage), progress.done, progress.total};
    switch (progress.state) {
        case api::JobState::Running: row.state = shell::TaskState::Running; break;
        case api::JobState::Succeeded: row.state = shell::TaskState::Succeeded; break;
        case api::JobState::Failed: row.state = shell::TaskState::Failed; break;
        case api::JobState::Cancelled: row.state = shell::TaskState::Cancelled; break;
    }
    if (task.error()) row.stage = QString::fromStdString(task.error()->message);
    row.cancellable = task.canCancel();
    return row;
}

}  // namespace lockstep::studio
