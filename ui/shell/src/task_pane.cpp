#include "task_pane.h"

#include <style/controls.h>
#include <style/pill.h>
#include <style/text.h>
#include <text/format.h>

#include <QHBoxLayout>
#include <QProgressBar>
#include <QScrollArea>
#include <QSet>
#include <QVBoxLayout>

#include <algorithm>

namespace lockstep::shell {

using style::Pill;
using style::Role;
using style::TextStyle;

namespace {

constexpr int kBarWidth = 160;
constexpr int kBarSteps = 1000;

Pill pillOf(TaskState state) {
    using style::Tone;
    switch (state) {
        case TaskState::Running: return {TaskPane::tr("Running"), Tone::Good, {}, style::PillSize::Small};
        case TaskState::Succeeded: return {TaskPane::tr("Done"), Tone::Good, QStringLiteral("check-circle"), style::PillSize::Small};
        case TaskState::Failed: return {TaskPane::tr("Failed"), Tone::Bad, QStringLiteral("error"), style::PillSize::Small};
        case TaskState::Cancelled: return {TaskPane::tr("Cancelled"), Tone::Neutral, QStringLiteral("dash-circle"), style::PillSize::Small};
    }
    return {};
}

}  // namespace

class TaskRow : public QWidget {
public:
    TaskRow(const style::Theme& theme, const Task& task, QWidget* parent)
        : QWidget(parent),
          m_pill(new style::StatePill(theme, {}, this)),
          m_title(new style::ElidedLabel(theme, task.title, TextStyle::Body, Role::Text, this)),
          m_stage(new style::ElidedLabel(theme, {}, TextStyle::Small, Role::MutedText, this)),
          m_bar(new QProgressBar(this)),
          m_count(new style::Label(theme, {}, TextStyle::Small, Role::MutedText, this)),
          m_cancel(new style::Button(theme, style::ButtonKind::Link, TaskPane::tr("Cancel"), {}, style::ControlSize::Small, this)) {
        setObjectName(QStringLiteral("shell.pane.tasks.row"));
        setMinimumHeight(theme.heightFor(TextStyle::Body, style::layout::kIssueRow));
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(style::space::kL, 0, style::space::kL, 0);
        row->setSpacing(style::space::kM);
        row->addWidget(m_pill);
        row->addWidget(m_title);
        row->addWidget(m_stage, 1);
        row->addWidget(m_bar);
        row->addWidget(m_count);
        row->addWidget(m_cancel);
        m_bar->setFixedWidth(kBarWidth);
        m_bar->setTextVisible(false);
        m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_cancel->setObjectName(QStringLiteral("shell.pane.tasks.cancel"));
        showTask(task);
    }

    void showTask(const Task& task) {
        const bool running = task.state == TaskState::Running;
        m_pill->setPill(pillOf(task.state));
        m_title->setText(task.title);
        m_stage->setText(task.stage);
        m_bar->setVisible(running);
        // Without a total the bar stays empty: nothing here moves by itself.
        m_bar->setRange(0, kBarSteps);
        const double ratio = task.total == 0 ? 0 : static_cast<double>(task.done) / static_cast<double>(task.total);
        m_bar->setValue(static_cast<int>(std::clamp(ratio, 0.0, 1.0) * kBarSteps));
        m_bar->setAccessibleName(task.title);
        m_count->setText(task.done == 0 && task.total == 0 ? QString() : text::formatCount(task.done, task.total));
        m_cancel->setVisible(running && task.cancellable);
        m_cancel->setAccessibleName(TaskPane::tr("Cancel %1").arg(task.title));
        setAccessibleName(QStringLiteral("%1 %2 %3 %4").arg(task.title, pillOf(task.state).word, task.stage, m_count->text()).simplified());
    }

    style::Button* cancelButton() { return m_cancel; }

private:
    style::StatePill* m_pill;
    style::ElidedLabel* m_title;
    style::ElidedLabel* m_stage;
    QProgressBar* m_bar;
    style::Label* m_count;
    style::Button* m_cancel;
};

TaskPane::TaskPane(const style::Theme& theme, QWidget* parent) : Pane(theme, QStringLiteral("tasks"), tr("Tasks"), parent), m_theme(theme) {
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    auto* inside = new QWidget(area);
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_rows = new QVBoxLayout;
    m_rows->setSpacing(0);
    column->addLayout(m_rows);
    auto* none = new style::Label(theme, tr("Nothing is being worked on."), TextStyle::Small, Role::MutedText, inside);
    none->setContentsMargins(style::space::kL, style::space::kS, style::space::kL, 0);
    m_none = none;
    column->addWidget(none);
    column->addStretch(1);
    area->setWidget(inside);
    inside->setAutoFillBackground(false);
    area->viewport()->setAutoFillBackground(false);
    body()->addWidget(area);
    setTasks({});
}

void TaskPane::setTasks(const std::vector<Task>& tasks) {
    QSet<QString> wanted;
    m_running = 0;
    for (const Task& task : tasks) {
        wanted.insert(task.id);
        if (task.state == TaskState::Running) ++m_running;
        if (TaskRow* row = m_byId.value(task.id)) {
            row->showTask(task);
            continue;
        }
        auto* row = new TaskRow(m_theme, task, this);
        connect(row->cancelButton(), &QPushButton::clicked, this, [this, id = task.id] { emit cancelClicked(id); });
        m_rows->insertWidget(0, row);
        m_byId.insert(task.id, row);
    }
    for (auto it = m_byId.begin(); it != m_byId.end();) {
        if (wanted.contains(it.key())) {
            ++it;
            continue;
        }
        it.value()->hide();
        it.value()->deleteLater();
        it = m_byId.erase(it);
    }
    m_none->setVisible(tasks.empty());
    setSummary(m_running > 0 ? tr("%n running", nullptr, m_running) : QString());
}

}  // namespace lockstep::shell
