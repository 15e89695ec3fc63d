#include "kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lockstep::exec::ref {

template <class T>
void biasAdd(const Call& call) {
    const std::int64_t channels = call.shape(1)[0];
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i)
        call.out<T>(0)[i] = static_cast<T>(double{call.in<T>(0)[i]} + double{call.in<T>(1)[i % channels]});
}

template <class T>
void biasGrad(const Call& call) {
    const std::int64_t channels = call.outShape(0)[0];
    double* sums = call.scratch.data();
    std::fill_n(sums, channels, 0.0);
    for (std::int64_t i = 0; i < call.shape(0).elements(); ++i) sums[i % channels] += double{call.in<T>(0)[i]};
    for (std::int64_t c = 0; c < channels; ++c) call.out<T>(0)[c] = static_cast<T>(sums[c]);
}

template <class T>
void relu(const Call& call) {
    // Written so that NaN stays NaN: the guard of the training loop must see it.
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) call.out<T>(0)[i] = call.in<T>(0)[i] < T{0} ? T{0} : call.in<T>(0)[i];
}

template <class T>
void reluGrad(const Call& call) {
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) call.out<T>(0)[i] = call.in<T>(1)[i] > T{0} ? call.in<T>(0)[i] : T{0};
}

template <class T>
void add(const Call& call) {
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) call.out<T>(0)[i] = call.in<T>(0)[i] + call.in<T>(1)[i];
}

template <class T>
void reshape(const Call& call) {
    std::memcpy(call.outputs[0], call.inputs[0], call.types[0].bytes());
}

template <class T>
void squareSum(const Call& call) {
    double sum = 0;
    for (std::size_t input = 0; input < call.inputs.size(); ++input)
        for (std::int64_t i = 0; i < call.shape(input).elements(); ++i) sum += double{call.in<T>(input)[i]} * double{call.in<T>(input)[i]};
    *call.out<T>(0) = static_cast<T>(sum);
}

template <class T>
void absSum(const Call& call) {
    double sum = 0;
    for (std::size_t input = 0; input < call.inputs.size(); ++input)
        for (std::int64_t i = 0; i < call.shape(input).elements(); ++i) sum += std::abs(double{call.in<T>(input)[i]});
    *call.out<T>(0) = static_cast<T>(sum);
}

template <class T>
void sign(const Call& call) {
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) {
        const T x = call.in<T>(0)[i];
        call.out<T>(0)[i] = x > T{0} ? T{1} : x < T{0} ? T{-1} : std::isnan(x) ? x : T{0};
    }
}

template <class T>
void squareRoot(const Call& call) {
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) call.out<T>(0)[i] = std::sqrt(call.in<T>(0)[i]);
}

LOCKSTEP_BOTH(biasAdd);
LOCKSTEP_BOTH(biasGrad);
LOCKSTEP_BOTH(relu);
LOCKSTEP_BOTH(reluGrad);
LOCKSTEP_BOTH(add);
LOCKSTEP_BOTH(reshape);
LOCKSTEP_BOTH(squareSum);
LOCKSTEP_BOTH(absSum);
LOCKSTEP_BOTH(sign);
LOCKSTEP_BOTH(squareRoot);

}  // namespace lockstep::exec::ref
