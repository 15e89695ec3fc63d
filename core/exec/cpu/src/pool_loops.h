// Largest values of windows over float32 pictures, in the layouts of ChannelView. Places outside the picture never win.
#pragma once

#include <cstddef>

namespace lockstep::exec::cpu {

struct PoolShape {
    std::size_t blocks, width;  // channels: as in ChannelView
    std::ptrdiff_t inHeight, inWidth, outHeight, outWidth;
    std::ptrdiff_t windowHeight, windowWidth, strideHeight, strideWidth;
    std::ptrdiff_t padTop, padLeft;
};

struct PoolLoops {
    void (*maxPool)(const float* x, float* y, const PoolShape& shape, std::size_t images);
    // Each dy goes to the first maximum of its window, overlaps add up. With onlyPositive a maximum that isn't above zero gets nothing:
    // the gradient in front of a Relu that made x.
    void (*maxPoolGrad)(const float* dy, const float* x, float* dx, const PoolShape& shape, std::size_t images, int onlyPositive);
};

}  // namespace lockstep::exec::cpu
