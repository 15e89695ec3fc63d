// Every rule says what one element does: rule(gradient, weight after its decay, i) gives the new weight.
template <class Rule>
inline void updateEach(const UpdateOperands& on, std::size_t from, std::size_t n, float decay, Rule rule) {
    float* const w = on.w;
    const float* const g = on.g;
#pragma GCC ivdep
    for (std::size_t i = from; i < n; ++i) w[i] = rule(g[i], w[i] - w[i] * decay, i);
}

void sgd(const UpdateOperands& on, std::size_t n, const UpdateFactors& f) {
    updateEach(on, 0, n, f.decay, [rate = f.rate](float g, float w, std::size_t) { return w - rate * g; });
}

void momentum(const UpdateOperands& on, std::size_t n, const UpdateFactors& f) {
    float* const velocity = on.slots[0];
    const float rate = f.rate, keep = f.momentum;
    if (f.nesterov != 0)
        return updateEach(on, 0, n, f.decay, [=](float g, float w, std::size_t i) {
            const float move = rate * g;
            const float speed = keep * velocity[i] - move;
            velocity[i] = speed;
            return w + (keep * speed - move);
        });
    updateEach(on, 0, n, f.decay, [=](float g, float w, std::size_t i) {
        const float speed = keep * velocity[i] - rate * g;
        velocity[i] = speed;
        return w + speed;
    });
}

void adam(const UpdateOperands& on, std::size_t n, const UpdateFactors& f) {
    float *const means = on.slots[0], *const squares = on.slots[1];
    const float alpha = f.alpha, addMean = f.addMean, addSquare = f.addSquare, epsilon = f.epsilon;
    if (on.squares != nullptr) *on.squares += squareSum(on.g, n);
    updateEach(on, 0, n, f.decay, [=](float g, float w, std::size_t i) {
        const float mean = means[i] + (g - means[i]) * addMean;
        const float square = squares[i] + (g * g - squares[i]) * addSquare;
        means[i] = mean;
        squares[i] = square;
        return w - alpha * mean / (sqrtf(square) + epsilon);
    });
}

void amsgrad(const UpdateOperands& on, std::size_t n, const UpdateFactors& f) {
    float *const means = on.slots[0], *const squares = on.slots[1], *const largest = on.slots[2];
    const float alpha = f.alpha, addMean = f.addMean, addSquare = f.addSquare, epsilon = f.epsilon;
    updateEach(on, 0, n, f.decay, [=](float g, float w, std::size_t i) {
        const float mean = means[i] + (g - means[i]) * addMean;
        const float square = squares[i] + (g * g - squares[i]) * addSquare;
        const float most = largest[i] > square ? largest[i] : square;
        means[i] = mean;
        squares[i] = square;
        largest[i] = most;
        return w - alpha * mean / (sqrtf(most) + epsilon);
    });
}

void rmsProp(const UpdateOperands& on, std::size_t n, const UpdateFactors& f) {
    float* const squares = on.slots[0];
    const float rate = f.rate, keep = f.keepSquare, add = f.addSquare, epsilon = f.epsilon;
    updateEach(on, 0, n, f.decay, [=](float g, float w, std::size_t i) {
        const float square = keep * squares[i] + add * g * g;
        squares[i] = square;
        return w - rate * g / sqrtf(square + epsilon);
    });
}

void rmsMomentum(const UpdateOperands& on, std::size_t n, const UpdateFactors& f) {
    float *const squares = on.slots[0], *const velocity = on.slots[1];
    const float rate = f.rate, keep = f.keepSquare, add = f.addSquare, epsilon = f.epsilon, inertia = f.momentum;
    updateEach(on, 0, n, f.decay, [=](float g, float w, std::size_t i) {
        const float square = keep * squares[i] + add * g * g;
        const float move = inertia * velocity[i] + rate * g / sqrtf(square + epsilon);
        squares[i] = square;
        velocity[i] = move;
        return w - move;
    });
}

// The square of the mean is taken from the mean of the squares: in double, or what is left would be rounding.
inline float centeredMove(float g, float& squareAt, float& averageAt, const UpdateFactors& f) {
    const double keep = f.exactKeep, add = 1 - keep, gradient = static_cast<double>(g);
    const double square = keep * static_cast<double>(squareAt) + add * gradient * gradient;
    const double mean = keep * static_cast<double>(averageAt) + add * gradient;
    squareAt = static_cast<float>(square);
    averageAt = static_cast<float>(mean);
    return static_cast<float>(static_cast<double>(f.rate) * gradient / sqrt(square - mean * mean + static_cast<double>(f.epsilon)));
}

void rmsCentered(const UpdateOperands& on, std::size_t n, const UpdateFactors& f) {
    updateEach(on, 0, n, f.decay,
               [&](float g, float w, std::size_t i) { return w - centeredMove(g, on.slots[0][i], on.slots[1][i], f); });
}

void rmsBoth(const UpdateOperands& on, std::size_t n, const UpdateFactors& f) {
    updateEach(on, 0, n, f.decay, [&](float g, float w, std::size_t i) {
        const float move = f.momentum * on.slots[1][i] + centeredMove(g, on.slots[0][i], on.slots[2][i], f);
        on.slots[1][i] = move;
        return w - move;
    });
}

void adagrad(const UpdateOperands& on, std::size_t n, const UpdateFactors& f) {
    float* const sums = on.slots[0];
    const float rate = f.rate, epsilon = f.epsilon;
    updateEach(on, 0, n, f.decay, [=](float g, float w, std::size_t i) {
        const float sum = sums[i] + g * g;
        sums[i] = sum;
        return w - rate * g / sqrtf(sum + epsilon);
    });
}

void lion(const UpdateOperands& on, std::size_t n, const UpdateFactors& f) {
    float* const means = on.slots[0];
    const float rate = f.rate, keepMean = f.keepMean, addMean = f.addMean, keep = f.keepSquare, add = f.addSquare;
    updateEach(on, 0, n, f.decay, [=](float g, float w, std::size_t i) {
        const float direction = means[i] * keepMean + g * addMean;
        means[i] = means[i] * keep + g * add;
        // NaN has no sign, but must not be lost.
        return w - rate * (direction > 0.0F ? 1.0F : (direction < 0.0F ? -1.0F : direction));
    });
}

void lambMove(const UpdateOperands& on, std::size_t n, const UpdateFactors& f) {
    float *const means = on.slots[0], *const squares = on.slots[1], *const moves = on.slots[2];
    const float addMean = f.addMean, addSquare = f.addSquare, epsilon = f.epsilon;
    const float correctMean = f.correctMean, correctSquare = f.correctSquare;
    updateEach(on, 0, n, f.decay, [=](float g, float w, std::size_t i) {
        const float mean = means[i] + (g - means[i]) * addMean;
        const float square = squares[i] + (g * g - squares[i]) * addSquare;
        means[i] = mean;
        squares[i] = square;
        moves[i] = mean * correctMean / (sqrtf(square * correctSquare) + epsilon);
        return w;
    });
}

void accumulate(const UpdateOperands& on, std::size_t n, const UpdateFactors& f) {
    const float keep = f.momentum;
    if (keep == 0.0F) {
        __builtin_memcpy(on.w, on.g, n * sizeof(float));
        return;
    }
    updateEach(on, 0, n, 0.0F, [=](float value, float sum, std::size_t) { return keep * sum + value; });
}

constexpr UpdateLoops kUpdates = {sgd,        momentum, adam, amsgrad, rmsProp, rmsMomentum, rmsCentered, rmsBoth, adagrad, lion,
                                  lambMove, accumulate};
