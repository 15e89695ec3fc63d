// Decides what a run needs, from what happens to its ranks: launch phases and their deadlines, the stop ladder (ask, insist, kill),
// failures and whose fault they are. Pure: no clock, no network, no disk of its own; the caller brings events with their time and
// carries out the actions. So thousands of failures can be simulated in seconds.
#pragma once

#include "inbox.h"

#include <base/clock.h>
#include <base/error.h>
#include <store/run_state.h>
#include <wire/run_event.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lockstep::control {

struct SupervisorDeadlines {
    Seconds spawning{20};
    Seconds rendezvous{60};
    Seconds firstStep{180};
    Seconds agentSilence{20};     // an agent's stream says something four times a second
    Seconds abortTerminate{0.7};  // after a failure: ask at once, SIGTERM, SIGKILL
    Seconds abortKill{1.4};
    Seconds stopInsist{60};  // after "stop": ask at once, SIGTERM, SIGKILL
    Seconds stopKill{75};
    Seconds insistKill{15};  // after "insist"
    Seconds gone{5};         // after the last SIGKILL
};

enum class RankSignal : std::uint8_t { Stop, Checkpoint, Abort, Terminate, Kill };

struct SendSignal {
    RankSignal signal{};
    std::optional<Error> why;
};
struct EnterState {
    store::RunState state{};
    std::string cause;
    std::string actor = "controller";
};
struct PhaseEnded {
    std::string name;
    Seconds took{};
};
struct Record {
    store::Event event;
};
struct Warn {
    Error warning;
};
struct RankChanged {
    store::RankRow row;
};
using Action = std::variant<SendSignal, EnterState, PhaseEnded, Record, Warn, RankChanged>;
using Actions = std::vector<Action>;

struct Outcome {
    store::RunState state{};  // Completed, Stopped, Failed, Lost
    std::string cause;
    std::string actor = "controller";
    std::optional<Error> error;
    int exitCode = 0;
    std::optional<wire::RankDone> done;  // of rank 0
};

class Supervisor {
public:
    using Time = std::chrono::steady_clock::time_point;

    Supervisor(std::string run, std::vector<store::RankRow> ranks, SupervisorDeadlines deadlines, Time now);

    Actions onEvent(const wire::RunEvent& event, Time now);
    Actions onSteps(const std::vector<RankStep>& steps, Time now);
    Actions onStop(const StopOrder& order, Time now);
    Actions onCheckpoint(const CheckpointOrder& order, Time now);
    Actions onAgentLost(const Error& error, Time now);
    // Somebody took the run's folder away: nothing could be kept, so the ranks end and the run has failed.
    Actions onFolderLost(const Error& error, Time now);
    // Deadlines. Call at least every 100 ms, after events.
    Actions tick(Time now);

    bool ended() const { return m_outcome.has_value(); }
    const Outcome& outcome() const { return *m_outcome; }  // Precondition: ended().
    store::RunState state() const { return m_state; }
    std::vector<store::RankRow> ranks() const;
    std::uint64_t step() const;                      // finished by all ranks
    std::uint64_t steps() const { return m_steps; }  // of the whole run, 0 = not known yet

private:
    struct Rank {
        store::RankRow row;
        bool appeared = false;
        bool joined = false;
        bool exited = false;
        std::optional<wire::RankDone> done;
    };
    struct Rung {
        Time at;
        std::optional<RankSignal> signal;  // none: give up waiting
    };
    struct Cause {
        Error error;
        bool primary = false;  // not a mere consequence of another rank's end
    };

    Rank* find(int rank);
    void advance(Actions& actions, Time now);
    void endPhase(Actions& actions, const char* name, store::RunState next, Time now);
    void checkLaunch(Actions& actions, Time now);
    void climb(Actions& actions, Time now);
    void onExited(Rank& rank, const wire::RunEvent& event, Actions& actions, Time now);
    void onStalled(const wire::RunEvent& event, Actions& actions, Time now);
    // False when an earlier cause stands: nothing is recorded.
    bool fail(Cause cause, int rank, std::uint64_t step, Actions& actions, Time now);
    bool failWithoutWord(const Rank& rank, const wire::RunEvent& event, const std::string& how, Actions& actions, Time now);
    void finish();
    void setRankState(Rank& rank, const char* state, Actions& actions);
    void enter(store::RunState state, std::string cause, std::string actor, Actions& actions);
    std::string names(bool Rank::*flag, bool value) const;
    Error missing(const char* code, const std::string& who, const std::string& present, Seconds waited) const;

    std::string m_run;
    std::vector<Rank> m_ranks;
    SupervisorDeadlines m_deadlines;
    store::RunState m_state = store::RunState::Spawning;
    std::uint64_t m_steps = 0;
    Time m_phaseStart;
    Time m_heard;
    std::vector<Rung> m_ladder;  // next first
    std::optional<Cause> m_cause;
    std::optional<StopOrder> m_stop;
    bool m_endedByUs = false;  // SIGTERM or SIGKILL has been sent: how ranks end says nothing any more
    std::optional<Outcome> m_outcome;
};

}  // namespace lockstep::control
