// Tasks of the bridge in the words of the window.
#pragma once

#include <bridge/task.h>
#include <shell/values.h>

namespace lockstep::studio {

QString taskId(const bridge::Task& task);
// Reading facts about this computer is no news.
bool worthShowing(const bridge::Task& task);
shell::Task toShellTask(const bridge::Task& task);

}  // namespace lockstep::studio
