// The bodies of Loops, included by one file per instruction set. Nothing inline of the standard library may be used here: the linker
// keeps one copy of such a function, and it could be the one compiled for the newest processors.
#include "loops.h"

#include <math.h>

namespace lockstep::exec::cpu {
namespace {

constexpr std::size_t kLanes = 64;  // independent partial sums: enough to fill the pipelines of the widest vectors

void relu(const float* x, float* y, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i] = x[i] < 0.0F ? 0.0F : x[i];
}

void reluGrad(const float* dy, const float* y, float* dx, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const float gradient = dy[i];
        dx[i] = y[i] > 0.0F ? gradient : 0.0F;
    }
}

void add(const float* a, const float* b, float* y, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i] = a[i] + b[i];
}

void biasAdd(const float* x, const float* bias, float* y, std::size_t rows, std::size_t columns, int rectify) {
    for (std::size_t row = 0; row < rows; ++row, x += columns, y += columns) {
        if (rectify != 0) {
            for (std::size_t c = 0; c < columns; ++c) {
                const float sum = x[c] + bias[c];
                y[c] = sum < 0.0F ? 0.0F : sum;
            }
        } else {
            for (std::size_t c = 0; c < columns; ++c) y[c] = x[c] + bias[c];
        }
    }
}

void columnSums(const float* x, float* sums, std::size_t rows, std::size_t columns) {
    // Two levels, so that the error of a long column grows with the square root of its length.
    constexpr std::size_t kBlock = 64;
    for (std::size_t from = 0; from < columns; from += kLanes) {
        const std::size_t width = columns - from < kLanes ? columns - from : kLanes;
        float total[kLanes] = {};
        for (std::size_t top = 0; top < rows; top += kBlock) {
            const std::size_t bottom = rows - top < kBlock ? rows : top + kBlock;
            float partial[kLanes] = {};
            for (std::size_t row = top; row < bottom; ++row) {
                const float* line = x + row * columns + from;
                for (std::size_t c = 0; c < width; ++c) partial[c] += line[c];
            }
            for (std::size_t c = 0; c < width; ++c) total[c] += partial[c];
        }
        for (std::size_t c = 0; c < width; ++c) sums[from + c] = total[c];
    }
}

double squareSum(const float* x, std::size_t n) {
    constexpr std::size_t kBlock = 4096;
    double sum = 0;
    std::size_t at = 0;
    while (n - at >= kLanes) {
        float partial[kLanes] = {};
        const std::size_t stop = n - at < kBlock ? at + (n - at) / kLanes * kLanes : at + kBlock;
        for (; at < stop; at += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane) partial[lane] += x[at + lane] * x[at + lane];
        for (std::size_t lane = 0; lane < kLanes; ++lane) sum += static_cast<double>(partial[lane]);
    }
    for (; at < n; ++at) sum += static_cast<double>(x[at]) * static_cast<double>(x[at]);
    return sum;
}

std::size_t firstLargest(const float* values, std::size_t count) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i)
        if (values[i] > values[best]) best = i;
    return best;
}

// A label outside the classes gives NaN, which the training loop's guard reports.
void softmax(const SoftmaxLoss& call) {
    double loss = 0;
    for (std::size_t row = 0; row < call.rows; ++row) {
        const float* logits = call.logits + row * call.classes;
        const auto label = static_cast<std::size_t>(call.labels[row]);  // a negative one becomes huge
        const bool legal = label < call.classes;
        const float largest = logits[firstLargest(logits, call.classes)];
        const float weight = legal ? call.weights[row] : __builtin_nanf("");
        float* gradient = call.gradient == nullptr ? nullptr : call.gradient + row * call.classes;
        double sum = 0;
        for (std::size_t c = 0; c < call.classes; ++c) {
            const float power = expf(logits[c] - largest);
            sum += static_cast<double>(power);
            if (gradient != nullptr) gradient[c] = power;
        }
        if (gradient != nullptr) {
            const float scale = weight / static_cast<float>(sum);
            for (std::size_t c = 0; c < call.classes; ++c) gradient[c] *= scale;
            if (legal) gradient[label] -= weight;
        }
        const double target = legal ? static_cast<double>(logits[label]) : 0.0;
        if (call.loss != nullptr) loss += static_cast<double>(weight) * (log(sum) + (static_cast<double>(largest) - target));
    }
    if (call.loss != nullptr) *call.loss = static_cast<float>(loss);
}

float correct(const SoftmaxLoss& call) {
    double sum = 0;
    for (std::size_t row = 0; row < call.rows; ++row)
        if (firstLargest(call.logits + row * call.classes, call.classes) == static_cast<std::size_t>(call.labels[row]))
            sum += static_cast<double>(call.weights[row]);
    return static_cast<float>(sum);
}

void sgd(float* w, const float* g, std::size_t n, const SgdFactors& factors) {
    const float rate = factors.rate;
    for (std::size_t i = 0; i < n; ++i) w[i] -= rate * g[i];
}

void momentum(float* w, const float* g, float* velocity, std::size_t n, const SgdFactors& factors) {
    const float rate = factors.rate;
    const float keep = factors.momentum;
    if (factors.nesterov != 0) {
        for (std::size_t i = 0; i < n; ++i) {
            const float move = rate * g[i];
            const float speed = keep * velocity[i] - move;
            velocity[i] = speed;
            w[i] += keep * speed - move;
        }
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            const float speed = keep * velocity[i] - rate * g[i];
            velocity[i] = speed;
            w[i] += speed;
        }
    }
}

void adam(float* __restrict w, const float* __restrict g, float* __restrict m, float* __restrict v, std::size_t n,
          const AdamFactors& factors) {
    const AdamFactors f = factors;
    for (std::size_t i = 0; i < n; ++i) {
        const float mean = m[i] + (g[i] - m[i]) * f.oneMinusBeta1;
        const float square = v[i] + (g[i] * g[i] - v[i]) * f.oneMinusBeta2;
        m[i] = mean;
        v[i] = square;
        w[i] -= f.alpha * mean / (sqrtf(square) + f.epsilon);
    }
}

}  // namespace

const Loops LOCKSTEP_LOOPS = {LOCKSTEP_LOOPS_NAME, relu, reluGrad, add, biasAdd, columnSums, squareSum, softmax, correct, sgd, momentum, adam};

}  // namespace lockstep::exec::cpu
