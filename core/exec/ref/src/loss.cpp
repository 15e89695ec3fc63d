#include "kernel.h"
#include "softmax_row.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::exec::ref {
namespace {

// The target distribution of one row.
struct Target {
    std::int64_t label;
    double onLabel;
    double onOthers;

    double of(std::int64_t c) const { return c == label ? onLabel : onOthers; }
};

// The logits of one row: as they are, or the log of clipped probabilities.
template <class T>
struct Logits {
    const T* z;
    std::int64_t classes;
    bool given;  // probabilities

    Logits(const Call& call, std::int64_t row)
        : z(call.in<T>(0) + row * call.shape(0)[1]),
          classes(call.shape(0)[1]),
          given(graph::intAttributeOr(call.node->attributes, "from_logits", 1) == 0) {}

    double operator[](std::int64_t c) const { return given ? std::log(clippedProbability(z[c])) : double{z[c]}; }
    // dz of the class by the given number.
    double slope(std::int64_t c) const { return !given ? 1 : isProbability(z[c]) ? 1 / double{z[c]} : 0; }
    double normaliser() const {
        if (!given) return logSumExp(z, classes);
        double sum = 0;
        for (std::int64_t c = 0; c < classes; ++c) sum += clippedProbability(z[c]);
        return std::log(sum);
    }
};

Target targetOf(const Call& call, std::int64_t label, std::int64_t classes) {
    const double smoothing = graph::doubleAttributeOr(call.node->attributes, "label_smoothing", 0);
    const double share = smoothing / static_cast<double>(classes);
    return {label, 1 - smoothing + share, share};
}

}  // namespace

// A label outside the classes makes the row's loss and gradient NaN, which the training loop's guard reports.
template <class T>
void softmaxCrossEntropy(const Call& call) {
    const std::int64_t rows = call.shape(0)[0];
    const std::int64_t classes = call.shape(0)[1];
    double sum = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
        const Logits<T> logits(call, i);
        const std::int32_t label = call.in<std::int32_t>(1)[i];
        const bool legal = label >= 0 && label < classes;
        const double normaliser = logits.normaliser();
        const Target target = targetOf(call, label, classes);
        double loss = legal ? 0 : std::numeric_limits<double>::quiet_NaN();
        // A target of exactly 0 adds nothing, even for an infinite logit.
        for (std::int64_t c = 0; c < classes; ++c)
            if (target.of(c) != 0) loss += target.of(c) * (normaliser - logits[c]);
        sum += double{call.in<T>(2)[i]} * loss;
    }
    *call.out<T>(0) = static_cast<T>(sum);
}

template <class T>
void softmaxCrossEntropyGrad(const Call& call) {
    const std::int64_t rows = call.shape(0)[0];
    const std::int64_t classes = call.shape(0)[1];
    for (std::int64_t i = 0; i < rows; ++i) {
        const Logits<T> logits(call, i);
        const std::int32_t label = call.in<std::int32_t>(1)[i];
        const bool legal = label >= 0 && label < classes;
        const double normaliser = logits.normaliser();
        const Target target = targetOf(call, label, classes);
        for (std::int64_t c = 0; c < classes; ++c) {
            const double gradient = (std::exp(logits[c] - normaliser) - target.of(c)) * logits.slope(c);
            call.out<T>(0)[i * classes + c] =
                legal ? static_cast<T>(double{call.in<T>(2)[i]} * gradient) : std::numeric_limits<T>::quiet_NaN();
        }
    }
}

template <class T>
void correctPredictions(const Call& call) {
    const std::int64_t rows = call.shape(0)[0];
    const std::int64_t classes = call.shape(0)[1];
    double sum = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
        const T* logits = call.in<T>(0) + i * classes;
        const auto first = std::max_element(logits, logits + classes) - logits;
        if (first == call.in<std::int32_t>(1)[i]) sum += double{call.in<T>(2)[i]};
    }
    *call.out<T>(0) = static_cast<T>(sum);
}

template void softmaxCrossEntropy<float>(const Call&);
template void softmaxCrossEntropy<double>(const Call&);
template void softmaxCrossEntropyGrad<float>(const Call&);
template void softmaxCrossEntropyGrad<double>(const Call&);
template void correctPredictions<float>(const Call&);
template void correctPredictions<double>(const Call&);

}  // namespace lockstep::exec::ref
