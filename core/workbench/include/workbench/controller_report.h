// What a detached controller says to the client that started it: one JSON object per line on an inherited descriptor.
//   {"started":{"run":"…","folder":"…"}}   the run's folder is there
//   {"state":{"state":"spawning","cause":"…"}}   every change
//   {"error":{…}}   no run came to be, or it failed before it trained
// The reader goes away as soon as the run trains; a controller must not mind (SIGPIPE ignored, errors of write ignored).
#pragma once

#include <base/error.h>
#include <base/file.h>
#include <base/ids.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep::workbench {

inline constexpr int kReportFd = 3;  // in the controller
inline constexpr int kSpecFd = 4;    // the specification's text, when it comes from no file

class ControllerReport {
public:
    ControllerReport() = default;  // says nothing
    explicit ControllerReport(Fd fd) : m_fd(std::move(fd)) {}

    void started(const RunId& run, const std::filesystem::path& folder);
    void state(std::string_view state, const std::string& cause);
    void error(const Error& error);
    // Nothing more to say; the client sees the end.
    void close() { m_fd.reset(); }

private:
    void write(const std::string& line);
    Fd m_fd;
};

}  // namespace lockstep::workbench
