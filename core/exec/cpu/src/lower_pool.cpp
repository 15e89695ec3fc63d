#include "lowering.h"

#include <algorithm>

namespace lockstep::exec::cpu {

using dnnl::memory;
using graph::OpKind;
using graph::Value;

// Forward pooling of x with the attributes of the current node. For a gradient it also notes where each maximum was.
Lowering::PoolPlan Lowering::emitPooling(Value x, Value y, dnnl::algorithm algorithm, Purpose purpose) {
    const auto& size = graph::listAttribute(node().attributes, "window");
    const Window window = windowOf(node().attributes, shape(x), size[0], size[1]);
    const memory::desc from = layoutOf(x);
    const auto kind = purpose == Purpose::Inference ? dnnl::prop_kind::forward_inference : dnnl::prop_kind::forward_training;
    const dnnl::pooling_forward::primitive_desc desc(
        {kind, algorithm, from, anyDesc(shape(y), Meaning::Picture), window.strides, {size[0], size[1]}, window.padBefore, window.padAfter},
        callerScratchpad(), m_device.engine);
    const BufferId source = as(x, from, Meaning::Picture);
    const BufferId target =
        purpose == Purpose::Places ? workspace(desc.dst_desc().get_size()) : define(y, desc.dst_desc(), Meaning::Picture);
    std::vector<Argument> arguments = {{DNNL_ARG_SRC, from, source}, {DNNL_ARG_DST, desc.dst_desc(), target}};
    BufferId places = target;
    if (purpose != Purpose::Inference) {
        places = workspace(desc.workspace_desc().get_size());
        arguments.push_back({DNNL_ARG_WORKSPACE, desc.workspace_desc(), places});
    }
    emitPrimitive(dnnl::pooling_forward(desc), desc.scratchpad_desc(), std::move(arguments));
    return {desc, {from, source}, {desc.dst_desc(), target}, places};
}

void Lowering::lowerMaxPool2D() {
    const auto followsIt = [this](const graph::Node& other) {
        return other.op == OpKind::MaxPool2DGrad && other.inputs[2] == result() && other.inputs[1] == input(0) &&
               other.attributes == node().attributes;
    };
    if (std::ranges::any_of(m_graph.nodes(), followsIt))
        m_pools.emplace(graph::NodeId{m_at}, emitPooling(input(0), result(), dnnl::algorithm::pooling_max, Purpose::Training));
    else
        emitPooling(input(0), result(), dnnl::algorithm::pooling_max, Purpose::Inference);
}

void Lowering::lowerMaxPool2DGrad() {
    const Value dy = input(0);
    const Value x = input(1);
    const auto known = m_pools.find(input(2).node);
    const bool fits =
        known != m_pools.end() && m_graph.node(input(2).node).inputs[0] == x && m_graph.node(input(2).node).attributes == node().attributes;
    const PoolPlan pool = fits ? known->second : emitPooling(x, input(2), dnnl::algorithm::pooling_max, Purpose::Places);
    const auto& size = graph::listAttribute(node().attributes, "window");
    const Window window = windowOf(node().attributes, shape(x), size[0], size[1]);
    const dnnl::pooling_backward::primitive_desc desc(
        {dnnl::algorithm::pooling_max, pool.x.desc, pool.y.desc, window.strides, {size[0], size[1]}, window.padBefore, window.padAfter},
        callerScratchpad(), m_device.engine, pool.forward);
    const BufferId gradient = as(dy, pool.y.desc, Meaning::Picture);
    emitPrimitive(dnnl::pooling_backward(desc), desc.scratchpad_desc(),
                  {{DNNL_ARG_DIFF_DST, pool.y.desc, gradient},
                   {DNNL_ARG_WORKSPACE, desc.workspace_desc(), pool.workspace},
                   {DNNL_ARG_DIFF_SRC, pool.x.desc, define(result(), pool.x.desc, Meaning::Picture)}});
}

void Lowering::lowerAvgPool2D() {
    graph::Attributes key = node().attributes;
    key.emplace("input_shape", shape(input(0)).dims());
    const PoolPlan pool = emitPooling(input(0), result(), dnnl::algorithm::pooling_avg_exclude_padding, Purpose::Inference);
    m_averages.insert_or_assign(std::move(key), std::pair(pool.x.desc, pool.y.desc));
}

// In the layouts of a forward pooling of the same shape if there was one: what comes next reads the same layout as what came before it.
void Lowering::lowerAvgPool2DGrad() {
    constexpr auto kMean = dnnl::algorithm::pooling_avg_exclude_padding;
    const Value dy = input(0);
    const auto& size = graph::listAttribute(node().attributes, "window");
    const Window window = windowOf(node().attributes, shape(result()), size[0], size[1]);
    const auto known = m_averages.find(node().attributes);
    const auto [to, from] =
        known != m_averages.end() ? known->second : std::pair(plainDesc(shape(result()), Meaning::Picture), layoutOf(dy));
    const memory::dims places{size[0], size[1]};
    const dnnl::pooling_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, kMean, to, from, window.strides, places, window.padBefore, window.padAfter}, m_device.engine);
    const dnnl::pooling_backward::primitive_desc desc({kMean, to, from, window.strides, places, window.padBefore, window.padAfter},
                                                      callerScratchpad(), m_device.engine, forward);
    const BufferId gradient = as(dy, from, Meaning::Picture);
    emitPrimitive(dnnl::pooling_backward(desc), desc.scratchpad_desc(),
                  {{DNNL_ARG_DIFF_DST, from, gradient}, {DNNL_ARG_DIFF_SRC, to, define(result(), to, Meaning::Picture)}});
}

}  // namespace lockstep::exec::cpu
