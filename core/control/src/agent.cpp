#include <control/agent.h>

#include "agent_link.h"
#include "agent_service.h"
#include "host_facts_json.h"
#include "unix_socket.h"

#include <base/file.h>
#include <base/ids.h>
#include <base/log.h>
#include <base/paths.h>
#include <base/spawn.h>
#include <base/thread.h>

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <chrono>

namespace lockstep::control {
namespace {

using namespace std::chrono_literals;

constexpr Seconds kIdle{10};
constexpr auto kPoll = 2ms;

std::filesystem::path agentSocket() { return runtimeFolder() / "agent.sock"; }
std::filesystem::path agentLog() { return stateFolder() / "agent.log"; }

// Two agents started at once: the lock decides, and it ends with its process.
Result<Fd> takeLock(const std::filesystem::path& socket) {
    const auto file = socket.string() + ".lock";
    Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!fd.valid()) return makeError("F602", {{"file", file}, {"reason", systemText(errno)}});
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return makeError("H111", {{"socket", socket.string()}});
    return fd;
}

}  // namespace

Result<void> runAgent(const AgentOptions& options, std::stop_token stop) {
    LS_TRY(makeRuntimeFolder());
    const auto socket = options.socket.empty() ? agentSocket() : options.socket;
    LS_TRY_ASSIGN(const auto lock, takeLock(socket));
    AgentFacts facts;
    facts.id = randomHex(8);
    facts.pid = ::getpid();
    facts.version = LOCKSTEP_VERSION;
    facts.startedUnixSeconds = unixSeconds();
    std::stop_source streams;
    AgentCore core;
    AgentService service(core, facts, streams.get_token());
    LS_TRY_ASSIGN(auto server, serve(service, socket));
    log(LogLevel::Info, "agent " + facts.id + " serves " + socket.string());
    while (!stop.stop_requested()) {
        std::this_thread::sleep_for(50ms);
        if (options.idleTime && core.idle() >= *options.idleTime) break;
    }
    streams.request_stop();
    ::unlink(socket.c_str());
    server->Shutdown(std::chrono::system_clock::now() + 2s);
    log(LogLevel::Info, "agent " + facts.id + " leaves");
    return {};
}

Result<AgentFacts> findAgent(Seconds deadline) {
    AgentLink link(agentSocket());
    return link.facts(deadline);
}

Result<void> startAgent() {
    LS_TRY(makeRuntimeFolder());
    LS_TRY(makeFolders(stateFolder(), 0700));
    SpawnOptions options;
    options.arguments = {"agent", "--idle=" + std::to_string(static_cast<int>(kIdle.count()))};
    options.output = agentLog();
    LS_TRY(spawnDetached(options));
    return {};
}

Result<void> awaitAgent(Deadline deadline) {
    const auto begin = std::chrono::steady_clock::now();
    while (!isListening(agentSocket())) {
        if (deadline.passed()) {
            const Seconds waited = std::chrono::steady_clock::now() - begin;
            return makeError("H107",
                             {{"seconds", std::to_string(static_cast<int>(waited.count()))}, {"reason", ""}, {"log", agentLog().string()}});
        }
        std::this_thread::sleep_for(kPoll);
    }
    return {};
}

bool agentIsThere() { return isListening(agentSocket()); }

Result<AgentFacts> findOrStartAgent(Seconds deadline) {
    const auto end = Deadline::in(deadline);
    if (!agentIsThere()) LS_TRY(startAgent());
    LS_TRY(awaitAgent(end));
    return findAgent(deadline);
}

std::string toJson(const AgentFacts& facts) {
    const nlohmann::json json = {{"schema", 1},
                                 {"id", facts.id},
                                 {"pid", facts.pid},
                                 {"version", facts.version},
                                 {"socket", facts.socket.string()},
                                 {"started", facts.startedUnixSeconds},
                                 {"runs", facts.runs},
                                 {"host", nlohmann::json::parse(printHostFacts(facts.host))}};
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace lockstep::control
