// The agent: one process per user and host. It starts ranks, watches them, keeps their telemetry in the run's spool folder and speaks
// gRPC over RT/agent.sock. Ranks outlive controllers; the agent outlives its last run by 10 s when it was started automatically.
//
// Threads of an agent: main (waits for the end), "agent-loop" (exits, rank sockets, rings, leases: everything that waits), and those
// of gRPC that serve calls.
#pragma once

#include <base/clock.h>
#include <base/result.h>
#include <cluster/inventory.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

namespace lockstep::control {

struct AgentOptions {
    std::filesystem::path socket;     // empty: RT/agent.sock
    std::optional<Seconds> idleTime;  // leave this long after the last run; none: stay
};

// Serves until `stop` is requested or the idle time is over. Error H111 when another agent already serves this socket.
Result<void> runAgent(const AgentOptions& options, std::stop_token stop);

struct AgentFacts {
    std::string id;  // this agent's identity: new with every start
    std::int64_t pid = 0;
    std::string version;
    std::filesystem::path socket;
    double startedUnixSeconds = 0;
    int runs = 0;  // runs it holds
    cluster::HostFacts host;
};

// Facts of the agent that serves this computer. Error H108 when none answers.
Result<AgentFacts> findAgent(Seconds deadline = Seconds(2));
// The same, starting one (detached, log in stateFolder()/agent.log, idle time 10 s) when there is none. Error H107.
Result<AgentFacts> findOrStartAgent(Seconds deadline = Seconds(5));

// The three steps of findOrStartAgent(), for a caller that has other work while the agent comes up.
bool agentIsThere();
Result<void> startAgent();
Result<void> awaitAgent(Deadline deadline);  // error H107

// One JSON object on one line: what `lockstep agent --print` writes.
std::string toJson(const AgentFacts& facts);

}  // namespace lockstep::control
