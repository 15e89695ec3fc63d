// A controller's line to one agent. Calls have deadlines; errors: H108 (no answer) and what the agent says.
#pragma once

#include "inbox.h"

#include <control/agent.h>

#include <base/clock.h>
#include <base/result.h>
#include <proto/agent.grpc.pb.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace lockstep::control {

struct RunOnAgent {
    bool known = false;
    std::uint64_t epoch = 0;
    int liveRanks = 0;
};

class AgentLink {
public:
    explicit AgentLink(std::filesystem::path socket);
    ~AgentLink();
    AgentLink(const AgentLink&) = delete;
    AgentLink& operator=(const AgentLink&) = delete;

    Result<AgentFacts> facts(Seconds deadline);
    Result<RunOnAgent> find(const std::string& run);
    Result<void> startRanks(const wire::StartRanksRequest& request);
    // Starts the thread "watch", which puts all that happens from there on into the inbox. `inbox` outlives the link. Once.
    void watch(const std::string& run, std::uint64_t epoch, std::uint64_t fromEvent, std::uint64_t position, Inbox& inbox);
    Result<void> signal(const wire::SignalRequest& request);
    Result<void> release(const std::string& run);

private:
    Error noAnswer(const grpc::Status& status) const;
    void read(const wire::WatchRequest& request, Inbox& inbox);

    std::filesystem::path m_socket;
    std::unique_ptr<wire::Agent::Stub> m_stub;
    grpc::ClientContext m_watchContext;
    std::jthread m_watcher;
};

}  // namespace lockstep::control
