// The controller's calls over gRPC (wire/proto/controller.proto). Orders go into the inbox; status comes from the board.
#pragma once

#include "inbox.h"
#include "status_board.h"

#include <proto/controller.grpc.pb.h>

namespace lockstep::control {

class ControllerService final : public wire::Controller::Service {
public:
    // Both outlive the service.
    ControllerService(Inbox& inbox, const StatusBoard& board) : m_inbox(inbox), m_board(board) {}

    grpc::Status Status(grpc::ServerContext*, const wire::StatusRequest*, wire::StatusReply* reply) override;
    grpc::Status Stop(grpc::ServerContext*, const wire::StopRequest* request, wire::StopReply*) override;
    grpc::Status Checkpoint(grpc::ServerContext*, const wire::CheckpointRequest* request, wire::CheckpointReply*) override;

private:
    Inbox& m_inbox;
    const StatusBoard& m_board;
};

}  // namespace lockstep::control
