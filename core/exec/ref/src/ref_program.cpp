#include "ref_program.h"

#include <exec/arena.h>
#include <graph/half.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace lockstep::exec::ref {

using graph::NodeId;
using graph::OpKind;

namespace {

constexpr std::byte kGuard{0xA5};

}  // namespace

std::byte* Storage::allocate(std::size_t size) {
    m_buffers.emplace_back(size + 2 * m_guardBytes, kGuard);
    std::byte* start = m_buffers.back().data() + m_guardBytes;
    std::memset(start, 0, size);
    return start;
}

bool Storage::intact() const {
    const auto isGuard = [](std::byte value) { return value == kGuard; };
    return std::ranges::all_of(m_buffers, [&](std::span<const std::byte> all) {
        return std::ranges::all_of(all.first(m_guardBytes), isGuard) && std::ranges::all_of(all.last(m_guardBytes), isGuard);
    });
}

RefProgram::RefProgram(graph::Graph graph, const CompileOptions& options, std::shared_ptr<SharedStates> shared,
                       std::vector<std::size_t> places)
    : m_graph(std::move(graph)),
      m_collectives(options.collectives),
      m_timeOps(options.timeOps),
      m_storage(options.guardBytes),
      m_shared(std::move(shared)),
      m_statePlaces(std::move(places)),
      m_inputs(m_graph.nodesOf(OpKind::Input)),
      m_states(m_graph.nodesOf(OpKind::State)) {
    m_values.resize(m_graph.nodes().size());
    m_tasks.resize(m_graph.nodes().size());
    for (std::size_t i = 0; i < m_states.size(); ++i) m_values[m_states[i].value].push_back(m_shared->places[m_statePlaces[i]]);
    for (std::uint32_t i = 0; i < m_graph.nodes().size(); ++i) bind(NodeId{i});
    planWaits();
    if (m_timeOps)
        for (const auto& node : m_graph.nodes()) m_times.push_back({node.name, 0, 0});
}

void RefProgram::bind(NodeId id) {
    const graph::Node& node = m_graph.node(id);
    if (node.op == OpKind::AllReduce)
        placeBucket(id);
    else
        placeOutputs(id);
    Task& task = m_tasks[id.value];
    task.call.node = &node;
    task.call.outputs = m_values[id.value];
    for (const auto input : node.inputs) {
        task.call.types.push_back(m_graph.type(input));
        task.call.inputs.push_back(at(input));
    }
    if (node.outputs.empty()) return;
    task.kernel = node.outputs[0].dtype == graph::DType::F64 ? kernelFor<double>(node.op) : kernelFor<float>(node.op);
    task.call.scratch.resize(scratchDoubles(task.call));
    bindWide(task);
    if (node.op == OpKind::UpdateIf) m_condition = m_values[id.value][0];
    if (graph::isOptional(node.op)) task.condition = m_condition;
}

// 16-bit operands: the kernel of float computes, its results are rounded.
void RefProgram::bindWide(Task& task) {
    if (task.kernel == nullptr) return;
    const auto wide = [this](const graph::TensorType& type, std::byte* narrow) {
        const auto count = static_cast<std::size_t>(type.shape.elements());
        return Wide{type.dtype, count, narrow, m_storage.allocate(count * sizeof(float))};
    };
    for (std::size_t i = 0; i < task.call.types.size(); ++i) {
        graph::TensorType& type = task.call.types[i];
        if (!graph::is16Bit(type.dtype)) continue;
        task.widened.push_back(wide(type, const_cast<std::byte*>(task.call.inputs[i])));
        task.call.inputs[i] = task.widened.back().wide;
        type.dtype = graph::DType::F32;
    }
    for (std::size_t i = 0; i < task.call.outputs.size(); ++i) {
        if (!graph::is16Bit(task.call.node->outputs[i].dtype)) continue;
        task.rounded.push_back(wide(task.call.node->outputs[i], task.call.outputs[i]));
        task.call.outputs[i] = task.rounded.back().wide;
    }
}

void RefProgram::placeOutputs(NodeId id) {
    const graph::Node& node = m_graph.node(id);
    auto& places = m_values[id.value];
    if (node.op == OpKind::State) return;
    if (graph::opRow(node.op).updatesState) {
        for (const std::size_t index : graph::stateInputs(node)) places.push_back(at(node.inputs[index]));
        return;
    }
    for (const auto& type : node.outputs) places.push_back(m_storage.allocate(type.bytes()));
}

void RefProgram::placeBucket(NodeId id) {
    const graph::Node& node = m_graph.node(id);
    auto bucket = std::make_unique<Bucket>();
    bucket->number = static_cast<int>(graph::intAttribute(node.attributes, "bucket"));
    bucket->dtype = node.outputs[0].dtype;
    std::size_t bytes = 0;
    for (const auto& type : node.outputs) bytes += type.bytes();
    std::byte* place = m_storage.allocate(bytes);
    bucket->memory = {place, bytes};
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        bucket->parts.emplace_back(at(node.inputs[i]), node.outputs[i].bytes());
        m_values[id.value].push_back(place);
        place += node.outputs[i].bytes();
    }
    m_tasks[id.value].starts = bucket.get();
    m_buckets.push_back(std::move(bucket));
}

void RefProgram::planWaits() {
    for (const NodeId reduce : m_graph.nodesOf(OpKind::AllReduce)) {
        const auto reads = [&](const graph::Node& node) {
            return std::ranges::any_of(node.inputs, [&](graph::Value value) { return value.node == reduce; });
        };
        const auto reader = std::ranges::find_if(m_graph.nodes(), reads);
        const int bucket = m_tasks[reduce.value].starts->number;
        if (reader == m_graph.nodes().end())
            m_waitsAtEnd.push_back(bucket);
        else
            m_tasks[static_cast<std::size_t>(reader - m_graph.nodes().begin())].waits.push_back(bucket);
    }
}

Result<void> RefProgram::run(const StepInputs& inputs) {
    for (std::size_t i = 0; i < m_inputs.size(); ++i)
        std::memcpy(m_values[m_inputs[i].value][0], inputs.feeds[i], m_graph.node(m_inputs[i]).outputs[0].bytes());
    for (std::size_t i = 0; i < m_tasks.size(); ++i) {
        if (!m_timeOps) {
            LS_TRY(runTask(i));
            continue;
        }
        const auto before = std::chrono::steady_clock::now();
        LS_TRY(runTask(i));
        m_times[i].seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
        ++m_times[i].calls;
    }
    for (const int bucket : m_waitsAtEnd) LS_TRY(m_collectives->wait(bucket));
    return {};
}

bool RefProgram::isOff(const Task& task) {
    if (task.condition == nullptr) return false;
    if (task.call.node->outputs[0].dtype == graph::DType::F64) return *reinterpret_cast<const double*>(task.condition) == 0;
    return *reinterpret_cast<const float*>(task.condition) == 0;
}

Result<void> RefProgram::runTask(std::size_t index) {
    Task& task = m_tasks[index];
    for (const int bucket : task.waits) LS_TRY(m_collectives->wait(bucket));
    if (task.starts != nullptr) return startBucket(*task.starts);
    if (task.kernel == nullptr || isOff(task)) return {};
    const auto bits = [](const Wide& one) { return std::span(reinterpret_cast<std::uint16_t*>(one.narrow), one.count); };
    const auto floats = [](const Wide& one) { return std::span(reinterpret_cast<float*>(one.wide), one.count); };
    for (const Wide& one : task.widened) graph::widenFrom(one.dtype, bits(one), floats(one));
    task.kernel(task.call);
    for (const Wide& one : task.rounded) graph::narrowTo(one.dtype, floats(one), bits(one));
    return {};
}

Result<void> RefProgram::startBucket(Bucket& bucket) {
    std::byte* place = bucket.memory.data();
    for (const auto part : bucket.parts) {
        std::memcpy(place, part.data(), part.size());
        place += part.size();
    }
    return m_collectives->start(bucket.number, bucket.memory, bucket.dtype);
}

std::span<const std::byte> RefProgram::output(std::string_view name) const {
    const auto found = m_graph.outputs().find(name);
    if (found == m_graph.outputs().end()) return {};
    return {at(found->second), m_graph.type(found->second).bytes()};
}

void RefProgram::readState(std::size_t index, std::span<std::byte> into) const {
    std::memcpy(into.data(), m_values[m_states[index].value][0], into.size());
}

void RefProgram::writeState(std::size_t index, std::span<const std::byte> from) {
    std::memcpy(m_values[m_states[index].value][0], from.data(), from.size());
}

bool RefProgram::intact() const { return m_storage.intact() && m_shared->storage.intact(); }

MemoryReport RefProgram::memory() const {
    MemoryReport report;
    for (const auto& node : m_graph.nodes()) {
        if (graph::opRow(node.op).updatesState || node.op == OpKind::Input) continue;
        for (const auto& type : node.outputs) {
            if (node.op == OpKind::AllReduce)
                report.gradients += type.bytes();
            else if (node.op != OpKind::State)
                report.activations += type.bytes();
            else if (graph::textAttributeOr(node.attributes, "role", "weight") == "slot")
                report.optimizerSlots += type.bytes();
            else
                report.weights += type.bytes();
        }
    }
    for (const auto& task : m_tasks) {
        report.workspace += task.call.scratch.size() * sizeof(double);
        for (const auto* list : {&task.widened, &task.rounded})
            for (const Wide& one : *list) report.workspace += one.count * sizeof(float);
    }
    return report;
}

CostReport RefProgram::cost() const { return costOf(m_graph); }

}  // namespace lockstep::exec::ref
