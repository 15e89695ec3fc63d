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

void Lowering::lowerSgdUpdate() {
    const BufferId w = plain(input(0));
    const BufferId g = plain(input(1));
    const BufferId rate = plain(input(2));
    const bool hasSlot = node().inputs.size() == 4;
    const BufferId slot = hasSlot ? plain(input(3)) : w;
    m_places[m_at][0].plain = w;
    if (hasSlot) m_places[m_at][1].plain = slot;
    const auto momentum = static_cast<float>(graph::doubleAttribute(node().attributes, "momentum"));
    const int nesterov = graph::intAttributeOr(node().attributes, "nesterov", 0) != 0 ? 1 : 0;
    const std::size_t count = elements(input(0));
    const Loops& loops = m_loops;
    const int threads = m_team.threads();
    emit({w, g, rate, slot}, [=, &loops](Pointers p) {
        const SgdFactors factors{*floats(p, rate), momentum, nesterov};
        splitOver(threads, count, [&](std::size_t begin, std::size_t end) {
            if (hasSlot)
                loops.update.momentum(floats(p, w) + begin, floats(p, g) + begin, floats(p, slot) + begin, end - begin, factors);
            else
                loops.update.sgd(floats(p, w) + begin, floats(p, g) + begin, end - begin, factors);
        });
    });
}

void Lowering::lowerAdamUpdate() {
    const BufferId w = plain(input(0));
    const BufferId g = plain(input(1));
    const BufferId rate = plain(input(2));
    const BufferId step = plain(input(3));
    const BufferId m = plain(input(4));
    const BufferId v = plain(input(5));
    m_places[m_at][0].plain = w;
    m_places[m_at][1].plain = m;
    m_places[m_at][2].plain = v;
    const double beta1 = graph::doubleAttribute(node().attributes, "beta_1");
    const double beta2 = graph::doubleAttribute(node().attributes, "beta_2");
    const double epsilon = graph::doubleAttribute(node().attributes, "epsilon");
    const std::size_t count = elements(input(0));
    const Loops& loops = m_loops;
    const int threads = m_team.threads();
    emit({w, g, rate, step, m, v}, [=, &loops](Pointers p) {
        const double t = static_cast<double>(*floats(p, step));
        const double correction = std::sqrt(1 - std::pow(throughFloat(beta2), t)) / (1 - std::pow(throughFloat(beta1), t));
        const AdamFactors factors{static_cast<float>(static_cast<double>(*floats(p, rate)) * correction), static_cast<float>(1 - beta1),
                                  static_cast<float>(1 - beta2), static_cast<float>(epsilon)};
        splitOver(threads, count, [&](std::size_t begin, std::size_t end) {
            loops.update.adam(floats(p, w) + begin, floats(p, g) + begin, floats(p, m) + begin, floats(p, v) + begin, end - begin, factors);
        });
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
