// One piece of long work that a person has asked for, as the window shows it: a sentence, how far, cancel, the end. Made by
// CommandRunner.
//
// Threads: GUI thread only.
#pragma once

#include <api/job.h>
#include <base/error.h>

#include <QObject>
#include <QString>

#include <functional>
#include <optional>

namespace lockstep::bridge {

class Task : public QObject {
    Q_OBJECT
public:
    // Stable, in English: "start", "stop"; the window has its own words for it.
    const QString& kind() const { return m_kind; }
    const QString& subject() const { return m_subject; }  // run id or file
    const api::JobProgress& progress() const { return m_progress; }
    bool isRunning() const { return m_progress.state == api::JobState::Running; }
    const std::optional<Error>& error() const { return m_error; }  // of a failed or cancelled task
    bool canCancel() const { return m_cancel != nullptr && isRunning(); }
    // Asks the work to end early. Cancelling a start ends the watching, not the run.
    void cancel() {
        if (canCancel()) m_cancel();
    }

signals:
    void progressed();
    void finished();

private:
    friend class CommandRunner;
    Task(QString kind, QString subject, QObject* parent) : QObject(parent), m_kind(std::move(kind)), m_subject(std::move(subject)) {}

    const QString m_kind;
    const QString m_subject;
    api::JobProgress m_progress;
    std::optional<Error> m_error;
    std::function<void()> m_cancel;
};

}  // namespace lockstep::bridge
