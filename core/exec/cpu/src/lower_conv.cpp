#include "lowering.h"

namespace lockstep::exec::cpu {

using dnnl::algorithm;
using dnnl::memory;
using graph::Value;

namespace {

constexpr auto kDirect = algorithm::convolution_direct;  // Winograd would be another rounding

// The forward convolution that the backward ones refer to.
dnnl::convolution_forward::primitive_desc forwardHint(const Device& device, const memory::desc& x, const memory::desc& w,
                                                      const memory::desc& y, const Window& window) {
    return {{dnnl::prop_kind::forward_training, kDirect, x, w, y, window.strides, window.dilates, window.padBefore, window.padAfter},
            device.engine};
}

Form filterForm(const graph::Node& node) { return {Meaning::Filter, graph::intAttributeOr(node.attributes, "groups", 1)}; }

}  // namespace

void Lowering::lowerConv2D() {
    const Value x = input(0);
    const Value w = input(1);
    const bool hasBias = node().inputs.size() == 3;
    const Window window = windowOf(node().attributes, shape(x), shape(w)[0], shape(w)[1]);
    const Element element = elementOf(result());
    const memory::desc anyX = anyDesc(shape(x), Meaning::Picture, element);
    const Form form = filterForm(node());
    const memory::desc anyW = anyDesc(shape(w), form, element);
    const memory::desc anyY = anyDesc(shape(result()), Meaning::Picture, element);
    dnnl::primitive_attr attributes = callerScratchpad();
    if (graph::textAttributeOr(node().attributes, "activation", "") == "relu") {
        dnnl::post_ops after;
        after.append_eltwise(1.0F, algorithm::eltwise_relu, 0.0F, 0.0F);
        attributes.set_post_ops(after);
    }
    using Desc = dnnl::convolution_forward::desc;
    constexpr auto kKind = dnnl::prop_kind::forward_training;
    const memory::desc bias = vectorDesc(shape(w)[3]);
    const Desc operation =
        hasBias ? Desc(kKind, kDirect, anyX, anyW, bias, anyY, window.strides, window.dilates, window.padBefore, window.padAfter)
                : Desc(kKind, kDirect, anyX, anyW, anyY, window.strides, window.dilates, window.padBefore, window.padAfter);
    const dnnl::convolution_forward::primitive_desc desc(operation, attributes, m_device.engine);
    std::vector<Argument> arguments = {{DNNL_ARG_SRC, desc.src_desc(), as(x, desc.src_desc(), Meaning::Picture)},
                                       {DNNL_ARG_WEIGHTS, desc.weights_desc(), as(w, desc.weights_desc(), form)}};
    if (hasBias) arguments.push_back({DNNL_ARG_BIAS, bias, plain(input(2))});
    arguments.push_back({DNNL_ARG_DST, desc.dst_desc(), define(result(), desc.dst_desc(), Meaning::Picture)});
    emitPrimitive(dnnl::convolution_forward(desc), desc.scratchpad_desc(), std::move(arguments));
}

void Lowering::lowerConv2DInputGrad() {
    const Value dy = input(0);
    const Value w = input(1);
    const Window window = windowOf(node().attributes, shape(result()), shape(w)[0], shape(w)[1]);
    const Element element = elementOf(result());
    const memory::desc anyX = anyDesc(shape(result()), Meaning::Picture, element);
    const Form form = filterForm(node());
    const memory::desc anyW = anyDesc(shape(w), form, element);
    const memory::desc anyY = anyDesc(shape(dy), Meaning::Picture, element);
    const dnnl::convolution_backward_data::primitive_desc desc(
        {kDirect, anyX, anyW, anyY, window.strides, window.dilates, window.padBefore, window.padAfter}, callerScratchpad(), m_device.engine,
        forwardHint(m_device, anyX, anyW, anyY, window));
    const BufferId gradient = as(dy, desc.diff_dst_desc(), Meaning::Picture);
    const BufferId weights = as(w, desc.weights_desc(), form);
    emitPrimitive(dnnl::convolution_backward_data(desc), desc.scratchpad_desc(),
                  {{DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), gradient},
                   {DNNL_ARG_WEIGHTS, desc.weights_desc(), weights},
                   {DNNL_ARG_DIFF_SRC, desc.diff_src_desc(), define(result(), desc.diff_src_desc(), Meaning::Picture)}});
}

void Lowering::lowerConv2DFilterGrad(graph::NodeId filterGrad, std::optional<graph::NodeId> biasGrad) {
    const graph::Node& convolution = m_graph.node(filterGrad);
    const Value x = convolution.inputs[0];
    const Value dy = convolution.inputs[1];
    const Value dw{filterGrad, 0};
    const Window window = windowOf(convolution.attributes, shape(x), shape(dw)[0], shape(dw)[1]);
    const Element element = elementOf(dw);
    const memory::desc anyX = anyDesc(shape(x), Meaning::Picture, element);
    const Form form = filterForm(convolution);
    const memory::desc anyW = anyDesc(shape(dw), form);  // float32 always: rounded like other results
    const memory::desc anyY = anyDesc(shape(dy), Meaning::Picture, element);
    const memory::desc bias = vectorDesc(shape(dw)[3]);
    using Desc = dnnl::convolution_backward_weights::desc;
    const Desc operation = biasGrad
                               ? Desc(kDirect, anyX, anyW, bias, anyY, window.strides, window.dilates, window.padBefore, window.padAfter)
                               : Desc(kDirect, anyX, anyW, anyY, window.strides, window.dilates, window.padBefore, window.padAfter);
    const dnnl::convolution_backward_weights::primitive_desc desc(operation, callerScratchpad(), m_device.engine,
                                                                  forwardHint(m_device, anyX, with(anyW, element), anyY, window));
    const memory::desc plainFilter = plainDesc(shape(dw), form);
    const bool direct = samePlaces(desc.diff_weights_desc(), plainFilter);
    const BufferId picture = as(x, desc.src_desc(), Meaning::Picture);
    const BufferId gradient = as(dy, desc.diff_dst_desc(), Meaning::Picture);
    const BufferId target = definePlain(dw);
    const BufferId written = direct ? target : workspace(desc.diff_weights_desc().get_size());
    std::vector<Argument> arguments = {{DNNL_ARG_SRC, desc.src_desc(), picture},
                                       {DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), gradient},
                                       {DNNL_ARG_DIFF_WEIGHTS, desc.diff_weights_desc(), written}};
    if (biasGrad) arguments.push_back({DNNL_ARG_DIFF_BIAS, bias, definePlain({*biasGrad, 0})});
    emitPrimitive(dnnl::convolution_backward_weights(desc), desc.scratchpad_desc(), std::move(arguments));
    if (!direct) emitReorder(desc.diff_weights_desc(), written, plainFilter, target);
}

}  // namespace lockstep::exec::cpu
