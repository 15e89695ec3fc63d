#include "kernel.h"

#include <algorithm>

namespace lockstep::exec::ref {
namespace {

// Shapes of one convolution, and the loop that all three kernels share.
struct Geometry {
    std::int64_t batch, inHeight, inWidth, inChannels;
    std::int64_t outHeight, outWidth, outChannels;
    std::int64_t filterHeight, filterWidth;
    std::int64_t strideHeight, strideWidth;
    std::int64_t dilationHeight, dilationWidth;
    std::int64_t padTop, padLeft;
    std::int64_t groups, groupIn, groupOut;  // channels of one group

    std::int64_t inAt(std::int64_t n, std::int64_t y, std::int64_t x) const { return ((n * inHeight + y) * inWidth + x) * inChannels; }
    std::int64_t outAt(std::int64_t n, std::int64_t y, std::int64_t x) const { return ((n * outHeight + y) * outWidth + x) * outChannels; }
    std::int64_t filterAt(std::int64_t y, std::int64_t x) const { return (y * filterWidth + x) * groupIn * outChannels; }

    // Calls tap(inY, inX, filterY, filterX) for each filter element of output pixel (y, x) that lies inside the picture.
    template <class Tap>
    void forEachTap(std::int64_t y, std::int64_t x, Tap tap) const {
        for (std::int64_t fy = 0; fy < filterHeight; ++fy) {
            const std::int64_t inY = y * strideHeight - padTop + fy * dilationHeight;
            if (inY < 0 || inY >= inHeight) continue;
            for (std::int64_t fx = 0; fx < filterWidth; ++fx) {
                const std::int64_t inX = x * strideWidth - padLeft + fx * dilationWidth;
                if (inX >= 0 && inX < inWidth) tap(inY, inX, fy, fx);
            }
        }
    }
};

Geometry geometryOf(const graph::Attributes& attributes, const graph::Shape& in, const graph::Shape& filter, const graph::Shape& out) {
    const auto& strides = graph::listAttribute(attributes, "strides");
    const auto dilations = graph::listAttributeOr(attributes, "dilations", {1, 1});
    const std::int64_t groups = graph::intAttributeOr(attributes, "groups", 1);
    const auto padding = graph::textAttribute(attributes, "padding");
    const auto padBefore = [&](std::size_t axis) {
        const std::int64_t window = graph::dilatedWindow(filter[axis], dilations[axis]);
        return graph::windowAxis(in[axis + 1], window, strides[axis], padding).padBefore;
    };
    return {in[0],      in[1],      in[2],        in[3],        out[1],       out[2],       out[3], filter[0],      filter[1],
            strides[0], strides[1], dilations[0], dilations[1], padBefore(0), padBefore(1), groups, in[3] / groups, out[3] / groups};
}

}  // namespace

template <class T>
void conv2D(const Call& call) {
    const Geometry g = geometryOf(call.node->attributes, call.shape(0), call.shape(1), call.outShape(0));
    const bool rectify = graph::textAttributeOr(call.node->attributes, "activation", "") == "relu";
    const T* picture = call.in<T>(0);
    const T* filter = call.in<T>(1);
    double* sums = call.scratch.data();
    for (std::int64_t n = 0; n < g.batch; ++n)
        for (std::int64_t y = 0; y < g.outHeight; ++y)
            for (std::int64_t x = 0; x < g.outWidth; ++x) {
                for (std::int64_t o = 0; o < g.outChannels; ++o) sums[o] = call.has(2) ? double{call.in<T>(2)[o]} : 0.0;
                g.forEachTap(y, x, [&](std::int64_t inY, std::int64_t inX, std::int64_t fy, std::int64_t fx) {
                    const T* pixel = picture + g.inAt(n, inY, inX);
                    const T* weights = filter + g.filterAt(fy, fx);
                    for (std::int64_t c = 0; c < g.inChannels; ++c) {
                        const double left = pixel[c];
                        const std::int64_t first = c / g.groupIn * g.groupOut;
                        const T* row = weights + c % g.groupIn * g.outChannels;
                        for (std::int64_t o = first; o < first + g.groupOut; ++o) sums[o] += left * double{row[o]};
                    }
                });
                T* out = call.out<T>(0) + g.outAt(n, y, x);
                for (std::int64_t o = 0; o < g.outChannels; ++o) out[o] = static_cast<T>(rectify && sums[o] < 0 ? 0.0 : sums[o]);
            }
}

template <class T>
void conv2DFilterGrad(const Call& call) {
    const Geometry g = geometryOf(call.node->attributes, call.shape(0), call.outShape(0), call.shape(1));
    const T* picture = call.in<T>(0);
    const T* outGradient = call.in<T>(1);
    double* sums = call.scratch.data();
    const std::int64_t count = call.outShape(0).elements();
    std::fill_n(sums, count, 0.0);
    for (std::int64_t n = 0; n < g.batch; ++n)
        for (std::int64_t y = 0; y < g.outHeight; ++y)
            for (std::int64_t x = 0; x < g.outWidth; ++x) {
                const T* gradient = outGradient + g.outAt(n, y, x);
                g.forEachTap(y, x, [&](std::int64_t inY, std::int64_t inX, std::int64_t fy, std::int64_t fx) {
                    const T* pixel = picture + g.inAt(n, inY, inX);
                    double* target = sums + g.filterAt(fy, fx);
                    for (std::int64_t c = 0; c < g.inChannels; ++c) {
                        const double left = pixel[c];
                        const std::int64_t first = c / g.groupIn * g.groupOut;
                        double* row = target + c % g.groupIn * g.outChannels;
                        for (std::int64_t o = first; o < first + g.groupOut; ++o) row[o] += left * double{gradient[o]};
                    }
                });
            }
    for (std::int64_t i = 0; i < count; ++i) call.out<T>(0)[i] = static_cast<T>(sums[i]);
}

template <class T>
void conv2DInputGrad(const Call& call) {
    const Geometry g = geometryOf(call.node->attributes, call.outShape(0), call.shape(1), call.shape(0));
    const T* outGradient = call.in<T>(0);
    const T* filter = call.in<T>(1);
    double* sums = call.scratch.data();
    double* turned = sums + g.inChannels;  // filter as [h, w, out, in], so that the inner loop runs over neighbours
    for (std::int64_t tap = 0; tap < g.filterHeight * g.filterWidth; ++tap)
        for (std::int64_t c = 0; c < g.groupIn; ++c)
            for (std::int64_t o = 0; o < g.outChannels; ++o)
                turned[(tap * g.outChannels + o) * g.groupIn + c] = filter[(tap * g.groupIn + c) * g.outChannels + o];
    for (std::int64_t n = 0; n < g.batch; ++n)
        for (std::int64_t inY = 0; inY < g.inHeight; ++inY)
            for (std::int64_t inX = 0; inX < g.inWidth; ++inX) {
                std::fill_n(sums, g.inChannels, 0.0);
                for (std::int64_t fy = 0; fy < g.filterHeight; ++fy)
                    for (std::int64_t fx = 0; fx < g.filterWidth; ++fx) {
                        const std::int64_t fromTop = inY + g.padTop - fy * g.dilationHeight;
                        const std::int64_t fromLeft = inX + g.padLeft - fx * g.dilationWidth;
                        if (fromTop < 0 || fromLeft < 0 || fromTop % g.strideHeight != 0 || fromLeft % g.strideWidth != 0) continue;
                        const std::int64_t y = fromTop / g.strideHeight;
                        const std::int64_t x = fromLeft / g.strideWidth;
                        if (y >= g.outHeight || x >= g.outWidth) continue;
                        const T* gradient = outGradient + g.outAt(n, y, x);
                        const double* weights = turned + g.filterAt(fy, fx);
                        for (std::int64_t o = 0; o < g.outChannels; ++o) {
                            const double left = gradient[o];
                            double* group = sums + o / g.groupOut * g.groupIn;
                            for (std::int64_t c = 0; c < g.groupIn; ++c) group[c] += left * weights[o * g.groupIn + c];
                        }
                    }
                T* out = call.out<T>(0) + g.inAt(n, inY, inX);
                for (std::int64_t c = 0; c < g.inChannels; ++c) out[c] = static_cast<T>(sums[c]);
            }
}

LOCKSTEP_BOTH(conv2D);
LOCKSTEP_BOTH(conv2DFilterGrad);
LOCKSTEP_BOTH(conv2DInputGrad);

}  // namespace lockstep::exec::ref
