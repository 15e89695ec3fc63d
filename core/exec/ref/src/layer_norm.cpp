#include "kernel.h"

#include <algorithm>
#include <cmath>

namespace lockstep::exec::ref {

template <class T>
void layerNorm(const Call& call) {
    const std::int64_t columns = call.shape(0).back();
    const double epsilon = graph::doubleAttribute(call.node->attributes, "epsilon");
    for (std::int64_t row = 0; row < call.shape(0).elements() / columns; ++row) {
        const T* x = call.in<T>(0) + row * columns;
        double mean = 0, square = 0;
        for (std::int64_t c = 0; c < columns; ++c) mean += double{x[c]};
        mean /= static_cast<double>(columns);
        for (std::int64_t c = 0; c < columns; ++c) square += (double{x[c]} - mean) * (double{x[c]} - mean);
        const double factor = 1 / std::sqrt(square / static_cast<double>(columns) + epsilon);
        for (std::int64_t c = 0; c < columns; ++c) {
            const double y = (double{x[c]} - mean) * factor * double{call.in<T>(1)[c]} + double{call.in<T>(2)[c]};
            call.out<T>(0)[row * columns + c] = static_cast<T>(y);
        }
        call.out<T>(1)[row] = static_cast<T>(mean);
        call.out<T>(2)[row] = static_cast<T>(factor);
    }
}

template <class T>
void layerNormGrad(const Call& call) {
    const std::int64_t columns = call.shape(0).back();
    double* products = call.scratch.data();
    double* sums = products + columns;
    std::fill_n(products, 2 * columns, 0.0);
    for (std::int64_t row = 0; row < call.shape(0).elements() / columns; ++row) {
        const T* dy = call.in<T>(0) + row * columns;
        const T* x = call.in<T>(1) + row * columns;
        const T* gamma = call.in<T>(4);
        const double mean = call.in<T>(2)[row], factor = call.in<T>(3)[row];
        double meanOfInner = 0, meanOfProduct = 0;  // of dy·gamma and of dy·gamma·x̂
        for (std::int64_t c = 0; c < columns; ++c) {
            const double normal = (double{x[c]} - mean) * factor, inner = double{dy[c]} * double{gamma[c]};
            products[c] += double{dy[c]} * normal;
            sums[c] += double{dy[c]};
            meanOfInner += inner / static_cast<double>(columns);
            meanOfProduct += inner * normal / static_cast<double>(columns);
        }
        for (std::int64_t c = 0; c < columns; ++c) {
            const double normal = (double{x[c]} - mean) * factor, inner = double{dy[c]} * double{gamma[c]};
            call.out<T>(0)[row * columns + c] = static_cast<T>(factor * (inner - meanOfInner - normal * meanOfProduct));
        }
    }
    for (std::int64_t c = 0; c < columns; ++c) {
        call.out<T>(1)[c] = static_cast<T>(products[c]);
        call.out<T>(2)[c] = static_cast<T>(sums[c]);
    }
}

LOCKSTEP_BOTH(layerNorm);
LOCKSTEP_BOTH(layerNormGrad);

}  // namespace lockstep::exec::ref
