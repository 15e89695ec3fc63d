#pragma once

#include <exec/arena.h>
#include <exec_null/null_executor.h>

#include <atomic>
#include <vector>

namespace lockstep::exec::null {

class NullProgram final : public Program {
public:
    using States = std::vector<std::vector<std::byte>>;  // of a family

    // `places`: this graph's States among the shared ones. `charged` outlives the program.
    NullProgram(const graph::Graph& graph, const CompileOptions& options, const Machine& machine, std::shared_ptr<States> states,
                std::vector<std::size_t> places, std::atomic<double>& charged);

    Result<void> run(const StepInputs& inputs) override;
    std::span<const std::byte> output(std::string_view name) const override;
    void readState(std::size_t index, std::span<std::byte> into) const override;
    void writeState(std::size_t index, std::span<const std::byte> from) override;
    MemoryReport memory() const override { return m_memory; }
    CostReport cost() const override { return m_cost; }
    std::vector<OpTime> times() const override { return m_times; }

private:
    Result<void> waitFor(std::span<const int> buckets);

    graph::Graph m_graph;
    ArenaPlan m_plan;
    Collectives* m_collectives;
    std::atomic<double>& m_charged;
    MemoryReport m_memory;
    CostReport m_cost;
    double m_secondsPerRun = 0;
    std::vector<double> m_nodeSeconds;
    std::shared_ptr<States> m_states;
    std::vector<std::size_t> m_places;
    std::vector<std::vector<std::byte>> m_buckets;
    std::vector<std::byte> m_zeros;  // as long as the largest output
    std::vector<OpTime> m_times;
};

}  // namespace lockstep::exec::null
