// Tasks: long work with its stage, how far, and cancel. Rows stay in place while their numbers change.
#pragma once

#include "pane.h"

#include <shell/values.h>

#include <QHash>

namespace lockstep::shell {

class TaskRow;

class TaskPane : public Pane {
    Q_OBJECT
public:
    TaskPane(const style::Theme& theme, QWidget* parent);
    void setTasks(const std::vector<Task>& tasks);
    int running() const { return m_running; }

signals:
    void cancelClicked(const QString& taskId);

private:
    const style::Theme& m_theme;
    QVBoxLayout* m_rows;
    QWidget* m_none;
    QHash<QString, TaskRow*> m_byId;
    int m_running = 0;
};

}  // namespace lockstep::shell
