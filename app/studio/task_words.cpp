#include "task_words.h"

#include <QCoreApplication>

namespace lockstep::studio {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("TaskWords", text); }

QString titleOf(const bridge::Task& task) {
    const auto& kind = task.kind();
    if (kind == "start") return tr("Starting %1").arg(task.subject());
    if (kind == "resume") return tr("Resuming %1").arg(task.subject());
    if (kind == "stop") return tr("Stopping %1").arg(task.subject());
    if (kind == "checkpoint") return tr("Checkpoint of %1").arg(task.subject());
    if (kind == "remove") return tr("Removing %1").arg(task.subject());
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
