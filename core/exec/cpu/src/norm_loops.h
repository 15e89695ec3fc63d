// Batch normalisation over pictures of elements E (float or Bfloat16) in whatever layout the convolutions left them: channels last, or in
// blocks of channels. One pass over memory each. Sums run in float over a few hundred places and in double from there on.
#pragma once

#include "precision_loops.h"

#include <cstddef>

namespace lockstep::exec::cpu {

// One image is [blocks][places][width]: element (block, place, lane) belongs to channel block · width + lane. Lanes beyond the last
// channel are padding, which is zero and stays zero. Arrays per channel are blocks · width long, padding included.
struct ChannelView {
    std::size_t blocks = 1;
    std::size_t width = 0;
    std::size_t places = 0;  // per image
    std::size_t lanes() const { return blocks * width; }
    std::size_t image() const { return blocks * width * places; }
};

template <class E>
struct NormalizeCall {
    const E* x;
    const E* addend;  // null: none
    E* y;
    const float* mean;
    const float* scale;  // gamma / √(variance + epsilon)
    const float* shift;  // beta
    int rectify;
};

// Which gradients count.
enum class GradMask {
    None,
    ByResult,  // where y > 0
    ByInput,   // where (x − mean) · scale + shift > 0: what NormalizeCall gives without addend, bit by bit, before it is
               // rounded to bfloat16, which keeps the sign
};

template <class E>
struct NormGradCall {
    const E* dy;
    const E* also;  // reduceGrad: null, or added to dy; then the sum, masked, goes to `total`, which may be either
    E* total;
    const E* x;
    const E* y;  // ByResult only
    GradMask mask;
    const float* mean;
    const float* scale;
    const float* shift;  // ByInput only
    // inputGrad: dx = scale · (dy − offset − (x − mean) · slope)
    E* dx;
    const float* offset;
    const float* slope;
};

template <class E>
struct NormLoops {
    using Element = E;
    // Mean and sum of squared distances from it, per lane.
    void (*moments)(const E* x, const ChannelView& view, std::size_t images, double* means, double* squares);
    void (*normalize)(const NormalizeCall<E>& call, const ChannelView& view, std::size_t images);
    // Σ dy · (x − mean) and Σ dy, per lane.
    void (*reduceGrad)(const NormGradCall<E>& call, const ChannelView& view, std::size_t images, double* products, double* sums);
    void (*inputGrad)(const NormGradCall<E>& call, const ChannelView& view, std::size_t images);
};

}  // namespace lockstep::exec::cpu
