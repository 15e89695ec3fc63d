// Update rules of Keras 3 (optimizers/sgd.py, adam.py). Keras rounds the momentum and the base of beta**step to float32 also when the
// weights are float64; 1 - beta, epsilon and the rate keep their precision.
#include "kernel.h"

#include <cmath>

namespace lockstep::exec::ref {
namespace {

double momentumOf(const graph::Attributes& attributes) {
    return attributes.contains("momentum") ? throughFloat(graph::doubleAttribute(attributes, "momentum")) : 0.0;
}

}  // namespace

template <class T>
void sgdUpdate(const Call& call) {
    const double momentum = momentumOf(call.node->attributes);
    const bool nesterov = graph::intAttributeOr(call.node->attributes, "nesterov", 0) != 0;
    const double rate = *call.in<T>(2);
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
    const auto& attributes = call.node->attributes;
    const double beta1 = graph::doubleAttribute(attributes, "beta_1");
    const double beta2 = graph::doubleAttribute(attributes, "beta_2");
    const double epsilon = graph::doubleAttribute(attributes, "epsilon");
    const double rate = *call.in<T>(2);
    const double step = *call.in<T>(3);
    const double alpha = rate * std::sqrt(1 - std::pow(throughFloat(beta2), step)) / (1 - std::pow(throughFloat(beta1), step));
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i) {
        const double gradient = call.in<T>(1)[i];
        T& weight = call.out<T>(0)[i];
        T& first = call.out<T>(1)[i];
        T& second = call.out<T>(2)[i];
        const double mean = double{first} + (gradient - double{first}) * (1 - beta1);
        const double square = double{second} + (gradient * gradient - double{second}) * (1 - beta2);
        first = static_cast<T>(mean);
        second = static_cast<T>(square);
        weight = static_cast<T>(double{weight} - mean * alpha / (std::sqrt(square) + epsilon));
    }
}

template void sgdUpdate<float>(const Call&);
template void sgdUpdate<double>(const Call&);
template void adamUpdate<float>(const Call&);
template void adamUpdate<double>(const Call&);

}  // namespace lockstep::exec::ref
