#include "controller_service.h"

namespace lockstep::control {

grpc::Status ControllerService::Status(grpc::ServerContext*, const wire::StatusRequest*, wire::StatusReply* reply) {
    const auto status = m_board.get();
    reply->set_run(status.run.value);
    reply->set_folder(status.folder.string());
    reply->set_state(std::string(store::nameOf(status.state)));
    reply->set_cause(status.cause);
    reply->set_pid(status.controllerPid);
    reply->set_step(status.step);
    reply->set_steps(status.steps);
    for (const auto& row : status.ranks) {
        auto* rank = reply->add_ranks();
        rank->set_rank(row.rank);
        rank->set_host(row.host);
        rank->set_device(row.device);
        rank->set_pid(row.pid);
        rank->set_state(row.state);
        rank->set_step(row.step);
    }
    return grpc::Status::OK;
}

grpc::Status ControllerService::Stop(grpc::ServerContext*, const wire::StopRequest* request, wire::StopReply*) {
    const StopMode mode = request->kind() == wire::STOP_KILL     ? StopMode::Kill
                          : request->kind() == wire::STOP_INSIST ? StopMode::Insist
                                                                 : StopMode::Ask;
    m_inbox.put(StopOrder{mode, request->actor(), 0});
    return grpc::Status::OK;
}

grpc::Status ControllerService::Checkpoint(grpc::ServerContext*, const wire::CheckpointRequest* request, wire::CheckpointReply*) {
    m_inbox.put(CheckpointOrder{request->actor()});
    return grpc::Status::OK;
}

}  // namespace lockstep::control
