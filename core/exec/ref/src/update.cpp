// Update rules of Keras 3 (optimizers/*.py). Keras rounds some factors to float32 also when the weights are float64 (op.h says which).
#include "kernel.h"

#include <algorithm>
#include <cmath>

namespace lockstep::exec::ref {
namespace {

double attributeOf(const Call& call, const char* name) { return graph::doubleAttributeOr(call.node->attributes, name, 0); }

bool hasFlag(const Call& call, const char* name) { return graph::intAttributeOr(call.node->attributes, name, 0) != 0; }

template <class T>
double rateOf(const Call& call) {
    return *call.in<T>(2);
}

// The decoupled weight decay, in front of the rule itself.
template <class T>
void decay(const Call& call) {
    const double factor = throughFloat(attributeOf(call, "weight_decay")) * rateOf<T>(call);
    if (factor == 0) return;
    T* weight = call.out<T>(0);
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i)
        weight[i] = static_cast<T>(double{weight[i]} - double{weight[i]} * factor);
}

// The moments of Adam and LAMB and what they are divided by.
template <class T>
struct Moments {
    const Call& call;
    double beta1 = attributeOf(call, "beta_1"), beta2 = attributeOf(call, "beta_2");
    double step = *call.in<T>(3);
    double correction1 = 1 - std::pow(throughFloat(beta1), step), correction2 = 1 - std::pow(throughFloat(beta2), step);

    struct Pair {
        double mean, square;
    };
    Pair advance(std::int64_t i) const {
        const double gradient = call.in<T>(1)[i];
        T& first = call.out<T>(1)[i];
        T& second = call.out<T>(2)[i];
        const double mean = double{first} + (gradient - double{first}) * (1 - beta1);
        const double square = double{second} + (gradient * gradient - double{second}) * (1 - beta2);
        first = static_cast<T>(mean);
        second = static_cast<T>(square);
        return {mean, square};
    }
};

}  // namespace

template <class T>
void sgdUpdate(const Call& call) {
    decay<T>(call);
    const double momentum = throughFloat(attributeOf(call, "momentum"));
    const bool nesterov = hasFlag(call, "nesterov");
    const double rate = rateOf<T>(call);
    const T* gradient = call.in<T>(1);
    T* weight = call.out<T>(0);
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) {
        double move = -rate * double{gradient[i]};
        if (call.has(3)) {
            T& velocity = call.out<T>(1)[i];
            const double speed = momentum * double{velocity} + move;
            velocity = static_cast<T>(speed);
            move = nesterov ? momentum * speed + move : speed;
        }
        weight[i] = static_cast<T>(double{weight[i]} + move);
    }
}

template <class T>
void adamUpdate(const Call& call) {
    decay<T>(call);
    const Moments<T> moments{call};
    const double epsilon = attributeOf(call, "epsilon");
    const double alpha = rateOf<T>(call) * std::sqrt(moments.correction2) / moments.correction1;
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) {
        auto [mean, square] = moments.advance(i);
        if (call.has(6)) {
            T& largest = call.out<T>(3)[i];
            square = std::max(double{largest}, square);
            largest = static_cast<T>(square);
        }
        T& weight = call.out<T>(0)[i];
        weight = static_cast<T>(double{weight} - mean * alpha / (std::sqrt(square) + epsilon));
    }
}

template <class T>
void rmsPropUpdate(const Call& call) {
    decay<T>(call);
    const double rho = attributeOf(call, "rho"), epsilon = attributeOf(call, "epsilon"), momentum = attributeOf(call, "momentum");
    const bool centered = hasFlag(call, "centered");
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) {
        const double gradient = call.in<T>(1)[i];
        T& square = call.out<T>(1)[i];
        double divisor = rho * double{square} + (1 - rho) * gradient * gradient;
        square = static_cast<T>(divisor);
        if (centered) {
            T& average = call.out<T>(momentum != 0 ? 3 : 2)[i];
            const double mean = rho * double{average} + (1 - rho) * gradient;
            average = static_cast<T>(mean);
            divisor -= mean * mean;
        }
        double move = rateOf<T>(call) * gradient / std::sqrt(divisor + epsilon);
        if (momentum != 0) {
            T& slot = call.out<T>(2)[i];
            move += momentum * double{slot};
            slot = static_cast<T>(move);
        }
        T& weight = call.out<T>(0)[i];
        weight = static_cast<T>(double{weight} - move);
    }
}

template <class T>
void adagradUpdate(const Call& call) {
    decay<T>(call);
    const double epsilon = attributeOf(call, "epsilon");
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) {
        const double gradient = call.in<T>(1)[i];
        T& accumulator = call.out<T>(1)[i];
        const double sum = double{accumulator} + gradient * gradient;
        accumulator = static_cast<T>(sum);
        T& weight = call.out<T>(0)[i];
        weight = static_cast<T>(double{weight} - rateOf<T>(call) * gradient / std::sqrt(sum + epsilon));
    }
}

template <class T>
void lionUpdate(const Call& call) {
    decay<T>(call);
    const double beta1 = throughFloat(attributeOf(call, "beta_1")), beta2 = throughFloat(attributeOf(call, "beta_2"));
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) {
        const double gradient = call.in<T>(1)[i];
        T& mean = call.out<T>(1)[i];
        T& weight = call.out<T>(0)[i];
        const double direction = double{mean} * beta1 + gradient * (1 - beta1);
        // NaN has no sign, but must not be lost.
        const double sign = direction > 0 ? 1 : direction < 0 ? -1 : direction;
        weight = static_cast<T>(double{weight} - rateOf<T>(call) * sign);
        mean = static_cast<T>(double{mean} * beta2 + gradient * (1 - beta2));
    }
}

template <class T>
void lambUpdate(const Call& call) {
    decay<T>(call);
    const Moments<T> moments{call};
    const double epsilon = attributeOf(call, "epsilon");
    double* moves = call.scratch.data();
    double weightSquares = 0, moveSquares = 0;
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) {
        const auto [mean, square] = moments.advance(i);
        moves[i] = mean / moments.correction1 / (std::sqrt(square / moments.correction2) + epsilon);
        const double weight = call.out<T>(0)[i];
        weightSquares += weight * weight;
        moveSquares += moves[i] * moves[i];
    }
    const double ratio = weightSquares > 0 && moveSquares > 0 ? std::sqrt(weightSquares) / std::sqrt(moveSquares) : 1;
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) {
        T& weight = call.out<T>(0)[i];
        weight = static_cast<T>(double{weight} - ratio * rateOf<T>(call) * moves[i]);
    }
}

template <class T>
void accumulate(const Call& call) {
    const double keep = *call.in<T>(2);
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) {
        T& sum = call.out<T>(0)[i];
        sum = keep == 0 ? call.in<T>(1)[i] : static_cast<T>(keep * double{sum} + double{call.in<T>(1)[i]});
    }
}

LOCKSTEP_BOTH(sgdUpdate);
LOCKSTEP_BOTH(adamUpdate);
LOCKSTEP_BOTH(rmsPropUpdate);
LOCKSTEP_BOTH(adagradUpdate);
LOCKSTEP_BOTH(lionUpdate);
LOCKSTEP_BOTH(lambUpdate);
LOCKSTEP_BOTH(accumulate);

}  // namespace lockstep::exec::ref
