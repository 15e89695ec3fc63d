// The agent's calls over gRPC (wire/proto/agent.proto): bytes to values and back, nothing else.
#pragma once

#include "agent_core.h"

#include <control/agent.h>

#include <proto/agent.grpc.pb.h>

namespace lockstep::control {

class AgentService final : public wire::Agent::Service {
public:
    // Both outlive the service. `stop`: streams end when it is requested.
    AgentService(AgentCore& core, const AgentFacts& facts, std::stop_token stop) : m_core(core), m_facts(facts), m_stop(std::move(stop)) {}

    grpc::Status Info(grpc::ServerContext*, const wire::InfoRequest* request, wire::InfoReply* reply) override;
    grpc::Status StartRanks(grpc::ServerContext*, const wire::StartRanksRequest* request, wire::StartRanksReply* reply) override;
    grpc::Status Watch(grpc::ServerContext* context, const wire::WatchRequest* request,
                       grpc::ServerWriter<wire::WatchReply>* stream) override;
    grpc::Status Signal(grpc::ServerContext*, const wire::SignalRequest* request, wire::SignalReply* reply) override;
    grpc::Status Release(grpc::ServerContext*, const wire::ReleaseRequest* request, wire::ReleaseReply* reply) override;

private:
    AgentCore& m_core;
    const AgentFacts& m_facts;
    std::stop_token m_stop;
};

}  // namespace lockstep::control
