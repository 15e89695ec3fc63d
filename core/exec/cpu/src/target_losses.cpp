#include "target_losses.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::exec::cpu {

using graph::OpKind;

namespace {

constexpr double kClip = 1e-7;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double clipped(double p) { return p < kClip ? kClip : (p > 1 - kClip ? 1 - kClip : p); }
double slopeOfClip(double p) { return p >= kClip && p <= 1 - kClip ? 1 : 0; }
double at(const float* values, std::size_t i) { return static_cast<double>(values[i]); }
double signOf(double x) { return x > 0 ? 1 : (x < 0 ? -1 : x); }
double sigmoid(double z) { return z >= 0 ? 1 / (1 + std::exp(-z)) : std::exp(z) / (1 + std::exp(z)); }

std::size_t firstLargest(const float* values, std::size_t count) {
    return static_cast<std::size_t>(std::max_element(values, values + count) - values);
}

double logSumExp(const TargetRow& row) {
    const double largest = at(row.prediction, firstLargest(row.prediction, row.columns));
    double sum = 0;
    for (std::size_t c = 0; c < row.columns; ++c) sum += std::exp(at(row.prediction, c) - largest);
    return largest + std::log(sum);
}

double sumOf(const TargetRow& row) {
    double sum = 0;
    for (std::size_t c = 0; c < row.columns; ++c) sum += at(row.prediction, c);
    return sum;
}

// Target of a class: given, or one at the label; smoothed.
double targetOf(const TargetLoss& loss, const TargetRow& row, std::size_t c) {
    const double exact = row.target != nullptr ? at(row.target, c) : (c == static_cast<std::size_t>(row.label) ? 1 : 0);
    return exact * (1 - loss.smoothing) + loss.smoothing / static_cast<double>(row.columns);
}

bool isLegal(const TargetRow& row) {
    return row.target != nullptr || (row.label >= 0 && static_cast<std::size_t>(row.label) < row.columns);
}

double categorical(const TargetLoss& loss, const TargetRow& row) {
    const double normaliser = loss.fromLogits ? logSumExp(row) : sumOf(row);
    double sum = 0;
    for (std::size_t c = 0; c < row.columns; ++c) {
        const double t = targetOf(loss, row, c), z = at(row.prediction, c);
        // A target of exactly 0 adds nothing, even for an infinite logit.
        if (t != 0) sum += t * (loss.fromLogits ? normaliser - z : -std::log(clipped(z / normaliser)));
    }
    return sum;
}

void categoricalGrad(const TargetLoss& loss, const TargetRow& row, double weight, float* into) {
    const double normaliser = loss.fromLogits ? logSumExp(row) : sumOf(row);
    double total = 0;  // of the targets, or of slope · probability
    const auto slope = [&](std::size_t c) {
        const double q = at(row.prediction, c) / normaliser;
        return slopeOfClip(q) == 0 ? 0 : -targetOf(loss, row, c) / q;
    };
    for (std::size_t c = 0; c < row.columns; ++c)
        total += loss.fromLogits ? targetOf(loss, row, c) : slope(c) * at(row.prediction, c) / normaliser;
    for (std::size_t c = 0; c < row.columns; ++c) {
        const double g = loss.fromLogits ? std::exp(at(row.prediction, c) - normaliser) * total - targetOf(loss, row, c)
                                         : (slope(c) - total) / normaliser;
        into[c] = static_cast<float>(weight * g);
    }
}

// A label's loss from probabilities: their clipped logs are the logits.
double sparse(const TargetLoss& loss, const TargetRow& row) {
    if (!isLegal(row)) return kNone;
    double sum = 0, target = 0;
    for (std::size_t c = 0; c < row.columns; ++c) {
        sum += clipped(at(row.prediction, c));
        target += targetOf(loss, row, c) * std::log(clipped(at(row.prediction, c)));
    }
    return std::log(sum) - target;
}

void sparseGrad(const TargetLoss& loss, const TargetRow& row, double weight, float* into) {
    double sum = 0;
    for (std::size_t c = 0; c < row.columns; ++c) sum += clipped(at(row.prediction, c));
    for (std::size_t c = 0; c < row.columns; ++c) {
        const double p = at(row.prediction, c), g = (clipped(p) / sum - targetOf(loss, row, c)) * slopeOfClip(p) / clipped(p);
        into[c] = static_cast<float>(isLegal(row) ? weight * g : kNone);
    }
}

// Per element, to be divided by their number.
double binary(const TargetLoss& loss, double z, double exact) {
    const double t = exact * (1 - loss.smoothing) + 0.5 * loss.smoothing;
    if (loss.fromLogits) return std::max(z, 0.0) - z * t + std::log1p(std::exp(-std::abs(z)));
    return -t * std::log(clipped(z)) - (1 - t) * std::log(1 - clipped(z));
}

double binarySlope(const TargetLoss& loss, double z, double exact) {
    const double t = exact * (1 - loss.smoothing) + 0.5 * loss.smoothing;
    if (loss.fromLogits) return sigmoid(z) - t;
    return slopeOfClip(z) == 0 ? 0 : (1 - t) / (1 - z) - t / z;
}

double errorOf(const TargetLoss& loss, double e) {
    if (loss.regression == TargetLoss::Regression::Squared) return e * e;
    const double size = std::abs(e);
    if (loss.regression == TargetLoss::Regression::Absolute) return size;
    return size <= loss.delta ? 0.5 * e * e : loss.delta * size - 0.5 * loss.delta * loss.delta;
}

double regressionSlope(const TargetLoss& loss, double e) {
    if (loss.regression == TargetLoss::Regression::Squared) return 2 * e;
    if (loss.regression == TargetLoss::Regression::Absolute) return signOf(e);
    return std::abs(e) <= loss.delta ? e : loss.delta * signOf(e);
}

// tf.math.in_top_k: what ties with the label doesn't push it out; a row with something not finite is no hit.
double isInTopK(const TargetLoss& loss, const TargetRow& row) {
    if (!isLegal(row)) return 0;
    const float* end = row.prediction + row.columns;
    if (!std::all_of(row.prediction, end, [](float z) { return std::isfinite(z); })) return 0;
    return std::count_if(row.prediction, end, [&](float z) { return z > row.prediction[row.label]; }) < loss.k ? 1 : 0;
}

template <class Of>
double meanOf(const TargetRow& row, Of of) {
    double sum = 0;
    for (std::size_t c = 0; c < row.columns; ++c) sum += of(at(row.prediction, c), at(row.target, c));
    return sum / static_cast<double>(row.columns);
}

template <class Of>
void gradientOf(const TargetRow& row, double weight, float* into, Of of) {
    for (std::size_t c = 0; c < row.columns; ++c)
        into[c] = static_cast<float>(weight * of(at(row.prediction, c), at(row.target, c)) / static_cast<double>(row.columns));
}

}  // namespace

TargetLoss TargetLoss::of(OpKind op, const graph::Attributes& attributes) {
    TargetLoss loss;
    loss.op = op;
    loss.fromLogits = graph::intAttributeOr(attributes, "from_logits", 1) != 0;
    loss.smoothing = graph::doubleAttributeOr(attributes, "label_smoothing", 0);
    const auto kind = graph::textAttributeOr(attributes, "kind", "mse");
    loss.regression = kind == "mse" ? Regression::Squared : (kind == "mae" ? Regression::Absolute : Regression::Huber);
    loss.delta = graph::doubleAttributeOr(attributes, "delta", 1);
    loss.threshold = graph::doubleAttributeOr(attributes, "threshold", 0);
    loss.k = graph::intAttributeOr(attributes, "k", 1);
    return loss;
}

double TargetLoss::value(const TargetRow& row) const {
    switch (op) {
        case OpKind::SoftmaxCrossEntropy: return sparse(*this, row);
        case OpKind::CategoricalCrossEntropy: return categorical(*this, row);
        case OpKind::BinaryCrossEntropy: return meanOf(row, [this](double z, double t) { return binary(*this, z, t); });
        case OpKind::RegressionLoss: return meanOf(row, [this](double z, double t) { return errorOf(*this, z - t); });
        case OpKind::BinaryCorrect: return meanOf(row, [this](double z, double t) { return t == (z > threshold ? 1 : 0) ? 1 : 0; });
        case OpKind::CategoricalCorrect: return firstLargest(row.prediction, row.columns) == firstLargest(row.target, row.columns) ? 1 : 0;
        case OpKind::TopKCorrect: return isInTopK(*this, row);
        default: return kNone;  // TargetLoss::of() is called for these only
    }
}

void TargetLoss::gradient(const TargetRow& row, double weight, float* into) const {
    if (op == OpKind::SoftmaxCrossEntropy) sparseGrad(*this, row, weight, into);
    if (op == OpKind::CategoricalCrossEntropy) categoricalGrad(*this, row, weight, into);
    if (op == OpKind::BinaryCrossEntropy) gradientOf(row, weight, into, [this](double z, double t) { return binarySlope(*this, z, t); });
    if (op == OpKind::RegressionLoss) gradientOf(row, weight, into, [this](double z, double t) { return regressionSlope(*this, z - t); });
}

}  // namespace lockstep::exec::cpu
