// oneDNN's descriptions of the graph's tensors. oneDNN speaks of pictures as N, C, H, W and of filters as O, I, H, W whatever their order
// in memory is; the graph's own orders are NHWC and HWIO.
#pragma once

#include <graph/graph.h>
#include <dnnl.hpp>

namespace lockstep::exec::cpu {

// How the dimensions of a rank 4 tensor are meant.
enum class Meaning : std::uint8_t { Picture, Filter };

dnnl::memory::dims dimsOf(const graph::Shape& shape, Meaning meaning);
dnnl::memory::desc plainDesc(const graph::Shape& shape, Meaning meaning);  // the graph's layout
dnnl::memory::desc anyDesc(const graph::Shape& shape, Meaning meaning);    // left to oneDNN
dnnl::memory::desc vectorDesc(std::int64_t length);

// Whether both describe the same bytes: strides of axes of length 1 do not matter.
bool samePlaces(const dnnl::memory::desc& a, const dnnl::memory::desc& b);

// Strides and padding of a convolution or pooling node, as oneDNN wants them.
struct Window {
    dnnl::memory::dims strides;
    dnnl::memory::dims padBefore;
    dnnl::memory::dims padAfter;
};
Window windowOf(const graph::Attributes& attributes, const graph::Shape& in, std::int64_t height, std::int64_t width);

}  // namespace lockstep::exec::cpu
