constexpr std::size_t kLanes = 64;  // independent partial sums: enough to fill the pipelines of the widest vectors

void relu(const float* x, float* y, std::size_t n, float) {
    for (std::size_t i = 0; i < n; ++i) y[i] = x[i] < 0.0F ? 0.0F : x[i];
}

void relu6(const float* x, float* y, std::size_t n, float) {
    for (std::size_t i = 0; i < n; ++i) {
        const float above = x[i] < 0.0F ? 0.0F : x[i];
        y[i] = above > 6.0F ? 6.0F : above;
    }
}

void leakyRelu(const float* x, float* y, std::size_t n, float factor) {
    for (std::size_t i = 0; i < n; ++i) {
        const float below = factor * x[i];
        y[i] = x[i] > 0.0F ? x[i] : below;
    }
}

void relu6Grad(const float* dy, const float* x, float* dx, std::size_t n, float) {
    for (std::size_t i = 0; i < n; ++i) {
        const float gradient = x[i] > 0.0F ? dy[i] : 0.0F;
        dx[i] = x[i] < 6.0F ? gradient : 0.0F;
    }
}

void leakyReluGrad(const float* dy, const float* x, float* dx, std::size_t n, float factor) {
    for (std::size_t i = 0; i < n; ++i) {
        const float below = factor * dy[i];
        dx[i] = x[i] > 0.0F ? dy[i] : below;
    }
}

void scale(const float* x, float* y, std::size_t n, float factor) {
    for (std::size_t i = 0; i < n; ++i) y[i] = factor * x[i];
}

void clipValue(const float* x, float* y, std::size_t n, float limit) {
    for (std::size_t i = 0; i < n; ++i) {
        const float below = x[i] > limit ? limit : x[i];
        y[i] = below < -limit ? -limit : below;
    }
}

void reluGrad(const float* dy, const float* y, float* dx, std::size_t n, float) {
    for (std::size_t i = 0; i < n; ++i) {
        const float gradient = dy[i];
        dx[i] = y[i] > 0.0F ? gradient : 0.0F;
    }
}

void add(const float* a, const float* b, float* y, std::size_t n, float) {
    for (std::size_t i = 0; i < n; ++i) y[i] = a[i] + b[i];
}

void addScaled(const float* a, const float* b, float* y, std::size_t n, float factor) {
    for (std::size_t i = 0; i < n; ++i) y[i] = a[i] + factor * b[i];
}

void multiply(const float* a, const float* b, float* y, std::size_t n, float) {
    for (std::size_t i = 0; i < n; ++i) y[i] = a[i] * b[i];
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

inline float magnitudeOf(float x) { return x < 0.0f ? -x : x; }

double absSum(const float* x, std::size_t n) {
    constexpr std::size_t kBlock = 4096;
    double sum = 0;
    std::size_t at = 0;
    while (n - at >= kLanes) {
        float partial[kLanes] = {};
        const std::size_t stop = n - at < kBlock ? at + (n - at) / kLanes * kLanes : at + kBlock;
        for (; at < stop; at += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane) partial[lane] += magnitudeOf(x[at + lane]);
        for (std::size_t lane = 0; lane < kLanes; ++lane) sum += static_cast<double>(partial[lane]);
    }
    for (; at < n; ++at) sum += static_cast<double>(magnitudeOf(x[at]));
    return sum;
}

void sign(const float* x, float* y, std::size_t n, float) {
    for (std::size_t i = 0; i < n; ++i) y[i] = x[i] > 0.0f ? 1.0f : x[i] < 0.0f ? -1.0f : x[i] * 0.0f;
}

constexpr PointwiseLoops kPointwise = {relu,          relu6, leakyRelu, scale,    clipValue, sign,       reluGrad,  relu6Grad,
                                       leakyReluGrad, add,   addScaled, multiply, biasAdd,   columnSums, squareSum, absSum};
