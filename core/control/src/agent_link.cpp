#include "agent_link.h"

#include "host_facts_json.h"
#include "unix_socket.h"

#include <base/thread.h>
#include <wire/json_error.h>

#include <cstring>

namespace lockstep::control {
namespace {

constexpr Seconds kCall{5};
constexpr Seconds kStart{30};  // binds ports, makes files, starts processes

Result<void> toResult(const std::string& errorJson) {
    if (errorJson.empty()) return {};
    return wire::errorFromJson(errorJson);
}

Result<AgentNews> toNews(const wire::WatchReply& reply) {
    AgentNews news;
    for (const auto& text : reply.events_json()) {
        LS_TRY_ASSIGN(auto event, wire::parseRunEvent(text));
        news.events.push_back(std::move(event));
    }
    news.samples.resize(reply.samples().size() / sizeof(telemetry::Sample));
    if (!news.samples.empty()) std::memcpy(news.samples.data(), reply.samples().data(), news.samples.size() * sizeof(telemetry::Sample));
    for (const auto& rank : reply.ranks()) news.steps.push_back({rank.rank(), rank.step(), rank.steps()});
    news.nextEvent = reply.next_event();
    news.position = reply.next_position();
    news.finished = reply.finished();
    return news;
}

}  // namespace

AgentLink::AgentLink(std::filesystem::path socket) : m_socket(std::move(socket)), m_stub(wire::Agent::NewStub(makeChannel(m_socket))) {}

AgentLink::~AgentLink() { m_watchContext.TryCancel(); }

Error AgentLink::noAnswer(const grpc::Status& status) const {
    return makeError("H108", {{"socket", m_socket.string()}, {"reason", status.error_message()}});
}

Result<AgentFacts> AgentLink::facts(Seconds deadline) {
    grpc::ClientContext context;
    setDeadline(context, deadline);
    wire::InfoReply reply;
    if (const auto status = m_stub->Info(&context, {}, &reply); !status.ok()) return noAnswer(status);
    LS_TRY_ASSIGN(auto host, parseHostFacts(reply.host_json()));
    return AgentFacts{reply.id(), reply.pid(), reply.version(), m_socket, reply.started(), reply.runs(), std::move(host)};
}

Result<RunOnAgent> AgentLink::find(const std::string& run) {
    grpc::ClientContext context;
    setDeadline(context, kCall);
    wire::InfoRequest request;
    request.set_run(run);
    wire::InfoReply reply;
    if (const auto status = m_stub->Info(&context, request, &reply); !status.ok()) return noAnswer(status);
    return RunOnAgent{reply.knows_run(), reply.epoch(), reply.live_ranks()};
}

Result<void> AgentLink::startRanks(const wire::StartRanksRequest& request) {
    grpc::ClientContext context;
    setDeadline(context, kStart);
    wire::StartRanksReply reply;
    if (const auto status = m_stub->StartRanks(&context, request, &reply); !status.ok()) return noAnswer(status);
    return toResult(reply.error_json());
}

Result<void> AgentLink::signal(const wire::SignalRequest& request) {
    grpc::ClientContext context;
    setDeadline(context, kCall);
    wire::SignalReply reply;
    if (const auto status = m_stub->Signal(&context, request, &reply); !status.ok()) return noAnswer(status);
    return toResult(reply.error_json());
}

Result<void> AgentLink::release(const std::string& run) {
    grpc::ClientContext context;
    setDeadline(context, kCall);
    wire::ReleaseRequest request;
    request.set_run(run);
    wire::ReleaseReply reply;
    if (const auto status = m_stub->Release(&context, request, &reply); !status.ok()) return noAnswer(status);
    return toResult(reply.error_json());
}

void AgentLink::watch(const std::string& run, std::uint64_t epoch, std::uint64_t fromEvent, std::uint64_t position, Inbox& inbox) {
    wire::WatchRequest request;
    request.set_run(run);
    request.set_epoch(epoch);
    request.set_from_event(fromEvent);
    request.set_from_position(position);
    m_watcher = startThread("watch", [this, request, &inbox](std::stop_token) { read(request, inbox); });
}

void AgentLink::read(const wire::WatchRequest& request, Inbox& inbox) {
    const auto stream = m_stub->Watch(&m_watchContext, request);
    wire::WatchReply reply;
    bool finished = false;
    while (stream->Read(&reply)) {
        auto news = toNews(reply);
        if (!news.ok()) {
            m_watchContext.TryCancel();
            inbox.put(AgentLost{std::move(news).error()});
            return;
        }
        finished = news->finished;
        inbox.put(std::move(news).value());
    }
    const auto status = stream->Finish();
    if (finished) return;
    inbox.put(AgentLost{makeError("H110", {{"socket", m_socket.string()}, {"reason", status.error_message()}})});
}

}  // namespace lockstep::control
