// Sums over ranks and the update rules of Keras 3 (optimizers/sgd.py, adam.py). Keras rounds the momentum and the base of beta**step
// to float32; the bias correction itself is done in double here.
#include "lowering.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lockstep::exec::cpu {

using graph::NodeId;
using graph::OpKind;
using graph::Value;

namespace {

double throughFloat(double value) { return static_cast<double>(static_cast<float>(value)); }

}  // namespace

// One buffer per all_reduce. Its inputs are written straight into it, unless a Reshape shares their memory with a later reader: those
// are copied in when the sum starts.
void Lowering::placeBuckets() {
    std::set<Value> shared;
    for (const auto& node : m_graph.nodes())
        if (node.op == OpKind::Reshape) shared.insert(node.inputs[0]);
    for (const NodeId reduce : m_graph.nodesOf(OpKind::AllReduce)) {
        const auto& node = m_graph.node(reduce);
        std::size_t bytes = 0;
        for (const auto& type : node.outputs) bytes += type.bytes();
        const BufferId bucket = m_plan.buffers.add(bytes, Category::Gradient, Lifetime::Forever);
        m_buckets.emplace(reduce, bucket);
        std::size_t offset = 0;
        for (std::uint32_t i = 0; i < node.inputs.size(); ++i) {
            const BufferId part = m_plan.buffers.part(bucket, offset);
            m_places[reduce.value][i].plain = part;
            if (m_graph.node(node.inputs[i].node).op != OpKind::Reshape && !shared.contains(node.inputs[i]))
                m_bucketParts.emplace(node.inputs[i], part);
            offset += node.outputs[i].bytes();
        }
    }
}

void Lowering::lowerAllReduce() {
    const NodeId self{m_at};
    std::size_t bytes = 0;
    for (std::uint32_t i = 0; i < node().inputs.size(); ++i) {
        const BufferId source = plain(input(i));
        const BufferId part = *m_places[m_at][i].plain;
        const std::size_t size = node().outputs[i].bytes();
        bytes += size;
        if (source != part) emit({source, part}, [=](Pointers p) { std::memcpy(p[part], p[source], size); });
    }
    Step& step = addStep(StepKind::StartBucket, {m_buckets[self]});
    step.bucket = static_cast<int>(graph::intAttribute(node().attributes, "bucket"));
    step.bucketBuffer = m_buckets[self];
    step.bucketBytes = bytes;
    m_unawaited.insert(self);
}

// This update and those behind it that differ only in their weight: one step does them all in one pass over their elements. Where the
// gradients are sums over ranks, only updates of one bucket are joined, so that none waits for the bucket of another.
std::vector<NodeId> Lowering::takeUpdates(std::size_t scalars) {
    const auto& first = node();
    const auto bucketOf = [this](const graph::Node& update) {
        const NodeId source = update.inputs[1].node;
        return m_graph.node(source).op == OpKind::AllReduce ? std::optional(source) : std::nullopt;
    };
    std::vector<NodeId> found = {NodeId{m_at}};
    for (std::uint32_t i = m_at + 1; i < m_graph.nodes().size(); ++i) {
        const auto& other = m_graph.nodes()[i];
        if (isSource(other)) continue;
        const bool alike =
            other.op == first.op && other.attributes == first.attributes && other.inputs.size() == first.inputs.size() &&
            std::equal(other.inputs.begin() + 2, other.inputs.begin() + 2 + static_cast<std::ptrdiff_t>(scalars), first.inputs.begin() + 2);
        if (!alike || other.inputs[1].node.value > m_at || bucketOf(other) != bucketOf(first)) break;
        found.push_back(NodeId{i});
        m_lowered.insert(NodeId{i});
    }
    return found;
}

// Inputs of an update are (w, g, scalars…, slots…). prepare(addresses) gives the factors of the step, apply(addresses, part, begin, end,
// factors) updates elements [begin, end) of a part.
template <class Prepare, class Apply>
void Lowering::emitUpdates(std::size_t scalars, Prepare prepare, Apply apply) {
    std::vector<UpdatePart> parts;
    std::size_t total = 0;
    const auto updates = takeUpdates(scalars);
    for (const NodeId update : updates) {
        const auto& inputs = m_graph.node(update).inputs;
        UpdatePart& part = parts.emplace_back();
        part = {plain(inputs[0]), plain(inputs[1]), {}, total, elements(inputs[0])};
        total += part.count;
        m_places[update.value][0].plain = part.weight;
        for (std::size_t slot = 2 + scalars; slot < inputs.size(); ++slot) {
            part.slots[slot - 2 - scalars] = plain(inputs[slot]);
            m_places[update.value][slot - 1 - scalars].plain = part.slots[slot - 2 - scalars];
        }
    }
    for (std::size_t scalar = 0; scalar < scalars; ++scalar)
        m_plan.buffers.touch(plain(input(2 + scalar)), static_cast<int>(m_plan.steps.size()));
    for (const UpdatePart& part : parts) m_plan.buffers.touch(part.gradient, static_cast<int>(m_plan.steps.size()));
    const int threads = m_team.threads();
    emit({}, [=](Pointers p) {
        const auto factors = prepare(p);
        splitOver(threads, total, [&](std::size_t begin, std::size_t end) {
            for (const UpdatePart& part : parts) {
                const std::size_t from = std::max(begin, part.first), to = std::min(end, part.first + part.count);
                if (from < to) apply(p, part, from - part.first, to - part.first, factors);
            }
        });
    });
}

void Lowering::lowerSgdUpdate() {
    const BufferId rate = plain(input(2));
    const bool hasSlot = node().inputs.size() == 4;
    const auto momentum = static_cast<float>(graph::doubleAttribute(node().attributes, "momentum"));
    const int nesterov = graph::intAttributeOr(node().attributes, "nesterov", 0) != 0 ? 1 : 0;
    const UpdateLoops& loops = m_loops.update;
    emitUpdates(
        1,
        [=](Pointers p) {
            return SgdFactors{*floats(p, rate), momentum, nesterov};
        },
        [=, &loops](Pointers p, const UpdatePart& part, std::size_t begin, std::size_t end, const SgdFactors& factors) {
            float* w = floats(p, part.weight) + begin;
            const float* g = floats(p, part.gradient) + begin;
            if (hasSlot)
                loops.momentum(w, g, floats(p, part.slots[0]) + begin, end - begin, factors);
            else
                loops.sgd(w, g, end - begin, factors);
        });
}

void Lowering::lowerAdamUpdate() {
    const BufferId rate = plain(input(2));
    const BufferId step = plain(input(3));
    const double beta1 = graph::doubleAttribute(node().attributes, "beta_1");
    const double beta2 = graph::doubleAttribute(node().attributes, "beta_2");
    const double epsilon = graph::doubleAttribute(node().attributes, "epsilon");
    const UpdateLoops& loops = m_loops.update;
    emitUpdates(
        2,
        [=](Pointers p) {
            const auto t = static_cast<double>(*floats(p, step));
            const double correction = std::sqrt(1 - std::pow(throughFloat(beta2), t)) / (1 - std::pow(throughFloat(beta1), t));
            return AdamFactors{static_cast<float>(static_cast<double>(*floats(p, rate)) * correction), static_cast<float>(1 - beta1),
                               static_cast<float>(1 - beta2), static_cast<float>(epsilon)};
        },
        [=, &loops](Pointers p, const UpdatePart& part, std::size_t begin, std::size_t end, const AdamFactors& factors) {
            loops.adam(floats(p, part.weight) + begin, floats(p, part.gradient) + begin, floats(p, part.slots[0]) + begin,
                       floats(p, part.slots[1]) + begin, end - begin, factors);
        });
}

// Moving statistics: a vector per channel, so one thread.
void Lowering::lowerMovingUpdate() {
    const BufferId state = plain(input(0));
    const BufferId value = plain(input(1));
    const bool hasCount = node().inputs.size() == 3;
    const BufferId count = hasCount ? plain(input(2)) : value;
    m_places[m_at][0].plain = state;
    const double momentum = throughFloat(graph::doubleAttribute(node().attributes, "momentum"));
    const auto places = static_cast<double>(graph::intAttributeOr(node().attributes, "bessel", 0));
    const std::size_t length = elements(input(0));
    emit({state, value, count}, [=](Pointers p) {
        const double rows = hasCount ? static_cast<double>(*floats(p, count)) : 1;
        if (rows == 0) return;
        const double factor = (1 - momentum) * (places > 0 ? places * rows / std::max(places * rows - 1, 1.0) : 1);
        for (std::size_t i = 0; i < length; ++i) {
            float& kept = floats(p, state)[i];
            kept = static_cast<float>(static_cast<double>(kept) * momentum + static_cast<double>(floats(p, value)[i]) * factor);
        }
    });
}

}  // namespace lockstep::exec::cpu
