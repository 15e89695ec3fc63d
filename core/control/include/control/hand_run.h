// The run as task 0 keeps it when tasks are started by hand (no agent, no controller): folder, store, result, and the socket at which
// `lockstep stop` and `lockstep status` find it.
//
// Threads: one, "store", which moves samples into run.db ten times a second and carries out orders; those of gRPC that serve the socket.
// sample() and progress() are for the training thread: no system call.
#pragma once

#include <control/run_flow.h>
#include <control/run_folder.h>

#include <base/result.h>
#include <plan/plan.h>
#include <spec/run_spec.h>
#include <telemetry/sample.h>
#include <wire/rank_messages.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace lockstep::control {

// What the orders that come by the socket set; both outlive the run.
struct HandOrders {
    std::atomic<bool>& stop;        // checkpoint and stop
    std::atomic<bool>& checkpoint;  // write one now
};

class HandRun {
public:
    // Makes the run's folder and its socket. Errors: R532, F6xx, N413 (socket); nothing is left then.
    static Result<std::unique_ptr<HandRun>> open(const std::filesystem::path& project, const RunId& run, const spec::RunSpec& spec,
                                                 const plan::Plan& plan, HandOrders orders);
    virtual ~HandRun() = default;

    virtual const RunFolder& folder() const = 0;
    // The training begins; `steps` of the whole run.
    virtual void running(std::uint64_t steps) = 0;
    virtual void progress(std::uint64_t step) noexcept = 0;
    virtual void sample(const telemetry::Sample& sample) noexcept = 0;
    virtual void event(const store::Event& event) = 0;
    // For a process that ends at once: stores that the run was stopped by `actor`, and takes the socket away. Any thread.
    virtual void abandon(const std::string& actor) = 0;
    // Stores the end; the result as `run --json` prints it.
    virtual FlowResult finish(const Result<wire::RankDone>& outcome) = 0;
};

}  // namespace lockstep::control
