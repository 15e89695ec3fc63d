// The run as task 0 keeps it when tasks are started by hand (no agent, no controller): folder, store and result.
//
// Threads: one, "store", which moves samples into run.db ten times a second. sample() is for the training thread: a ring, no system call.
#pragma once

#include <control/run_flow.h>
#include <control/run_folder.h>

#include <base/result.h>
#include <plan/plan.h>
#include <spec/run_spec.h>
#include <telemetry/sample.h>
#include <wire/rank_messages.h>

#include <memory>

namespace lockstep::control {

class HandRun {
public:
    // Makes the run's folder. Errors: R532, F6xx.
    static Result<std::unique_ptr<HandRun>> open(const std::filesystem::path& project, const RunId& run, const spec::RunSpec& spec, const plan::Plan& plan);
    virtual ~HandRun() = default;

    virtual const RunFolder& folder() const = 0;
    virtual void running() = 0;
    virtual void sample(const telemetry::Sample& sample) noexcept = 0;
    virtual void event(const store::Event& event) = 0;
    // Stores the end; the result as `run --json` prints it.
    virtual FlowResult finish(const Result<wire::RankDone>& outcome) = 0;
};

}  // namespace lockstep::control
