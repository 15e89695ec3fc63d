// What the window shows around the pages: plain values, pushed in by whoever composes the program.
//
// Threads: any; values only.
#pragma once

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::shell {

enum class Severity : std::uint8_t { Error, Warning, Note };

// What went wrong, once: the same code and sentence again only raises `times`.
struct Issue {
    Severity severity = Severity::Error;
    QString code;      // "F609", may be empty for a note
    QString sentence;  // what and where
    QString next;      // what the person can do now
    int times = 1;
    QString whole = {};  // for the tool tip and the clipboard, where the row shows less; empty = the sentence and the next step
    bool operator==(const Issue&) const = default;
};

enum class TaskState : std::uint8_t { Running, Succeeded, Failed, Cancelled };

// Long work with its progress.
struct Task {
    QString id;
    QString title;  // "Starting mnist-mirrored"
    QString stage;  // "starting ranks"
    std::uint64_t done = 0;
    std::uint64_t total = 0;  // 0 = not known
    TaskState state = TaskState::Running;
    bool cancellable = true;
    bool operator==(const Task&) const = default;
};

// The right-hand end of the bottom bar; what is not known is not shown.
struct Facts {
    int runs = 0;  // going on now
    std::optional<int> hostsUp;
    int hosts = 0;
    std::optional<double> busy;       // mean of the devices, 0..1
    std::vector<double> busyHistory;  // oldest first, at most 12 are drawn
    bool operator==(const Facts&) const = default;
};

struct ProjectLine {
    QString name;    // empty = no project is open
    QString folder;  // absolute
    bool operator==(const ProjectLine&) const = default;
};

struct TargetLine {
    QString name;      // "This computer"
    QString detail;    // "2 cores, 8 GiB"; gives way when there is no room
    QString iconName;  // of style::icon()
};

// Which of the three commands make sense now; the reason is the tool tip of one that does not.
struct RunControls {
    bool run = false;
    bool stop = false;
    bool resume = false;
    QString whyNotRun;
    QString whyNotStop;
    QString whyNotResume;
};

enum class LocatorKind : std::uint8_t { Page, Run, Action };

struct LocatorItem {
    LocatorKind kind{};
    QString id;
    QString title;
    QString detail;  // muted, also searched
    QString iconName;
    bool operator==(const LocatorItem&) const = default;
};

}  // namespace lockstep::shell
