// Activations with kinks by own loops (their slope at the kink is TensorFlow's), the others and softmax by oneDNN.
#include "lowering.h"

#include <algorithm>

namespace lockstep::exec::cpu {

using dnnl::algorithm;
using dnnl::memory;
using graph::OpKind;
using graph::Value;

namespace {

std::string_view kindOf(const graph::Node& node) { return graph::textAttribute(node.attributes, "kind"); }

float alphaOf(const graph::Node& node) {
    return static_cast<float>(graph::doubleAttributeOr(node.attributes, "alpha", kindOf(node) == "leaky_relu" ? 0.3 : 1.0));
}

struct Curve {
    algorithm kind;
    float alpha;
};

Curve curveOf(const graph::Node& node) {
    const std::string_view kind = kindOf(node);
    if (kind == "elu") return {algorithm::eltwise_elu, alphaOf(node)};
    if (kind == "gelu") return {algorithm::eltwise_gelu_erf, 0};
    if (kind == "gelu_tanh") return {algorithm::eltwise_gelu_tanh, 0};
    if (kind == "silu") return {algorithm::eltwise_swish, 1};
    if (kind == "tanh") return {algorithm::eltwise_tanh, 0};
    if (kind == "sigmoid") return {algorithm::eltwise_logistic, 0};
    return {algorithm::eltwise_soft_relu, 0};
}

memory::desc rowsDesc(const graph::Shape& shape) {
    const std::int64_t columns = shape.back();
    return {{shape.elements() / columns, columns}, memory::data_type::f32, memory::format_tag::ab};
}

}  // namespace

void Lowering::lowerActivate() {
    if (kindOf(node()) == "relu6") return emitUnary(m_loops.pointwise.relu6);
    if (kindOf(node()) == "leaky_relu") return emitUnary(m_loops.pointwise.leakyRelu, static_cast<double>(alphaOf(node())));
    const Value x = input(0);
    const Curve curve = curveOf(node());
    const bool isPicture = shape(x).rank() == 4;
    const memory::desc layout = isPicture ? layoutOf(x) : vectorDesc(shape(x).elements());
    const dnnl::eltwise_forward::primitive_desc desc({dnnl::prop_kind::forward_training, curve.kind, layout, curve.alpha, 0.0F},
                                                     callerScratchpad(), m_device.engine);
    const BufferId source = isPicture ? as(x, layout, Meaning::Picture) : plain(x);
    const BufferId target = isPicture ? define(result(), layout, Meaning::Picture) : definePlain(result());
    emitPrimitive(dnnl::eltwise_forward(desc), desc.scratchpad_desc(), {{DNNL_ARG_SRC, layout, source}, {DNNL_ARG_DST, layout, target}});
}

void Lowering::lowerActivateGrad() {
    if (kindOf(node()) == "relu6") return emitBinary(m_loops.pointwise.relu6Grad);
    if (kindOf(node()) == "leaky_relu") return emitBinary(m_loops.pointwise.leakyReluGrad, static_cast<double>(alphaOf(node())));
    const Value dy = input(0), x = input(1);
    const Curve curve = curveOf(node());
    const bool isPicture = shape(x).rank() == 4;
    const memory::desc layout = isPicture ? layoutOf(x) : vectorDesc(shape(x).elements());
    const dnnl::eltwise_forward::primitive_desc forward({dnnl::prop_kind::forward_training, curve.kind, layout, curve.alpha, 0.0F},
                                                        m_device.engine);
    const dnnl::eltwise_backward::primitive_desc desc({curve.kind, layout, layout, curve.alpha, 0.0F}, callerScratchpad(), m_device.engine,
                                                      forward);
    const BufferId gradient = isPicture ? as(dy, layout, Meaning::Picture) : plain(dy);
    const BufferId source = isPicture ? as(x, layout, Meaning::Picture) : plain(x);
    const BufferId target = isPicture ? define(result(), layout, Meaning::Picture) : definePlain(result());
    emitPrimitive(dnnl::eltwise_backward(desc), desc.scratchpad_desc(),
                  {{DNNL_ARG_SRC, layout, source}, {DNNL_ARG_DIFF_DST, layout, gradient}, {DNNL_ARG_DIFF_SRC, layout, target}});
}

void Lowering::lowerSoftmaxForward() {
    const memory::desc rows = rowsDesc(shape(input(0)));
    const dnnl::softmax_forward::primitive_desc desc({dnnl::prop_kind::forward_training, rows, 1}, callerScratchpad(), m_device.engine);
    const BufferId x = plain(input(0)), y = definePlain(result());
    emitPrimitive(dnnl::softmax_forward(desc), desc.scratchpad_desc(), {{DNNL_ARG_SRC, rows, x}, {DNNL_ARG_DST, rows, y}});
}

void Lowering::lowerSoftmaxGrad() {
    const memory::desc rows = rowsDesc(shape(input(0)));
    const dnnl::softmax_forward::primitive_desc forward({dnnl::prop_kind::forward_training, rows, 1}, m_device.engine);
    const dnnl::softmax_backward::primitive_desc desc({rows, rows, 1}, callerScratchpad(), m_device.engine, forward);
    const BufferId dy = plain(input(0)), y = plain(input(1)), dx = definePlain(result());
    emitPrimitive(dnnl::softmax_backward(desc), desc.scratchpad_desc(),
                  {{DNNL_ARG_DIFF_DST, rows, dy}, {DNNL_ARG_DST, rows, y}, {DNNL_ARG_DIFF_SRC, rows, dx}});
}

}  // namespace lockstep::exec::cpu
