#include "agent_service.h"

#include "host_facts_json.h"

#include <base/ids.h>
#include <base/log.h>
#include <telemetry/spool.h>
#include <wire/json_error.h>

#include <csignal>
#include <optional>

namespace lockstep::control {
namespace {

constexpr Seconds kLook{0.25};                   // a stream looks at least this often whether its client is still there
constexpr std::size_t kSamplesPerReply = 16384;  // 512 KiB, far below gRPC's 4 MiB

RunLaunch toLaunch(const wire::StartRanksRequest& request) {
    RunLaunch launch;
    launch.run = request.run();
    launch.epoch = request.epoch();
    launch.folder = request.folder();
    launch.lease = Seconds(request.lease_seconds());
    for (const auto& start : request.ranks()) {
        RankLaunch rank;
        rank.assignment.run = request.run();
        rank.assignment.rank = start.rank();
        rank.assignment.epoch = request.epoch();
        rank.assignment.spec = request.spec();
        rank.assignment.plan = request.plan();
        rank.assignment.folder = request.folder();
        rank.assignment.dataFolder = request.data_folder();
        rank.assignment.executor = request.executor();
        rank.assignment.key = request.key();
        rank.assignment.resume = request.resume();
        rank.assignment.leaseSeconds = request.lease_seconds();
        rank.assignment.joinSeconds = request.join_seconds();
        rank.cores.assign(start.cores().begin(), start.cores().end());
        rank.address = start.address();
        rank.tfConfig = start.tf_config();
        rank.log = launch.folder / "logs" / ("rank-" + std::to_string(start.rank()) + ".log");
        launch.ranks.push_back(std::move(rank));
    }
    return launch;
}

Error badRequest(const char* what) { return makeError("N411", {{"reason", what}}); }

Result<void> check(const wire::StartRanksRequest& request) {
    if (!isRunId(request.run())) return badRequest("a request without run id");
    if (request.ranks_size() == 0) return badRequest("a request without ranks");
    if (request.folder().empty() || request.folder().front() != '/') return badRequest("a run folder that is no absolute path");
    if (request.lease_seconds() <= 0) return badRequest("a lease of no length");
    return {};
}

std::string textOf(const Result<void>& result) { return result.ok() ? std::string() : wire::errorToJson(result.error()); }

std::optional<int> unixSignal(wire::SignalKind kind) {
    if (kind == wire::SIGNAL_TERMINATE) return SIGTERM;
    if (kind == wire::SIGNAL_KILL) return SIGKILL;
    return std::nullopt;
}

}  // namespace

grpc::Status AgentService::Info(grpc::ServerContext*, const wire::InfoRequest* request, wire::InfoReply* reply) {
    const AgentCore::Busy busy(m_core);
    reply->set_id(m_facts.id);
    reply->set_pid(m_facts.pid);
    reply->set_version(m_facts.version);
    reply->set_started(m_facts.startedUnixSeconds);
    reply->set_runs(m_core.runs());
    if (request->run().empty()) {
        auto host = cluster::probeThisHost();
        host.agentId = m_facts.id;
        reply->set_host_json(printHostFacts(host));
        return grpc::Status::OK;
    }
    const auto known = m_core.known(request->run());
    reply->set_knows_run(known.known);
    reply->set_live_ranks(known.liveRanks);
    reply->set_epoch(known.epoch);
    return grpc::Status::OK;
}

grpc::Status AgentService::StartRanks(grpc::ServerContext*, const wire::StartRanksRequest* request, wire::StartRanksReply* reply) {
    const AgentCore::Busy busy(m_core);
    auto started = check(*request);
    if (started.ok()) started = m_core.start(toLaunch(*request));
    log(started.ok() ? LogLevel::Info : LogLevel::Error,
        "run " + request->run() + ": " +
            (started.ok() ? std::to_string(request->ranks_size()) + " ranks started" : started.error().message));
    reply->set_error_json(textOf(started));
    return grpc::Status::OK;
}

grpc::Status AgentService::Watch(grpc::ServerContext* context, const wire::WatchRequest* request,
                                 grpc::ServerWriter<wire::WatchReply>* stream) {
    const AgentCore::Busy busy(m_core);
    std::uint64_t fromEvent = request->from_event();
    std::uint64_t position = request->from_position();
    std::optional<telemetry::SpoolReader> reader;
    while (!context->IsCancelled() && !m_stop.stop_requested()) {
        const auto news = m_core.news(request->run(), request->epoch(), fromEvent, position, Deadline::in(kLook));
        if (!news.ok()) return {grpc::StatusCode::NOT_FOUND, wire::errorToJson(news.error())};
        wire::WatchReply reply;
        if (!reader) {
            auto opened = telemetry::SpoolReader::open(news->samples);
            if (!opened.ok()) return {grpc::StatusCode::INTERNAL, wire::errorToJson(opened.error())};
            reader = std::move(opened).value();
        }
        const auto piece = reader->read(position, kSamplesPerReply);
        if (!piece.ok()) return {grpc::StatusCode::INTERNAL, wire::errorToJson(piece.error())};
        const bool allSamples = piece->next >= news->position;
        reply.set_samples(piece->samples.data(), piece->samples.size() * sizeof(telemetry::Sample));
        position = piece->next;
        // An exit must not be heard before the samples that were written before it.
        if (allSamples) {
            for (const auto& event : news->events) reply.add_events_json(event);
            fromEvent = news->nextEvent;
        }
        reply.set_next_event(fromEvent);
        reply.set_next_position(position);
        for (const auto& rank : news->ranks) {
            auto* state = reply.add_ranks();
            state->set_rank(rank.rank);
            state->set_pid(rank.pid);
            state->set_step(rank.step);
            state->set_steps(rank.steps);
            state->set_phase(rank.phase);
        }
        reply.set_finished(news->finished && allSamples);
        if (!stream->Write(reply) || reply.finished()) break;
    }
    return grpc::Status::OK;
}

grpc::Status AgentService::Signal(grpc::ServerContext*, const wire::SignalRequest* request, wire::SignalReply* reply) {
    const AgentCore::Busy busy(m_core);
    const std::vector<int> ranks(request->ranks().begin(), request->ranks().end());
    Result<void> sent;
    if (const auto signal = unixSignal(request->kind())) {
        sent = m_core.kill(request->run(), request->epoch(), *signal, ranks);
    } else {
        wire::RankCommand command;
        command.order = request->kind() == wire::SIGNAL_CHECKPOINT ? wire::RankOrder::Checkpoint
                        : request->kind() == wire::SIGNAL_ABORT    ? wire::RankOrder::Abort
                                                                   : wire::RankOrder::Stop;
        if (!request->why_json().empty()) command.why = wire::errorFromJson(request->why_json());
        sent = request->kind() == wire::SIGNAL_NONE ? Result<void>(badRequest("a signal without kind"))
                                                    : m_core.command(request->run(), request->epoch(), command, ranks);
    }
    reply->set_error_json(textOf(sent));
    return grpc::Status::OK;
}

grpc::Status AgentService::Release(grpc::ServerContext*, const wire::ReleaseRequest* request, wire::ReleaseReply*) {
    const AgentCore::Busy busy(m_core);
    m_core.release(request->run());
    return grpc::Status::OK;
}

}  // namespace lockstep::control
