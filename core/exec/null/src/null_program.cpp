#include "null_program.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace lockstep::exec::null {

using graph::NodeId;
using graph::OpKind;

NullProgram::NullProgram(const graph::Graph& graph, const CompileOptions& options, const Machine& machine, std::shared_ptr<States> states,
                         std::vector<std::size_t> places, std::atomic<double>& charged)
    : m_graph(graph),
      m_plan(planArena(graph)),
      m_collectives(options.collectives),
      m_charged(charged),
      m_memory(memoryOf(graph, m_plan)),
      m_cost(costOf(graph)),
      m_states(std::move(states)),
      m_places(std::move(places)) {
    for (const graph::Node& node : m_graph.nodes()) {
        const graph::OpCost cost = graph::costOf(m_graph, node);
        const bool source = node.op == OpKind::Input || node.op == OpKind::State;
        const double roofline = std::max(cost.flops / machine.flopsPerSecond, cost.bytes / machine.bytesPerSecond);
        const double seconds = source ? 0 : roofline + machine.perNode.count();
        m_nodeSeconds.push_back(seconds);
        m_secondsPerRun += seconds;
        if (options.timeOps) m_times.push_back({node.name, 0, 0});
    }
    for (const Bucket& bucket : m_plan.buckets()) m_buckets.emplace_back(bucket.bytes);
    std::size_t largest = 0;
    for (const auto& [name, value] : m_graph.outputs()) largest = std::max(largest, m_graph.type(value).bytes());
    m_zeros.resize(largest);
}

Result<void> NullProgram::run(const StepInputs&) {
    for (std::uint32_t n = 0; n < m_graph.nodes().size(); ++n) {
        LS_TRY(waitFor(m_plan.waitsBefore(NodeId{n})));
        if (!m_times.empty()) {
            ++m_times[n].calls;
            m_times[n].seconds += m_nodeSeconds[n];
        }
        const graph::Node& node = m_graph.nodes()[n];
        if (node.op != OpKind::AllReduce) continue;
        const auto bucket = static_cast<int>(graph::intAttribute(node.attributes, "bucket"));
        LS_TRY(m_collectives->start(bucket, m_buckets[static_cast<std::size_t>(bucket)], node.outputs[0].dtype));
    }
    LS_TRY(waitFor(m_plan.waitsAtEnd()));
    m_charged.fetch_add(m_secondsPerRun);
    return {};
}

Result<void> NullProgram::waitFor(std::span<const int> buckets) {
    for (const int bucket : buckets) LS_TRY(m_collectives->wait(bucket));
    return {};
}

std::span<const std::byte> NullProgram::output(std::string_view name) const {
    const auto found = m_graph.outputs().find(name);
    if (found == m_graph.outputs().end()) return {};
    return std::span(m_zeros).first(m_graph.type(found->second).bytes());
}

void NullProgram::readState(std::size_t index, std::span<std::byte> into) const {
    const auto& state = (*m_states)[m_places[index]];
    assert(into.size() == state.size());
    std::memcpy(into.data(), state.data(), into.size());
}

void NullProgram::writeState(std::size_t index, std::span<const std::byte> from) {
    auto& state = (*m_states)[m_places[index]];
    assert(from.size() == state.size());
    std::memcpy(state.data(), from.data(), from.size());
}

}  // namespace lockstep::exec::null
