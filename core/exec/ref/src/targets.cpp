// Losses and hits against targets of the prediction's shape; Keras 3 (losses/losses.py, metrics/accuracy_metrics.py).
#include "kernel.h"
#include "softmax_row.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace lockstep::exec::ref {
namespace {

bool fromLogits(const Call& call) { return graph::intAttributeOr(call.node->attributes, "from_logits", 1) != 0; }

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

// One row: prediction, target, weight.
template <class T>
struct Row {
    const T* z;
    const T* t;
    double weight;
    std::int64_t size;
};

template <class T, class Visit>
void forEachRow(const Call& call, Visit visit) {
    const std::int64_t columns = call.shape(0)[1];
    for (std::int64_t i = 0; i < call.shape(0)[0]; ++i)
        visit(Row<T>{call.in<T>(0) + i * columns, call.in<T>(1) + i * columns, double{call.in<T>(2)[i]}, columns}, i * columns);
}

// Scalar Σ weight · of(row).
template <class T, class Of>
void weightedSum(const Call& call, Of of) {
    double sum = 0;
    forEachRow<T>(call, [&](const Row<T>& row, std::int64_t) { sum += row.weight * of(row); });
    *call.out<T>(0) = static_cast<T>(sum);
}

double smoothing(const Call& call) { return graph::doubleAttributeOr(call.node->attributes, "label_smoothing", 0); }

struct Regression {
    std::string_view kind;
    double delta;

    explicit Regression(const Call& call)
        : kind(graph::textAttribute(call.node->attributes, "kind")), delta(graph::doubleAttributeOr(call.node->attributes, "delta", 1)) {}

    double of(double e) const {
        if (kind == "mse") return e * e;
        if (kind == "mae") return std::abs(e);
        return std::abs(e) <= delta ? 0.5 * e * e : delta * std::abs(e) - 0.5 * delta * delta;
    }
    double slope(double e) const {
        if (kind == "mse") return 2 * e;
        if (kind == "mae") return sign(e);
        return std::abs(e) <= delta ? e : delta * sign(e);
    }
};

}  // namespace

template <class T>
void categoricalCrossEntropy(const Call& call) {
    const double s = smoothing(call);
    weightedSum<T>(call, [&](const Row<T>& row) {
        const double share = s / static_cast<double>(row.size);
        const bool logits = fromLogits(call);
        const double normaliser = logits ? logSumExp(row.z, row.size) : sumOf(row.z, row.size);
        double loss = 0;
        for (std::int64_t c = 0; c < row.size; ++c) {
            const double t = double{row.t[c]} * (1 - s) + share, z = row.z[c];
            if (t != 0) loss += t * (logits ? normaliser - z : -std::log(clippedProbability(z / normaliser)));
        }
        return loss;
    });
}

template <class T>
void categoricalCrossEntropyGrad(const Call& call) {
    const double s = smoothing(call);
    forEachRow<T>(call, [&](const Row<T>& row, std::int64_t first) {
        const double share = s / static_cast<double>(row.size);
        const bool logits = fromLogits(call);
        const double normaliser = logits ? logSumExp(row.z, row.size) : sumOf(row.z, row.size);
        const auto target = [&](std::int64_t c) { return double{row.t[c]} * (1 - s) + share; };
        // dL/dq of the normalised, clipped probability q.
        const auto slope = [&](std::int64_t c) {
            const double q = double{row.z[c]} / normaliser;
            return isProbability(q) ? -target(c) / q : 0.0;
        };
        double total = 0;  // from logits: Σ t; from probabilities: Σ dL/dq · q
        for (std::int64_t c = 0; c < row.size; ++c) total += logits ? target(c) : slope(c) * double{row.z[c]} / normaliser;
        for (std::int64_t c = 0; c < row.size; ++c) {
            const double g = logits ? std::exp(double{row.z[c]} - normaliser) * total - target(c) : (slope(c) - total) / normaliser;
            call.out<T>(0)[first + c] = static_cast<T>(row.weight * g);
        }
    });
}

template <class T>
void binaryCrossEntropy(const Call& call) {
    const double s = smoothing(call);
    weightedSum<T>(call, [&](const Row<T>& row) {
        double loss = 0;
        for (std::int64_t c = 0; c < row.size; ++c) {
            const double t = double{row.t[c]} * (1 - s) + 0.5 * s, z = row.z[c];
            if (fromLogits(call))
                loss += std::max(z, 0.0) - z * t + std::log1p(std::exp(-std::abs(z)));
            else
                loss -= t * std::log(clippedProbability(z)) + (1 - t) * std::log(1 - clippedProbability(z));
        }
        return loss / static_cast<double>(row.size);
    });
}

template <class T>
void binaryCrossEntropyGrad(const Call& call) {
    const double s = smoothing(call);
    forEachRow<T>(call, [&](const Row<T>& row, std::int64_t first) {
        for (std::int64_t c = 0; c < row.size; ++c) {
            const double t = double{row.t[c]} * (1 - s) + 0.5 * s, z = row.z[c];
            const double fromLogit = (z >= 0 ? 1 / (1 + std::exp(-z)) : std::exp(z) / (1 + std::exp(z))) - t;
            const double fromProbability = isProbability(z) ? (1 - t) / (1 - z) - t / z : 0.0;
            const double g = fromLogits(call) ? fromLogit : fromProbability;
            call.out<T>(0)[first + c] = static_cast<T>(row.weight * g / static_cast<double>(row.size));
        }
    });
}

template <class T>
void regressionLoss(const Call& call) {
    const Regression regression(call);
    weightedSum<T>(call, [&](const Row<T>& row) {
        double loss = 0;
        for (std::int64_t c = 0; c < row.size; ++c) loss += regression.of(double{row.z[c]} - double{row.t[c]});
        return loss / static_cast<double>(row.size);
    });
}

template <class T>
void regressionLossGrad(const Call& call) {
    const Regression regression(call);
    forEachRow<T>(call, [&](const Row<T>& row, std::int64_t first) {
        for (std::int64_t c = 0; c < row.size; ++c) {
            const double g = regression.slope(double{row.z[c]} - double{row.t[c]}) / static_cast<double>(row.size);
            call.out<T>(0)[first + c] = static_cast<T>(row.weight * g);
        }
    });
}

template <class T>
void binaryCorrect(const Call& call) {
    const double threshold = graph::doubleAttribute(call.node->attributes, "threshold");
    weightedSum<T>(call, [&](const Row<T>& row) {
        double hits = 0;
        for (std::int64_t c = 0; c < row.size; ++c) hits += double{row.t[c]} == (double{row.z[c]} > threshold ? 1.0 : 0.0) ? 1 : 0;
        return hits / static_cast<double>(row.size);
    });
}

template <class T>
void categoricalCorrect(const Call& call) {
    weightedSum<T>(call, [](const Row<T>& row) {
        return std::max_element(row.z, row.z + row.size) - row.z == std::max_element(row.t, row.t + row.size) - row.t ? 1.0 : 0.0;
    });
}

// As tf.math.in_top_k: classes that tie with the label don't push it out; a row with something not finite is no hit.
template <class T>
void topKCorrect(const Call& call) {
    const std::int64_t rows = call.shape(0)[0], classes = call.shape(0)[1];
    const std::int64_t k = graph::intAttribute(call.node->attributes, "k");
    double sum = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
        const T* logits = call.in<T>(0) + i * classes;
        const std::int32_t label = call.in<std::int32_t>(1)[i];
        if (label < 0 || label >= classes) continue;
        if (!std::all_of(logits, logits + classes, [](T z) { return std::isfinite(z); })) continue;
        if (std::count_if(logits, logits + classes, [&](T z) { return z > logits[label]; }) < k) sum += double{call.in<T>(2)[i]};
    }
    *call.out<T>(0) = static_cast<T>(sum);
}

template <class T>
void allFinite(const Call& call) {
    bool finite = true;
    for (std::size_t input = 0; input < call.inputs.size(); ++input)
        for (std::int64_t i = 0; i < call.shape(input).elements(); ++i) finite = finite && std::isfinite(call.in<T>(input)[i]);
    *call.out<T>(0) = finite ? T{1} : T{0};
}

LOCKSTEP_BOTH(categoricalCrossEntropy);
LOCKSTEP_BOTH(categoricalCrossEntropyGrad);
LOCKSTEP_BOTH(binaryCrossEntropy);
LOCKSTEP_BOTH(binaryCrossEntropyGrad);
LOCKSTEP_BOTH(regressionLoss);
LOCKSTEP_BOTH(regressionLossGrad);
LOCKSTEP_BOTH(binaryCorrect);
LOCKSTEP_BOTH(categoricalCorrect);
LOCKSTEP_BOTH(topKCorrect);
LOCKSTEP_BOTH(allFinite);

}  // namespace lockstep::exec::ref
