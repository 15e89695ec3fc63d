#include "kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::exec::ref {
namespace {

template <class T, class Of>
void forEach(const Call& call, Of of) {
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) call.out<T>(0)[i] = static_cast<T>(of(i));
}

double factorOf(const Call& call) { return graph::doubleAttribute(call.node->attributes, "factor"); }

}  // namespace

template <class T>
void scale(const Call& call) {
    forEach<T>(call, [&, factor = factorOf(call)](std::int64_t i) { return factor * double{call.in<T>(0)[i]}; });
}

template <class T>
void addScaled(const Call& call) {
    forEach<T>(call, [&, factor = factorOf(call)](std::int64_t i) { return double{call.in<T>(0)[i]} + factor * double{call.in<T>(1)[i]}; });
}

template <class T>
void multiply(const Call& call) {
    forEach<T>(call, [&](std::int64_t i) { return double{call.in<T>(0)[i]} * double{call.in<T>(1)[i]}; });
}

template <class T>
void multiplyByScalar(const Call& call) {
    forEach<T>(call, [&](std::int64_t i) { return double{call.in<T>(0)[i]} * double{*call.in<T>(1)}; });
}

template <class T>
void clipByNorm(const Call& call) {
    const double limit = graph::doubleAttribute(call.node->attributes, "limit");
    const double norm = *call.in<T>(1);
    const double factor = std::isfinite(norm) ? limit / std::max(norm, limit) : std::numeric_limits<double>::quiet_NaN();
    forEach<T>(call, [&](std::int64_t i) { return double{call.in<T>(0)[i]} * factor; });
}

template <class T>
void clipValue(const Call& call) {
    const double limit = graph::doubleAttribute(call.node->attributes, "limit");
    // Written so that NaN stays NaN.
    forEach<T>(call, [&](std::int64_t i) {
        const double g = call.in<T>(0)[i];
        return g > limit ? limit : g < -limit ? -limit : g;
    });
}

LOCKSTEP_BOTH(scale);
LOCKSTEP_BOTH(addScaled);
LOCKSTEP_BOTH(multiply);
LOCKSTEP_BOTH(multiplyByScalar);
LOCKSTEP_BOTH(clipByNorm);
LOCKSTEP_BOTH(clipValue);

}  // namespace lockstep::exec::ref
