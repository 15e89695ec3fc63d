// Work in a process of its own, `lockstep worker --task=NAME --fd=N`: its memory, threads and faults are not this process'. One JSON
// object goes in; lines of JSON come out: {"progress"}, and at the end {"result"} or {"error"}.
#pragma once

#include "output.h"

#include <base/file.h>
#include <base/result.h>

#include <functional>
#include <optional>
#include <string>

namespace lockstep::cli {

struct ChildWork {
    std::string task;   // of `lockstep worker`
    std::string title;  // of the progress line and of errors: "mlp-adam.json"
    Json request;
    int threads = 1;
};

struct ChildEnd {
    std::optional<int> interrupted;  // 128 + the signal that ended the wait; no result then
    Json result;
};

// Starts the process, shows its progress, waits. SIGINT, SIGTERM and SIGHUP end the child and then the wait. Blocks; nothing else may
// watch signals meanwhile. Errors: what the child reports; X003 (it broke down or answers nonsense), R536, P801.
Result<ChildEnd> runInChild(Output& output, const ChildWork& work);

// The child's side.
class WorkChannel {
public:
    explicit WorkChannel(int fd) : m_fd(fd) {}
    Result<Json> request();
    // Goes out at most ten times a second. When the parent is gone, SIGPIPE ends this process.
    void progress(const ProgressState& state);
    // The last word: the exit code of the process.
    int finish(const Result<Json>& result);

private:
    void send(const Json& line);

    Fd m_fd;
    std::optional<Deadline> m_quiet;
};

}  // namespace lockstep::cli
