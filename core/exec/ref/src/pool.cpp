#include "kernel.h"

#include <algorithm>

namespace lockstep::exec::ref {
namespace {

struct Pooling {
    std::int64_t batch, inHeight, inWidth, channels, outHeight, outWidth;
    std::int64_t windowHeight, windowWidth, strideHeight, strideWidth, padTop, padLeft;

    // Position in the input of the first maximum (row-major) of the window of output (n, y, x, c). Places outside the picture never win.
    template <class T>
    std::int64_t firstMaximum(const T* in, std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c) const {
        std::int64_t best = -1;
        forEachPlace(n, y, x, c, [&](std::int64_t at) {
            if (best < 0 || in[at] > in[best]) best = at;
        });
        return best;
    }

    // Calls visit(position in the input) for each real place of that window.
    template <class Visit>
    void forEachPlace(std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c, Visit visit) const {
        const std::int64_t top = y * strideHeight - padTop, left = x * strideWidth - padLeft;
        for (std::int64_t inY = std::max<std::int64_t>(top, 0); inY < std::min(top + windowHeight, inHeight); ++inY)
            for (std::int64_t inX = std::max<std::int64_t>(left, 0); inX < std::min(left + windowWidth, inWidth); ++inX)
                visit(((n * inHeight + inY) * inWidth + inX) * channels + c);
    }

    template <class Visit>
    void forEachOutput(Visit visit) const {
        std::int64_t at = 0;
        for (std::int64_t n = 0; n < batch; ++n)
            for (std::int64_t y = 0; y < outHeight; ++y)
                for (std::int64_t x = 0; x < outWidth; ++x)
                    for (std::int64_t c = 0; c < channels; ++c) visit(at++, n, y, x, c);
    }
};

Pooling poolingOf(const graph::Attributes& attributes, const graph::Shape& in, const graph::Shape& out) {
    const auto& window = graph::listAttribute(attributes, "window");
    const auto& strides = graph::listAttribute(attributes, "strides");
    const auto padding = graph::textAttribute(attributes, "padding");
    return {in[0],
            in[1],
            in[2],
            in[3],
            out[1],
            out[2],
            window[0],
            window[1],
            strides[0],
            strides[1],
            graph::windowAxis(in[1], window[0], strides[0], padding).padBefore,
            graph::windowAxis(in[2], window[1], strides[1], padding).padBefore};
}

}  // namespace

template <class T>
void maxPool2D(const Call& call) {
    const Pooling pooling = poolingOf(call.node->attributes, call.shape(0), call.outShape(0));
    const T* in = call.in<T>(0);
    pooling.forEachOutput([&](std::int64_t at, std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c) {
        call.out<T>(0)[at] = in[pooling.firstMaximum(in, n, y, x, c)];
    });
}

template <class T>
void maxPool2DGrad(const Call& call) {
    const Pooling pooling = poolingOf(call.node->attributes, call.shape(1), call.shape(0));
    const T* in = call.in<T>(1);
    double* sums = call.scratch.data();
    const std::int64_t count = call.outShape(0).elements();
    std::fill_n(sums, count, 0.0);
    pooling.forEachOutput([&](std::int64_t at, std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c) {
        sums[pooling.firstMaximum(in, n, y, x, c)] += double{call.in<T>(0)[at]};
    });
    for (std::int64_t i = 0; i < count; ++i) call.out<T>(0)[i] = static_cast<T>(sums[i]);
}

template <class T>
void avgPool2D(const Call& call) {
    const Pooling pooling = poolingOf(call.node->attributes, call.shape(0), call.outShape(0));
    const T* in = call.in<T>(0);
    pooling.forEachOutput([&](std::int64_t at, std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c) {
        double sum = 0;
        std::int64_t places = 0;
        pooling.forEachPlace(n, y, x, c, [&](std::int64_t from) {
            sum += double{in[from]};
            ++places;
        });
        call.out<T>(0)[at] = static_cast<T>(sum / static_cast<double>(places));
    });
}

template <class T>
void avgPool2DGrad(const Call& call) {
    const Pooling pooling = poolingOf(call.node->attributes, call.outShape(0), call.shape(0));
    double* sums = call.scratch.data();
    const std::int64_t count = call.outShape(0).elements();
    std::fill_n(sums, count, 0.0);
    pooling.forEachOutput([&](std::int64_t at, std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c) {
        std::int64_t places = 0;
        pooling.forEachPlace(n, y, x, c, [&](std::int64_t) { ++places; });
        const double share = double{call.in<T>(0)[at]} / static_cast<double>(places);
        pooling.forEachPlace(n, y, x, c, [&](std::int64_t to) { sums[to] += share; });
    });
    for (std::int64_t i = 0; i < count; ++i) call.out<T>(0)[i] = static_cast<T>(sums[i]);
}

LOCKSTEP_BOTH(maxPool2D);
LOCKSTEP_BOTH(maxPool2DGrad);
LOCKSTEP_BOTH(avgPool2D);
LOCKSTEP_BOTH(avgPool2DGrad);

}  // namespace lockstep::exec::ref
