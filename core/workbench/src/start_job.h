// Starting a detached controller and watching it until its run trains.
//
// The controller is `lockstep run …` (or `lockstep resume …`) with the hidden option --report-fd: it writes one JSON object per line
// to that descriptor (report.h) until the run trains or ends; then nobody needs to listen any more.
#pragma once

#include "background_work.h"

#include <api/run_commands.h>
#include <base/file.h>

#include <sys/types.h>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::workbench {

// Controllers started by this process; those that have ended are reaped, so that a long-lived client collects no zombies. Thread safe.
class Children {
public:
    void add(pid_t child);
    void reap();

private:
    std::mutex m_mutex;
    std::vector<pid_t> m_children;
};

struct ControllerStart {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::optional<std::string> specText;  // handed over as descriptor kSpecFd
};

class StartJobImpl : public api::StartJob {
public:
    StartJobImpl(ControllerStart start, std::shared_ptr<Children> children);

    api::JobProgress progress() const override { return m_work.progress(); }
    void cancel() override { m_work.cancel(); }
    bool wait(Seconds atMost) override { return m_work.wait(atMost); }
    Result<void> outcome() const override { return m_work.outcome(); }
    Result<api::StartedRun> result() const override;

private:
    Result<void> work(BackgroundWork& work, std::stop_token stop);
    Result<void> listen(BackgroundWork& work, std::stop_token stop, int reports, pid_t controller);
    // True when there is nothing more to wait for.
    Result<bool> take(BackgroundWork& work, const std::string& line);

    const ControllerStart m_start;
    const std::shared_ptr<Children> m_children;
    mutable std::mutex m_mutex;
    api::StartedRun m_started;
    BackgroundWork m_work;  // last: ends before what it uses
};

}  // namespace lockstep::workbench
