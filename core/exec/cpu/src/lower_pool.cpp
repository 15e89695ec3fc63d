#include "lowering.h"

#include <algorithm>

namespace lockstep::exec::cpu {

using dnnl::memory;
using graph::OpKind;
using graph::Value;

namespace {

PoolShape poolShape(const graph::Attributes& attributes, const ChannelView& view, const graph::Shape& in, const graph::Shape& out) {
    const auto& size = graph::listAttribute(attributes, "window");
    const Window window = windowOf(attributes, in, size[0], size[1]);
    return {view.blocks,         view.width,         in[1], in[2], out[1], out[2], size[0], size[1], window.strides[0], window.strides[1],
            window.padBefore[0], window.padBefore[1]};
}

// The layout of a picture with other places.
memory::desc likeLayout(const memory::desc& layout, const graph::Shape& shape) {
    if (layout.data.format_desc.blocking.inner_nblks == 0) return plainDesc(shape, Meaning::Picture);
    const auto tag = layout.data.format_desc.blocking.inner_blks[0] == 16 ? memory::format_tag::nChw16c : memory::format_tag::nChw8c;
    return {dimsOf(shape, Meaning::Picture), memory::data_type::f32, tag};
}

}  // namespace

// The loops of the pools know float32 only.
Lowering::NormTensor Lowering::floatTensorOf(Value x) {
    NormTensor tensor = normTensorOf(x);
    tensor.desc = with(*tensor.desc, Element::f32);
    return tensor;
}

void Lowering::lowerMaxPool2D() {
    const NormTensor tensor = floatTensorOf(input(0));
    const BufferId x = read(input(0), tensor);
    const BufferId y = define(result(), likeLayout(*tensor.desc, shape(result())), Meaning::Picture);
    const PoolShape pool = poolShape(node().attributes, tensor.view, shape(input(0)), shape(result()));
    const std::size_t outImage = tensor.view.lanes() * static_cast<std::size_t>(pool.outHeight * pool.outWidth);
    const Loops& loops = m_loops;
    emit({x, y}, [=, &loops](Pointers p) {
        splitRows(tensor.parts, tensor.rows, [&](std::size_t, RowRange range) {
            loops.pool.maxPool(floats(p, x) + range.begin * tensor.view.image(), floats(p, y) + range.begin * outImage, pool,
                               range.count());
        });
    });
}

// A ReluGrad that masks the result by the same x is done on the way: only maxima get a gradient, and they know their sign.
void Lowering::lowerMaxPool2DGrad() {
    const Value x = input(1);
    const NormTensor tensor = floatTensorOf(x);
    const graph::Node* next = onlyReader(result());
    const bool masks = next != nullptr && next->op == OpKind::ReluGrad && next->inputs[0] == result() && next->inputs[1] == x;
    const Value target = masks ? Value{graph::NodeId{m_readers[result()].front()}, 0} : result();
    if (masks) m_lowered.insert(target.node);
    const BufferId source = read(x, tensor);
    const BufferId dy = as(input(0), likeLayout(*tensor.desc, shape(input(0))), Meaning::Picture);
    const BufferId dx = define(target, *tensor.desc, Meaning::Picture);
    const PoolShape pool = poolShape(node().attributes, tensor.view, shape(x), shape(input(0)));
    const std::size_t outImage = tensor.view.lanes() * static_cast<std::size_t>(pool.outHeight * pool.outWidth);
    const Loops& loops = m_loops;
    emit({source, dy, dx}, [=, &loops](Pointers p) {
        splitRows(tensor.parts, tensor.rows, [&](std::size_t, RowRange range) {
            const std::size_t at = range.begin * tensor.view.image();
            loops.pool.maxPoolGrad(floats(p, dy) + range.begin * outImage, floats(p, source) + at, floats(p, dx) + at, pool, range.count(),
                                   masks ? 1 : 0);
        });
    });
}

// oneDNN adds up gradients of overlapping windows in bfloat16, which rounds more than once.
Element Lowering::averageElement(Value value) const {
    const auto &window = graph::listAttribute(node().attributes, "window"), &strides = graph::listAttribute(node().attributes, "strides");
    return window[0] <= strides[0] && window[1] <= strides[1] ? elementOf(value) : Element::f32;
}

void Lowering::lowerAvgPool2D() {
    const Value x = input(0);
    const Element element = averageElement(x);
    const auto& size = graph::listAttribute(node().attributes, "window");
    const Window window = windowOf(node().attributes, shape(x), size[0], size[1]);
    const memory::desc from = with(layoutOf(x), element);
    const dnnl::pooling_forward::primitive_desc desc({dnnl::prop_kind::forward_inference,
                                                      dnnl::algorithm::pooling_avg_exclude_padding,
                                                      from,
                                                      anyDesc(shape(result()), Meaning::Picture, element),
                                                      window.strides,
                                                      {size[0], size[1]},
                                                      window.padBefore,
                                                      window.padAfter},
                                                     callerScratchpad(), m_device.engine);
    const BufferId source = as(x, from, Meaning::Picture);
    const BufferId target = define(result(), desc.dst_desc(), Meaning::Picture);
    emitPrimitive(dnnl::pooling_forward(desc), desc.scratchpad_desc(),
                  {{DNNL_ARG_SRC, from, source}, {DNNL_ARG_DST, desc.dst_desc(), target}});
    graph::Attributes key = node().attributes;
    key.emplace("input_shape", shape(x).dims());
    key.emplace("element", static_cast<std::int64_t>(element));
    m_averages.insert_or_assign(std::move(key), std::pair(from, desc.dst_desc()));
}

// In the layouts of a forward pooling of the same shape if there was one: what comes next reads the same layout as what came before it.
void Lowering::lowerAvgPool2DGrad() {
    constexpr auto kMean = dnnl::algorithm::pooling_avg_exclude_padding;
    const Value dy = input(0);
    const auto& size = graph::listAttribute(node().attributes, "window");
    const Window window = windowOf(node().attributes, shape(result()), size[0], size[1]);
    const Element element = averageElement(dy);
    graph::Attributes key = node().attributes;
    key.emplace("element", static_cast<std::int64_t>(element));
    const auto known = m_averages.find(key);
    const auto [to, from] = known != m_averages.end()
                                ? known->second
                                : std::pair(plainDesc(shape(result()), Meaning::Picture, element), with(layoutOf(dy), element));
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
