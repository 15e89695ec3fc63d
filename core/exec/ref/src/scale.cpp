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
void divideByScalar(const Call& call) {
    forEach<T>(call, [&](std::int64_t i) { return double{call.in<T>(0)[i]} / double{*call.in<T>(1)}; });
}

template <class T>
void updateIf(const Call& call) {
    *call.out<T>(0) = *call.in<T>(0);
}

template <class T>
void lossScaleUpdate(const Call& call) {
    T &scale = *call.out<T>(0), &counter = *call.out<T>(1), &skipped = *call.out<T>(2);
    const auto steps = static_cast<T>(graph::intAttribute(call.node->attributes, "growth_steps"));
    if (*call.in<T>(3) == T{0}) {
        scale /= 2;
        counter = 0;
        skipped += 1;
    } else if (counter + 1 == steps) {
        scale *= 2;
        counter = 0;
    } else {
        counter += 1;
    }
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
LOCKSTEP_BOTH(divideByScalar);
LOCKSTEP_BOTH(updateIf);
LOCKSTEP_BOTH(lossScaleUpdate);
LOCKSTEP_BOTH(clipByNorm);
LOCKSTEP_BOTH(clipValue);

}  // namespace lockstep::exec::ref
