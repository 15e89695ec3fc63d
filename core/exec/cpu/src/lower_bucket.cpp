// Sums over ranks.
#include "lowering.h"

#include <cstring>

namespace lockstep::exec::cpu {

using graph::NodeId;
using graph::OpKind;
using graph::Value;

// One buffer per all_reduce. Its inputs are written straight into it, unless a Reshape or Cast shares their memory with a later reader:
// those are copied in when the sum starts.
void Lowering::placeBuckets() {
    std::set<Value> shared;
    for (const auto& node : m_graph.nodes())
        if (node.op == OpKind::Reshape || node.op == OpKind::Cast) shared.insert(node.inputs[0]);
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
            const OpKind maker = m_graph.node(node.inputs[i].node).op;
            if (maker != OpKind::Reshape && maker != OpKind::Cast && !shared.contains(node.inputs[i]))
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

}  // namespace lockstep::exec::cpu
