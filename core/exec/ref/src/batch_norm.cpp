#include "kernel.h"

#include <algorithm>
#include <cmath>

namespace lockstep::exec::ref {
namespace {

double epsilonOf(const Call& call) { return graph::doubleAttribute(call.node->attributes, "epsilon"); }

bool isRectified(const Call& call) { return !graph::textAttributeOr(call.node->attributes, "activation", "").empty(); }

// 1/√(variance + epsilon) of every channel, at the start of the scratch.
template <class T>
const double* inverseDeviations(const Call& call, std::size_t varianceIndex) {
    double* factors = call.scratch.data();
    for (std::int64_t c = 0; c < call.shape(varianceIndex)[0]; ++c)
        factors[c] = 1 / std::sqrt(double{call.in<T>(varianceIndex)[c]} + epsilonOf(call));
    return factors;
}

// Calls visit(element, channel) for the first `count` elements.
template <class Visit>
void forEachElement(std::int64_t count, std::int64_t channels, Visit visit) {
    for (std::int64_t first = 0; first < count; first += channels)
        for (std::int64_t c = 0; c < channels; ++c) visit(first + c, c);
}

// The gradient before the activation: of a rectified node it counts where the result (its last input) is positive.
template <class T>
struct Masked {
    const T* dy;
    const T* y;  // none: nothing is masked

    explicit Masked(const Call& call) : dy(call.in<T>(0)), y(isRectified(call) ? call.in<T>(call.inputs.size() - 1) : nullptr) {}
    double operator[](std::int64_t i) const { return y == nullptr || y[i] > T{0} ? double{dy[i]} : 0.0; }
};

}  // namespace

template <class T>
void batchMoments(const Call& call) {
    const std::int64_t channels = call.shape(0).back();
    const std::int64_t perRow = call.shape(0).elements() / call.shape(0)[0];
    const std::int64_t count = perRow * realRows<T>(call, 1, call.shape(0)[0]);
    const double places = static_cast<double>(std::max<std::int64_t>(count / channels, 1));
    const T* x = call.in<T>(0);
    double* means = call.scratch.data();
    double* squares = means + channels;
    std::fill_n(means, 2 * channels, 0.0);
    forEachElement(count, channels, [&](std::int64_t i, std::int64_t c) { means[c] += double{x[i]}; });
    for (std::int64_t c = 0; c < channels; ++c) means[c] /= places;
    forEachElement(count, channels, [&](std::int64_t i, std::int64_t c) {
        const double distance = double{x[i]} - means[c];
        squares[c] += distance * distance;
    });
    for (std::int64_t c = 0; c < channels; ++c) {
        call.out<T>(0)[c] = static_cast<T>(means[c]);
        call.out<T>(1)[c] = static_cast<T>(squares[c] / places);
    }
}

template <class T>
void batchNormalize(const Call& call) {
    const bool rectify = isRectified(call);
    const double* factors = inverseDeviations<T>(call, 2);
    forEachElement(call.outShape(0).elements(), call.outShape(0).back(), [&](std::int64_t i, std::int64_t c) {
        const double normal = (double{call.in<T>(0)[i]} - double{call.in<T>(1)[c]}) * factors[c];
        double y = normal * double{call.in<T>(3)[c]} + double{call.in<T>(4)[c]};
        if (call.has(5)) y += double{call.in<T>(5)[i]};
        call.out<T>(0)[i] = static_cast<T>(rectify && y < 0 ? 0.0 : y);
    });
}

template <class T>
void batchNormReduceGrad(const Call& call) {
    const std::int64_t channels = call.shape(0).back();
    const std::int64_t rows = call.shape(0)[0];
    const bool hasCount = call.inputs.size() == (isRectified(call) ? 6u : 5u);
    const std::int64_t count = call.shape(0).elements() / rows * (hasCount ? realRows<T>(call, 4, rows) : rows);
    const Masked<T> dy(call);
    const double* factors = inverseDeviations<T>(call, 3);
    double* products = call.scratch.data() + channels;
    double* sums = products + channels;
    std::fill_n(products, 2 * channels, 0.0);
    forEachElement(count, channels, [&](std::int64_t i, std::int64_t c) {
        products[c] += dy[i] * (double{call.in<T>(1)[i]} - double{call.in<T>(2)[c]});
        sums[c] += dy[i];
    });
    for (std::int64_t c = 0; c < channels; ++c) {
        call.out<T>(0)[c] = static_cast<T>(products[c] * factors[c]);
        call.out<T>(1)[c] = static_cast<T>(sums[c]);
    }
}

template <class T>
void batchNormInputGrad(const Call& call) {
    const std::int64_t channels = call.shape(0).back();
    const std::int64_t count = call.shape(0).elements() / call.shape(0)[0] * realRows<T>(call, 7, call.shape(0)[0]);
    const double places = static_cast<double>(std::max<std::int64_t>(count / channels, 1));
    const Masked<T> dy(call);
    const double* factors = inverseDeviations<T>(call, 3);
    T* dx = call.out<T>(0);
    forEachElement(count, channels, [&](std::int64_t i, std::int64_t c) {
        const double normal = (double{call.in<T>(1)[i]} - double{call.in<T>(2)[c]}) * factors[c];
        const double inner = dy[i] - double{call.in<T>(6)[c]} / places - normal * double{call.in<T>(5)[c]} / places;
        dx[i] = static_cast<T>(double{call.in<T>(4)[c]} * factors[c] * inner);
    });
    std::fill(dx + count, dx + call.outShape(0).elements(), T{0});
}

template <class T>
void batchNormFrozenGrad(const Call& call) {
    const Masked<T> dy(call);
    const double* factors = inverseDeviations<T>(call, 1);
    forEachElement(call.outShape(0).elements(), call.outShape(0).back(), [&](std::int64_t i, std::int64_t c) {
        call.out<T>(0)[i] = static_cast<T>(double{call.in<T>(2)[c]} * factors[c] * dy[i]);
    });
}

template <class T>
void movingUpdate(const Call& call) {
    const double momentum = graph::doubleAttribute(call.node->attributes, "momentum");
    const double places = static_cast<double>(graph::intAttributeOr(call.node->attributes, "bessel", 0));
    const double count = call.has(2) ? double{*call.in<T>(2)} : 1;
    if (count == 0) return;
    const double factor = places > 0 ? places * count / std::max(places * count - 1, 1.0) : 1;
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) {
        T& state = call.out<T>(0)[i];
        state = static_cast<T>(double{state} * momentum + double{call.in<T>(1)[i]} * factor * (1 - momentum));
    }
}

LOCKSTEP_BOTH(batchMoments);
LOCKSTEP_BOTH(batchNormalize);
LOCKSTEP_BOTH(batchNormReduceGrad);
LOCKSTEP_BOTH(batchNormInputGrad);
LOCKSTEP_BOTH(batchNormFrozenGrad);
LOCKSTEP_BOTH(movingUpdate);

}  // namespace lockstep::exec::ref
