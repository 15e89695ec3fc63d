#include "flow_stages.h"

#include "recorder.h"

#include <base/log.h>
#include <wire/json_error.h>

#include <algorithm>
#include <filesystem>

namespace lockstep::control {
namespace {

constexpr Seconds kLook{0.05};
constexpr auto kFolderLook = std::chrono::seconds(1);

template <class... Visitors>
struct Overloaded : Visitors... {
    using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

wire::SignalKind kindOf(RankSignal signal) {
    switch (signal) {
        case RankSignal::Stop: return wire::SIGNAL_STOP;
        case RankSignal::Checkpoint: return wire::SIGNAL_CHECKPOINT;
        case RankSignal::Abort: return wire::SIGNAL_ABORT;
        case RankSignal::Terminate: return wire::SIGNAL_TERMINATE;
        case RankSignal::Kill: return wire::SIGNAL_KILL;
    }
    return wire::SIGNAL_NONE;
}

std::vector<store::RankRow> plannedRanks(const plan::Plan& plan) {
    std::vector<store::RankRow> rows;
    for (const auto& rank : plan.ranks) rows.push_back({rank.rank, rank.host, rank.device, 0, "planned", 0});
    return rows;
}

// A stall that was over before this controller looked is history.
void forgetPastStalls(std::vector<wire::RunEvent>& events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (events[i].kind != wire::RunEventKind::Recovered) continue;
        for (std::size_t j = 0; j < i; ++j)
            if (events[j].kind == wire::RunEventKind::Stalled && events[j].rank == events[i].rank)
                events[j].kind = wire::RunEventKind::Recovered;
    }
}

class Follower {
public:
    Follower(const FlowOptions& options, const Asked& asked, Planned& planned, Launched& launched, StatusBoard& board)
        : m_run(asked.folder.run().value),
          m_database(asked.folder.database()),
          m_launched(launched),
          m_begin(std::chrono::steady_clock::now()),
          m_looked(m_begin),
          m_supervisor(m_run, plannedRanks(planned.plan), {}, m_begin),
          m_recorder(options, asked, planned, launched, board, m_begin) {}

    Outcome run(Inbox& inbox);

private:
    using Time = Supervisor::Time;
    void read(AgentNews& news, Time now);
    void replay(const wire::RunEvent& event, Time now);
    void lookForFolder(Time now);
    void carryOut(const Actions& actions);
    void send(const SendSignal& signal);

    std::string m_run;
    std::filesystem::path m_database;
    Launched& m_launched;
    Time m_begin;
    Time m_looked;
    Supervisor m_supervisor;
    Recorder m_recorder;
};

Outcome Follower::run(Inbox& inbox) {
    m_recorder.state({m_supervisor.state(), m_launched.adopted ? "adopted" : "", "controller"});
    m_recorder.heartbeat(m_supervisor, m_begin, true);
    while (!m_supervisor.ended()) {
        auto letter = inbox.take(Deadline::in(kLook));
        const Time now = std::chrono::steady_clock::now();
        if (letter) {
            std::visit(Overloaded{[&](AgentNews& news) { read(news, now); },
                                  [&](const AgentLost& lost) { carryOut(m_supervisor.onAgentLost(lost.error, now)); },
                                  [&](const StopOrder& order) { carryOut(m_supervisor.onStop(order, now)); },
                                  [&](const CheckpointOrder& order) { carryOut(m_supervisor.onCheckpoint(order, now)); }},
                       *letter);
        }
        lookForFolder(now);
        carryOut(m_supervisor.tick(now));
        m_recorder.heartbeat(m_supervisor, now, m_supervisor.ended());
    }
    if (m_launched.link) {
        if (const auto released = m_launched.link->release(m_run); !released.ok()) log(LogLevel::Warning, released.error().message);
    }
    return m_supervisor.outcome();
}

void Follower::read(AgentNews& news, Time now) {
    m_recorder.samples(news.samples, news.position);
    forgetPastStalls(news.events);
    for (const auto& event : news.events) {
        if (event.number < m_launched.storedEvents)
            replay(event, now);
        else
            carryOut(m_supervisor.onEvent(event, now));
    }
    m_recorder.eventsStored(news.nextEvent);
    carryOut(m_supervisor.onSteps(news.steps, now));
}

// Without its folder a run is in no list, so nobody could stop it.
void Follower::lookForFolder(Time now) {
    if (now - m_looked < kFolderLook) return;
    m_looked = now;
    std::error_code status;
    const auto type = std::filesystem::symlink_status(m_database, status).type();
    if (type == std::filesystem::file_type::not_found)
        carryOut(m_supervisor.onFolderLost(makeError("R542", {{"run", m_run}, {"folder", m_database.parent_path().string()}}), now));
}

// The store has this event from an earlier controller; only its consequences count.
void Follower::replay(const wire::RunEvent& event, Time now) {
    Actions consequences;
    for (auto& action : m_supervisor.onEvent(event, now))
        if (!std::holds_alternative<Record>(action) && !std::holds_alternative<PhaseEnded>(action) && !std::holds_alternative<Warn>(action))
            consequences.push_back(std::move(action));
    carryOut(consequences);
}

void Follower::carryOut(const Actions& actions) {
    // Signals first: nothing the store does may delay them.
    for (const auto& action : actions)
        if (const auto* signal = std::get_if<SendSignal>(&action)) send(*signal);
    for (const auto& action : actions)
        std::visit(Overloaded{[](const SendSignal&) {}, [&](const EnterState& state) { m_recorder.state(state); },
                              [&](const PhaseEnded& phase) { m_recorder.phase(phase); },
                              [&](const Record& record) { m_recorder.event(record.event); },
                              [&](const Warn& warn) { m_recorder.warning(warn.warning); },
                              [&](const RankChanged& changed) { m_recorder.rank(changed.row); }},
                   action);
}

void Follower::send(const SendSignal& signal) {
    if (!m_launched.link) return;
    wire::SignalRequest request;
    request.set_run(m_run);
    request.set_epoch(m_launched.epoch);
    request.set_kind(kindOf(signal.signal));
    if (signal.why) request.set_why_json(wire::errorToJson(*signal.why));
    if (const auto sent = m_launched.link->signal(request); !sent.ok()) log(LogLevel::Warning, sent.error().message);
}

}  // namespace

Outcome follow(const FlowOptions& options, const Asked& asked, Planned& planned, Launched& launched, Inbox& inbox, StatusBoard& board) {
    return Follower(options, asked, planned, launched, board).run(inbox);
}

}  // namespace lockstep::control
