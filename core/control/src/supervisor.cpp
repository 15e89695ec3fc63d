#include "supervisor.h"

#include "exit_words.h"

#include <control/run_flow.h>

#include <base/units.h>
#include <wire/json_error.h>

#include <algorithm>

namespace lockstep::control {
namespace {

using store::RunState;

bool isLaunching(RunState state) { return state == RunState::Spawning || state == RunState::Rendezvous || state == RunState::WarmingUp; }

store::Event makeEvent(const wire::RunEvent& event, const char* kind, std::string text, std::string detail = {}) {
    return {event.time, kind, event.rank, event.step, std::move(text), std::move(detail)};
}

std::string rankName(int rank) { return "Rank " + std::to_string(rank); }

}  // namespace

Supervisor::Supervisor(std::string run, std::vector<store::RankRow> ranks, SupervisorDeadlines deadlines, Time now)
    : m_run(std::move(run)), m_deadlines(deadlines), m_phaseStart(now), m_heard(now) {
    for (auto& row : ranks) m_ranks.push_back({std::move(row), false, false, false, {}});
}

std::vector<store::RankRow> Supervisor::ranks() const {
    std::vector<store::RankRow> rows;
    for (const auto& rank : m_ranks) rows.push_back(rank.row);
    return rows;
}

std::uint64_t Supervisor::step() const {
    if (m_ranks.empty()) return 0;
    return std::ranges::min_element(m_ranks, {}, [](const Rank& rank) { return rank.row.step; })->row.step;
}

Supervisor::Rank* Supervisor::find(int rank) {
    const auto found = std::ranges::find_if(m_ranks, [rank](const Rank& each) { return each.row.rank == rank; });
    return found == m_ranks.end() ? nullptr : &*found;
}

void Supervisor::setRankState(Rank& rank, const char* state, Actions& actions) {
    if (rank.row.state == state) return;
    rank.row.state = state;
    actions.push_back(RankChanged{rank.row});
}

void Supervisor::enter(RunState state, std::string cause, std::string actor, Actions& actions) {
    if (m_state == state) return;
    m_state = state;
    actions.push_back(EnterState{state, std::move(cause), std::move(actor)});
}

Actions Supervisor::onEvent(const wire::RunEvent& event, Time now) {
    Actions actions;
    m_heard = now;
    Rank* rank = find(event.rank);
    if (rank == nullptr || rank->exited || ended()) return actions;
    rank->row.step = std::max(rank->row.step, event.step);
    switch (event.kind) {
        case wire::RunEventKind::Started:
            rank->row.pid = event.pid;
            setRankState(*rank, "spawning", actions);
            break;
        case wire::RunEventKind::Phase:
            rank->appeared = true;
            rank->joined = rank->joined || event.text == "joined";
            actions.push_back(Record{makeEvent(event, "phase", rankName(event.rank) + ": " + event.text)});
            break;
        case wire::RunEventKind::Checkpoint:
            actions.push_back(
                Record{makeEvent(event, "checkpoint", "Checkpoint " + event.text + " at step " + std::to_string(event.step))});
            break;
        case wire::RunEventKind::Warning:
            actions.push_back(Record{makeEvent(event, "warning", event.error ? event.error->message : event.text)});
            if (event.error) actions.push_back(Warn{*event.error});
            break;
        case wire::RunEventKind::Stalled: onStalled(event, actions, now); break;
        case wire::RunEventKind::Recovered:
            actions.push_back(Record{makeEvent(event, "warning", rankName(event.rank) + " goes on")});
            break;
        case wire::RunEventKind::Exited: onExited(*rank, event, actions, now); break;
    }
    advance(actions, now);
    return actions;
}

Actions Supervisor::onSteps(const std::vector<RankStep>& steps, Time now) {
    Actions actions;
    m_heard = now;
    for (const auto& [number, step, total] : steps) {
        m_steps = std::max(m_steps, total);
        Rank* rank = find(number);
        if (rank == nullptr || step <= rank->row.step) continue;
        rank->row.step = step;
        if (!rank->exited) setRankState(*rank, "running", actions);
    }
    advance(actions, now);
    return actions;
}

void Supervisor::endPhase(Actions& actions, const char* name, RunState next, Time now) {
    actions.push_back(PhaseEnded{name, now - m_phaseStart});
    m_phaseStart = now;
    enter(next, "", "controller", actions);
}

void Supervisor::advance(Actions& actions, Time now) {
    if (m_cause || m_stop) return;
    const auto all = [&](auto&& test) { return std::ranges::all_of(m_ranks, test); };
    if (m_state == RunState::Spawning && all([](const Rank& r) { return r.appeared || r.row.step > 0 || r.done; }))
        endPhase(actions, "spawning", RunState::Rendezvous, now);
    if (m_state == RunState::Rendezvous && all([](const Rank& r) { return r.joined || r.row.step > 0 || r.done; }))
        endPhase(actions, "rendezvous", RunState::WarmingUp, now);
    if (m_state == RunState::WarmingUp && all([](const Rank& r) { return r.row.step > 0 || r.done; }))
        endPhase(actions, "first step", RunState::Running, now);
}

void Supervisor::onExited(Rank& rank, const wire::RunEvent& event, Actions& actions, Time now) {
    rank.exited = true;
    rank.done = event.done;
    const bool good = event.done && event.exitCode == 0 && event.signal == 0;
    const std::string how = howItEnded(event.exitCode, event.signal);
    setRankState(rank, !good ? "failed" : event.done->stopped ? "stopped" : "completed", actions);
    // The error of a rank that ended without a word says all that its exit says.
    if (!good && !event.error && !m_endedByUs && failWithoutWord(rank, event, how, actions, now)) return;
    actions.push_back(Record{makeEvent(
        event, "exit", rankName(event.rank) + (good ? " has ended" : " ended with " + how) + " at step " + std::to_string(rank.row.step),
        wire::toJson(event))});
    if (event.error && !good)
        fail({withContext(*event.error, "training on rank " + std::to_string(event.rank)), !isConsequence(event.error->code)}, event.rank,
             rank.row.step, actions, now);
}

bool Supervisor::failWithoutWord(const Rank& rank, const wire::RunEvent& event, const std::string& how, Actions& actions, Time now) {
    return fail({makeError("R502", {{"rank", std::to_string(event.rank)},
                                    {"how", how},
                                    {"step", std::to_string(rank.row.step)},
                                    {"meaning", whatItMeans(event.exitCode, event.signal)},
                                    {"run", m_run}}),
                 true},
                event.rank, rank.row.step, actions, now);
}

void Supervisor::onStalled(const wire::RunEvent& event, Actions& actions, Time now) {
    // A rank that answers and waits for others is not the one to blame.
    const bool waits = !event.silent && !event.late.empty() && std::ranges::find(event.late, event.rank) == event.late.end();
    const int guilty = waits ? event.late.front() : event.rank;
    const Rank* rank = find(guilty);
    if (rank == nullptr) return;
    const std::string how = guilty == event.rank && event.silent ? "is not heard any more" : "makes no progress";
    fail({makeError("R504", {{"rank", std::to_string(guilty)},
                             {"how", how},
                             {"seconds", formatDuration(Seconds(event.seconds))},
                             {"step", std::to_string(rank->row.step)},
                             {"run", m_run}}),
          true},
         guilty, rank->row.step, actions, now);
}

bool Supervisor::fail(Cause cause, int rank, std::uint64_t step, Actions& actions, Time now) {
    const bool first = !m_cause;
    if (!first && (m_cause->primary || !cause.primary)) return false;
    actions.push_back(Record{{0, "error", rank, step, cause.error.message, wire::errorToJson(cause.error)}});
    m_cause = std::move(cause);
    if (!first) return true;
    actions.push_back(SendSignal{RankSignal::Abort, m_cause->error});
    const auto at = [now](Seconds wait) { return now + std::chrono::duration_cast<Time::duration>(wait); };
    m_ladder = {{at(m_deadlines.abortTerminate), RankSignal::Terminate},
                {at(m_deadlines.abortKill), RankSignal::Kill},
                {at(m_deadlines.abortKill + m_deadlines.gone), std::nullopt}};
    return true;
}

Actions Supervisor::onStop(const StopOrder& order, Time now) {
    Actions actions;
    if (ended() || m_cause || (m_stop && order.mode <= m_stop->mode)) return actions;
    m_stop = order;
    const auto at = [now](Seconds wait) { return now + std::chrono::duration_cast<Time::duration>(wait); };
    actions.push_back(Record{{0, "command", -1, step(),
                              order.mode == StopMode::Kill     ? "kill"
                              : order.mode == StopMode::Insist ? "insist"
                                                               : "stop",
                              ""}});
    enter(RunState::Checkpointing, "stop", order.actor, actions);
    switch (order.mode) {
        case StopMode::Ask:
            actions.push_back(SendSignal{RankSignal::Stop, {}});
            m_ladder = {{at(m_deadlines.stopInsist), RankSignal::Terminate},
                        {at(m_deadlines.stopKill), RankSignal::Kill},
                        {at(m_deadlines.stopKill + m_deadlines.gone), std::nullopt}};
            break;
        case StopMode::Insist:
            actions.push_back(SendSignal{RankSignal::Terminate, {}});
            m_ladder = {{at(m_deadlines.insistKill), RankSignal::Kill}, {at(m_deadlines.insistKill + m_deadlines.gone), std::nullopt}};
            break;
        case StopMode::Kill:
            actions.push_back(SendSignal{RankSignal::Kill, {}});
            m_endedByUs = true;
            m_ladder = {{at(m_deadlines.gone), std::nullopt}};
            break;
    }
    return actions;
}

Actions Supervisor::onCheckpoint(const CheckpointOrder& order, Time) {
    Actions actions;
    if (ended() || m_cause || m_stop) return actions;
    actions.push_back(Record{{0, "command", -1, step(), "checkpoint asked by " + order.actor, ""}});
    actions.push_back(SendSignal{RankSignal::Checkpoint, {}});
    return actions;
}

Actions Supervisor::onAgentLost(const Error& error, Time) {
    Actions actions;
    if (ended()) return actions;
    actions.push_back(Record{{0, "error", -1, step(), error.message, wire::errorToJson(error)}});
    m_outcome = Outcome{RunState::Lost, error.message, "controller", error, error.exitCode, {}};
    return actions;
}

Actions Supervisor::onFolderLost(const Error& error, Time now) {
    Actions actions;
    if (!ended()) fail({error, true}, -1, step(), actions, now);
    return actions;
}

Actions Supervisor::tick(Time now) {
    Actions actions;
    if (ended()) return actions;
    if (std::ranges::all_of(m_ranks, &Rank::exited)) {
        finish();
        return actions;
    }
    if (now - m_heard >= m_deadlines.agentSilence)
        return onAgentLost(
            makeError("H110", {{"socket", "this host"}, {"reason", "nothing heard for " + formatDuration(Seconds(now - m_heard))}}), now);
    if (!m_cause && !m_stop && isLaunching(m_state)) checkLaunch(actions, now);
    climb(actions, now);
    return actions;
}

void Supervisor::climb(Actions& actions, Time now) {
    while (!m_ladder.empty() && now >= m_ladder.front().at) {
        const Rung rung = m_ladder.front();
        m_ladder.erase(m_ladder.begin());
        if (!rung.signal) {
            finish();
            return;
        }
        m_endedByUs = m_endedByUs || m_cause || *rung.signal == RankSignal::Kill;
        actions.push_back(SendSignal{*rung.signal, {}});
    }
}

std::string Supervisor::names(bool Rank::*flag, bool value) const {
    std::string text;
    for (const auto& rank : m_ranks)
        if (rank.*flag == value) text += (text.empty() ? "" : ", ") + std::to_string(rank.row.rank);
    return text;
}

Error Supervisor::missing(const char* code, const std::string& who, const std::string& present, Seconds waited) const {
    return makeError(
        code,
        {{"missing", who}, {"present", present.empty() ? "none" : present}, {"seconds", formatDouble(waited.count())}, {"run", m_run}});
}

void Supervisor::checkLaunch(Actions& actions, Time now) {
    const Seconds waited = now - m_phaseStart;
    std::optional<Error> late;
    if (m_state == RunState::Spawning && waited >= m_deadlines.spawning)
        late = missing("R501", names(&Rank::appeared, false), names(&Rank::appeared, true), m_deadlines.spawning);
    if (m_state == RunState::Rendezvous && waited >= m_deadlines.rendezvous)
        late = missing("R501", names(&Rank::joined, false), names(&Rank::joined, true), m_deadlines.rendezvous);
    if (m_state == RunState::WarmingUp && waited >= m_deadlines.firstStep) {
        std::string who;
        for (const auto& rank : m_ranks)
            if (rank.row.step == 0) who += (who.empty() ? "" : ", ") + std::to_string(rank.row.rank);
        late = missing("R539", who, "", m_deadlines.firstStep);
    }
    if (late) fail({*late, true}, -1, 0, actions, now);
}

void Supervisor::finish() {
    Outcome outcome;
    const Rank* first = m_ranks.empty() ? nullptr : &m_ranks.front();
    if (first != nullptr) outcome.done = first->done;
    const auto done = [](const Rank& rank) { return rank.done.has_value(); };
    const bool allDone = std::ranges::all_of(m_ranks, done);
    const bool equal =
        std::ranges::all_of(m_ranks, [&](const Rank& rank) { return rank.done && rank.done->weightsHash == first->done->weightsHash; });
    if (!m_cause && allDone && !equal) m_cause = Cause{makeError("R540", {{"run", m_run}}), true};
    if (m_cause) {
        outcome.state = RunState::Failed;
        outcome.error = m_cause->error;
        outcome.cause = m_cause->error.message;
        outcome.exitCode = m_cause->error.exitCode;
    } else if (allDone && !first->done->stopped) {
        outcome.state = RunState::Completed;
        if (!first->done->endedBy.empty()) outcome.cause = "ended by " + first->done->endedBy;
    } else {
        outcome.state = RunState::Stopped;
        const std::string rule = allDone ? first->done->endedBy : "";
        outcome.cause = m_stop ? "stopped by " + m_stop->actor : rule.empty() ? "a rank was asked to end" : "ended by " + rule;
        outcome.actor = m_stop ? m_stop->actor : "system";
        outcome.exitCode = m_stop ? m_stop->exitCode : rule.empty() ? 0 : kRuleExit;
    }
    m_outcome = std::move(outcome);
}

}  // namespace lockstep::control
