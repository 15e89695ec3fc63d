// The socket at which a run takes orders and answers where it is; there as long as this object.
#pragma once

#include "controller_service.h"
#include "unix_socket.h"

#include <base/paths.h>
#include <base/result.h>

#include <unistd.h>
#include <chrono>
#include <filesystem>
#include <memory>

namespace lockstep::control {

class ControlSocket {
public:
    // Inbox and board outlive the socket.
    ControlSocket(std::filesystem::path path, Inbox& inbox, const StatusBoard& board) : m_path(std::move(path)), m_service(inbox, board) {}
    ~ControlSocket() {
        if (!m_server) return;
        unlink();
        m_server->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
    }
    ControlSocket(const ControlSocket&) = delete;
    ControlSocket& operator=(const ControlSocket&) = delete;

    Result<void> open() {
        LS_TRY(makeRuntimeFolder());
        LS_TRY_ASSIGN(m_server, serve(m_service, m_path));
        return {};
    }
    // Nobody finds it any more; for a process that is about to end without its destructors.
    void unlink() const { ::unlink(m_path.c_str()); }

private:
    std::filesystem::path m_path;
    ControllerService m_service;
    std::unique_ptr<grpc::Server> m_server;
};

}  // namespace lockstep::control
