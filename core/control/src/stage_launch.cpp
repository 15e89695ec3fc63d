#include "flow_stages.h"

#include "agent_run.h"

#include <control/agent.h>

#include <base/ids.h>
#include <base/log.h>
#include <base/paths.h>
#include <base/units.h>
#include <control/data_facts.h>
#include <telemetry/spool.h>

#include <algorithm>

namespace lockstep::control {
namespace {

constexpr Seconds kAgentStart{10};
constexpr std::size_t kKeyBytes = 32;

wire::StartRanksRequest makeRequest(const FlowOptions& options, const Asked& asked, const plan::Plan& plan, std::uint64_t epoch) {
    wire::StartRanksRequest request;
    request.set_run(asked.folder.run().value);
    request.set_epoch(epoch);
    request.set_folder(asked.folder.path().string());
    request.set_spec(spec::printRunSpec(asked.spec));
    request.set_plan(plan::printPlan(plan));
    request.set_data_folder(dataFolder(asked.spec).string());
    request.set_executor(options.executor == RankExecutor::Reference ? "ref" : "cpu");
    request.set_key(randomHex(kKeyBytes));
    request.set_resume(asked.resumed);
    request.set_lease_seconds(options.lease.count());
    // An older rank whose agent died keeps its place for a lease; waiting for it is part of joining.
    request.set_join_seconds(SupervisorDeadlines{}.rendezvous.count());
    for (const auto& rank : plan.ranks) {
        auto* start = request.add_ranks();
        start->set_rank(rank.rank);
        start->set_device(rank.device);
        start->mutable_cores()->Assign(rank.cores.begin(), rank.cores.end());
        const auto& task = plan.tasks.at(static_cast<std::size_t>(rank.task));
        if (plan.transport == "tcp") start->set_address(task.address);
        start->set_tf_config(task.tfConfig);
    }
    return request;
}

// An agent that is just leaving takes no run: the second one is new.
Result<std::unique_ptr<AgentLink>> startOnAgent(const wire::StartRanksRequest& request) {
    for (int attempt = 0;; ++attempt) {
        if (!agentIsThere()) LS_TRY(startAgent());
        LS_TRY(awaitAgent(Deadline::in(kAgentStart)));
        auto link = std::make_unique<AgentLink>(runtimeFolder() / "agent.sock");
        auto started = link->startRanks(request);
        if (started.ok()) return link;
        if (started.error().code != "H108" || attempt > 0) return std::move(started).error();
    }
}

Result<Launched> startRanks(const FlowOptions& options, const Asked& asked, Planned& planned, Inbox& inbox) {
    Launched launched;
    launched.epoch = planned.epoch + 1;
    // Before any rank runs: a later controller must know which epoch to look for.
    LS_TRY(planned.writer->setMeta("epoch", std::to_string(launched.epoch)));
    LS_TRY(planned.writer->flush());
    LS_TRY_ASSIGN(launched.link, startOnAgent(makeRequest(options, asked, planned.plan, launched.epoch)));
    launched.link->watch(asked.folder.run().value, launched.epoch, 0, 0, inbox);
    return launched;
}

Result<Launched> adopt(const Asked& asked, Planned& planned, std::unique_ptr<AgentLink> link, Inbox& inbox) {
    Launched launched;
    launched.epoch = planned.epoch;
    launched.adopted = true;
    LS_TRY_ASSIGN(launched.storedEvents, planned.writer->spoolPosition(eventSource(planned.epoch)));
    LS_TRY_ASSIGN(const auto position, planned.writer->spoolPosition(sampleSource(planned.epoch)));
    launched.link = std::move(link);
    launched.link->watch(asked.folder.run().value, planned.epoch, 0, position, inbox);
    return launched;
}

bool allDone(const std::vector<wire::RunEvent>& events, std::size_t ranks) {
    const auto ended = std::ranges::count_if(events, [](const wire::RunEvent& event) {
        return event.kind == wire::RunEventKind::Exited && event.done && !event.done->stopped && event.exitCode == 0;
    });
    return ranks > 0 && static_cast<std::size_t>(ended) == ranks;
}

// What ranks have measured while no controller was there.
Result<void> storeSpool(const Asked& asked, Planned& planned) {
    const auto file = sampleFile(asked.folder.spool(), planned.epoch);
    std::error_code status;
    if (!std::filesystem::exists(file, status)) return {};
    const auto source = sampleSource(planned.epoch);
    LS_TRY_ASSIGN(auto position, planned.writer->spoolPosition(source));
    LS_TRY_ASSIGN(const auto reader, telemetry::SpoolReader::open(file));
    for (;;) {
        LS_TRY_ASSIGN(const auto piece, reader.read(position));
        if (piece.samples.empty()) return planned.writer->flush();
        position = piece.next;
        LS_TRY(planned.writer->append(telemetry::toBatches(piece.samples), source, position));
    }
}

// All ranks have ended well: their last words are in the event file.
Result<Launched> finish(Planned& planned, std::vector<wire::RunEvent> events, Inbox& inbox) {
    Launched launched;
    launched.epoch = planned.epoch;
    launched.adopted = true;
    LS_TRY_ASSIGN(launched.storedEvents, planned.writer->spoolPosition(eventSource(planned.epoch)));
    AgentNews news;
    news.nextEvent = events.size();
    news.events = std::move(events);
    news.finished = true;
    inbox.put(std::move(news));
    return launched;
}

Result<Launched> resume(const FlowOptions& options, const Asked& asked, Planned& planned, Inbox& inbox) {
    if (planned.epoch == 0) return startRanks(options, asked, planned, inbox);
    const auto run = asked.folder.run().value;
    if (agentIsThere()) {
        auto link = std::make_unique<AgentLink>(runtimeFolder() / "agent.sock");
        LS_TRY_ASSIGN(const auto found, link->find(run));
        if (found.known && found.epoch == planned.epoch && found.liveRanks > 0) return adopt(asked, planned, std::move(link), inbox);
        if (found.known) LS_TRY(link->release(run));
    }
    LS_TRY(storeSpool(asked, planned));
    LS_TRY_ASSIGN(auto events, readEvents(asked.folder.spool(), planned.epoch));
    if (allDone(events, planned.plan.ranks.size())) return finish(planned, std::move(events), inbox);
    return startRanks(options, asked, planned, inbox);
}

}  // namespace

std::string sampleSource(std::uint64_t epoch) { return "e" + std::to_string(epoch) + ".samples"; }
std::string eventSource(std::uint64_t epoch) { return "e" + std::to_string(epoch) + ".events"; }

Result<Launched> launch(const FlowOptions& options, const Asked& asked, Planned& planned, Inbox& inbox, Seconds staging) {
    auto launched = asked.resumed ? resume(options, asked, planned, inbox) : startRanks(options, asked, planned, inbox);
    if (!launched.ok() || launched->adopted) return launched;
    LS_TRY(planned.writer->addEvent({unixSeconds(), "phase", -1, 0, "staging", "{\"seconds\":" + formatDouble(staging.count()) + "}"}));
    if (options.listener != nullptr) options.listener->onPhase("staging", staging);
    return launched;
}

}  // namespace lockstep::control
