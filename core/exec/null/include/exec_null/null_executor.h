// Costs time only: programs that compute nothing and charge, per run, the time a machine of given speed would need. For whole plans,
// launches and loops in milliseconds. States can be read and written (they never change by running), outputs are zeros of the right
// size, and buckets go through Collectives as with any other executor.
#pragma once

#include <base/clock.h>
#include <exec/executor.h>

#include <atomic>

namespace lockstep::exec::null {

// A machine by its roofline: a node takes the longer of computing and moving, plus a fixed part.
struct Machine {
    double flopsPerSecond = 1e10;
    double bytesPerSecond = 1e10;
    Seconds perNode{1e-6};
};

class NullExecutor final : public Executor {
public:
    explicit NullExecutor(Machine machine = {}) : m_machine(machine) {}

    std::string_view name() const override { return "null"; }
    Support supports(const graph::Node&, std::span<const graph::TensorType>) const override { return {true, {}}; }
    Result<std::vector<std::unique_ptr<Program>>> compileFamily(std::span<const graph::Graph* const> graphs,
                                                                const CompileOptions& options) override;

    // Modelled time of all runs of all programs so far, on any thread.
    Seconds charged() const { return Seconds(m_charged.load()); }

private:
    Machine m_machine;
    std::atomic<double> m_charged{0};
};

}  // namespace lockstep::exec::null
