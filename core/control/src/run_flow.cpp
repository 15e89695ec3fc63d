// One run from beginning to end. The stages are in flow_stages.h; what they do is in stage_*.cpp.
#include <control/run_flow.h>

#include "controller_service.h"
#include "flow_stages.h"
#include "unix_socket.h"

#include <base/log.h>
#include <base/paths.h>

#include <unistd.h>

namespace lockstep::control {
namespace {

// The run's socket, there as long as this object.
class ControlSocket {
public:
    ControlSocket(const std::filesystem::path& path, Inbox& inbox, const StatusBoard& board) : m_path(path), m_service(inbox, board) {}
    ~ControlSocket() {
        if (!m_server) return;
        ::unlink(m_path.c_str());
        m_server->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
    }
    ControlSocket(const ControlSocket&) = delete;
    ControlSocket& operator=(const ControlSocket&) = delete;

    Result<void> open() {
        LS_TRY(makeRuntimeFolder());
        LS_TRY_ASSIGN(m_server, serve(m_service, m_path));
        return {};
    }

private:
    std::filesystem::path m_path;
    ControllerService m_service;
    std::unique_ptr<grpc::Server> m_server;
};

}  // namespace

Result<FlowResult> runFlow(const FlowOptions& options) {
    const auto begin = std::chrono::steady_clock::now();
    Inbox inbox;
    StatusBoard board;
    const std::stop_callback onStop(options.stop, [&] { inbox.put(StopOrder{StopMode::Ask, "keyboard", kInterruptedExit}); });
    const std::stop_callback onKill(options.kill, [&] { inbox.put(StopOrder{StopMode::Kill, "keyboard", kInterruptedExit}); });

    LS_TRY_ASSIGN(const auto asked, readSpecification(options));
    LS_TRY_ASSIGN(auto planned, planRun(asked));
    ControlSocket socket(asked.folder.socket(), inbox, board);
    auto ready = socket.open();
    if (ready.ok() && options.listener != nullptr) options.listener->onStarted(asked.folder.run(), asked.folder.path());
    auto launched = ready.ok() ? launch(options, asked, planned, inbox, std::chrono::steady_clock::now() - begin) : Result<Launched>(ready.error());
    if (!launched.ok()) {
        removeRun(asked, std::move(planned));
        return std::move(launched).error();
    }
    const auto outcome = follow(options, asked, planned, *launched, inbox, board);
    return conclude(asked, planned, outcome);
}

}  // namespace lockstep::control
