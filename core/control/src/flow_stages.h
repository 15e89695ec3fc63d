// The stages of a run's life, in their order; run_flow.cpp calls them. Each takes what the one before has given.
#pragma once

#include "agent_link.h"
#include "inbox.h"
#include "status_board.h"
#include "supervisor.h"

#include <control/run_flow.h>
#include <control/run_folder.h>

#include <base/result.h>
#include <plan/plan.h>
#include <spec/run_spec.h>
#include <store/writer.h>

#include <cstdint>
#include <memory>
#include <string>

namespace lockstep::control {

// spec: what is asked for, and where the run is or will be kept.
struct Asked {
    RunFolder folder;
    spec::RunSpec spec;
    bool resumed = false;
};
Result<Asked> readSpecification(const FlowOptions& options);

// plan: made (a new run, whose folder exists afterwards) or read back (resume), and the run's store opened by its one writer.
struct Planned {
    plan::Plan plan;
    std::unique_ptr<store::Writer> writer;
    std::uint64_t epoch = 0;  // membership epoch of the newest ranks, 0 = none yet
};
Result<Planned> planRun(const FlowOptions& options, const Asked& asked);
// The part of it that makes the folder, its files and its store, from a plan.
Result<Planned> keepPlan(const Asked& asked, plan::Plan plan);

// launch: ranks started, adopted, or found to have ended; in each case the inbox hears what happens to them.
struct Launched {
    std::unique_ptr<AgentLink> link;  // none when the run's ranks have ended and their agent is gone
    std::uint64_t epoch = 1;
    std::uint64_t storedEvents = 0;  // of this epoch, before this controller
    bool adopted = false;
};
Result<Launched> launch(const FlowOptions& options, const Asked& asked, Planned& planned, Inbox& inbox, Seconds staging);

// train/telemetry → store: until all ranks have ended and everything is stored.
Outcome follow(const FlowOptions& options, const Asked& asked, Planned& planned, Launched& launched, Inbox& inbox, StatusBoard& board);

// result: from the outcome and the store; kept there too.
FlowResult conclude(const Asked& asked, Planned& planned, const Outcome& outcome);

// Names under which the store keeps how far the files of an epoch have been read.
std::string sampleSource(std::uint64_t epoch);
std::string eventSource(std::uint64_t epoch);

// The exit code of orders by FlowOptions::stop and ::kill.
inline constexpr int kInterruptedExit = 130;

// A new run that could not be launched leaves nothing.
void removeRun(const Asked& asked, Planned planned);

}  // namespace lockstep::control
