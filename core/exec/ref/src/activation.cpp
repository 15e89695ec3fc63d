#include "kernel.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

namespace lockstep::exec::ref {
namespace {

double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

// An activation and its slope.
struct Curve {
    double (*value)(double x, double alpha);
    double (*slope)(double x, double alpha);
};

constexpr double kGeluCubic = 0.044715;
double geluTangent(double x) { return std::tanh(std::sqrt(2 / std::numbers::pi) * (x + kGeluCubic * x * x * x)); }
double normalShare(double x) { return 0.5 * (1 + std::erf(x / std::numbers::sqrt2)); }

constexpr Curve kRelu6{[](double x, double) { return x < 0   ? 0.0
                                                     : x > 6 ? 6.0
                                                             : x; },
                       [](double x, double) { return x > 0 && x < 6 ? 1.0 : 0.0; }};
constexpr Curve kLeakyRelu{[](double x, double alpha) { return x > 0 ? x : alpha * x; },
                           [](double x, double alpha) { return x > 0 ? 1.0 : alpha; }};
constexpr Curve kElu{[](double x, double alpha) { return x > 0 ? x : alpha * std::expm1(x); },
                     [](double x, double alpha) { return x > 0 ? 1.0 : alpha * std::exp(x); }};
constexpr Curve kGelu{[](double x, double) { return x * normalShare(x); },
                      [](double x, double) {
                          const double density = std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
                          return normalShare(x) + x * density;
                      }};
constexpr Curve kGeluTanh{[](double x, double) { return 0.5 * x * (1 + geluTangent(x)); },
                          [](double x, double) {
                              const double t = geluTangent(x);
                              const double inner = std::sqrt(2 / std::numbers::pi) * (1 + 3 * kGeluCubic * x * x);
                              return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner;
                          }};
constexpr Curve kSilu{[](double x, double) { return x * sigmoid(x); },
                      [](double x, double) { return sigmoid(x) * (1 + x * (1 - sigmoid(x))); }};
constexpr Curve kTanh{[](double x, double) { return std::tanh(x); }, [](double x, double) { return 1 - std::tanh(x) * std::tanh(x); }};
constexpr Curve kSigmoid{[](double x, double) { return sigmoid(x); }, [](double x, double) { return sigmoid(x) * (1 - sigmoid(x)); }};
constexpr Curve kSoftplus{[](double x, double) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); },
                          [](double x, double) { return sigmoid(x); }};

Curve curveOf(const Call& call) {
    const std::string_view kind = graph::textAttribute(call.node->attributes, "kind");
    if (kind == "relu6") return kRelu6;
    if (kind == "leaky_relu") return kLeakyRelu;
    if (kind == "elu") return kElu;
    if (kind == "gelu") return kGelu;
    if (kind == "gelu_tanh") return kGeluTanh;
    if (kind == "silu") return kSilu;
    if (kind == "tanh") return kTanh;
    return kind == "sigmoid" ? kSigmoid : kSoftplus;
}

double alphaOf(const Call& call) {
    const bool leaky = graph::textAttribute(call.node->attributes, "kind") == "leaky_relu";
    const double alpha = graph::doubleAttributeOr(call.node->attributes, "alpha", leaky ? 0.3 : 1.0);
    return leaky ? throughFloat(alpha) : alpha;
}

}  // namespace

template <class T>
void activate(const Call& call) {
    const Curve curve = curveOf(call);
    const double alpha = alphaOf(call);
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i)
        call.out<T>(0)[i] = static_cast<T>(curve.value(double{call.in<T>(0)[i]}, alpha));
}

template <class T>
void activateGrad(const Call& call) {
    const Curve curve = curveOf(call);
    const double alpha = alphaOf(call);
    for (std::int64_t i = 0; i < call.outShape(0).elements(); ++i)
        call.out<T>(0)[i] = static_cast<T>(double{call.in<T>(0)[i]} * curve.slope(double{call.in<T>(1)[i]}, alpha));
}

template <class T>
void softmax(const Call& call) {
    const std::int64_t classes = call.shape(0).back();
    for (std::int64_t first = 0; first < call.shape(0).elements(); first += classes) {
        const T* x = call.in<T>(0) + first;
        const double largest = *std::max_element(x, x + classes);
        double sum = 0;
        for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(double{x[c]} - largest);
        for (std::int64_t c = 0; c < classes; ++c) call.out<T>(0)[first + c] = static_cast<T>(std::exp(double{x[c]} - largest) / sum);
    }
}

template <class T>
void softmaxGrad(const Call& call) {
    const std::int64_t classes = call.shape(0).back();
    for (std::int64_t first = 0; first < call.shape(0).elements(); first += classes) {
        const T* dy = call.in<T>(0) + first;
        const T* y = call.in<T>(1) + first;
        double product = 0;
        for (std::int64_t c = 0; c < classes; ++c) product += double{dy[c]} * double{y[c]};
        for (std::int64_t c = 0; c < classes; ++c) call.out<T>(0)[first + c] = static_cast<T>(double{y[c]} * (double{dy[c]} - product));
    }
}

LOCKSTEP_BOTH(activate);
LOCKSTEP_BOTH(activateGrad);
LOCKSTEP_BOTH(softmax);
LOCKSTEP_BOTH(softmaxGrad);

}  // namespace lockstep::exec::ref
