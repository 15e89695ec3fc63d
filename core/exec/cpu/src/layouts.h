// oneDNN's descriptions of the graph's tensors. oneDNN speaks of pictures as N, C, H, W and of filters as O, I, H, W whatever their order
// in memory is; the graph's own orders are NHWC and HWIO.
#pragma once

#include "norm_loops.h"

#include <graph/graph.h>
#include <dnnl.hpp>

#include <optional>

namespace lockstep::exec::cpu {

// How the dimensions of a rank 4 tensor are meant.
// Plain: row-major, of any rank.
enum class Meaning : std::uint8_t { Picture, Filter, Plain };

// A filter of several groups has one more dimension for oneDNN: groups in front.
struct Form {
    Form(Meaning m, std::int64_t g = 1) : meaning(m), groups(g) {}
    Meaning meaning;
    std::int64_t groups;
};

dnnl::memory::dims dimsOf(const graph::Shape& shape, Form form);
using Element = dnnl::memory::data_type;
dnnl::memory::desc plainDesc(const graph::Shape& shape, Form form, Element element = Element::f32);  // the graph's layout
dnnl::memory::desc anyDesc(const graph::Shape& shape, Form form, Element element = Element::f32);    // left to oneDNN
dnnl::memory::desc with(dnnl::memory::desc desc, Element element);                                   // the same layout
inline Element elementOf(const dnnl::memory::desc& desc) { return static_cast<Element>(desc.data.data_type); }
dnnl::memory::desc vectorDesc(std::int64_t length);

// Whether both describe the same bytes: strides of axes of length 1 do not matter.
bool samePlaces(const dnnl::memory::desc& a, const dnnl::memory::desc& b);

// Strides, distances between a filter's elements (0 = neighbours) and padding of a convolution or pooling node, as oneDNN wants them.
struct Window {
    dnnl::memory::dims strides;
    dnnl::memory::dims dilates;
    dnnl::memory::dims padBefore;
    dnnl::memory::dims padAfter;
};
Window windowOf(const graph::Attributes& attributes, const graph::Shape& in, std::int64_t height, std::int64_t width);

// Where channels lie in a tensor of the graph's layout, and in a picture of one of oneDNN's; empty when the loops can't walk that one.
ChannelView channelViewOf(const graph::Shape& shape);
std::optional<ChannelView> channelViewOf(const dnnl::memory::desc& picture);

}  // namespace lockstep::exec::cpu
