#if defined(__AVX512F__)
// 1/(√square + epsilon), the root from the processor's 14-bit estimate and one Newton step: its error is that of a rounding, and the root
// takes as long as the division. An infinite square gives 0, as it should.
inline void inverseRoot(__m512& inverse, const __m512& square, const __m512& epsilon) {
    const __m512 least = _mm512_max_ps(_mm512_set1_ps(1.17549435e-38F), square), estimate = _mm512_rsqrt14_ps(least);
    __m512 root = _mm512_mul_ps(square, estimate);
    const __m512 rest = _mm512_fnmadd_ps(root, root, square);
    root = _mm512_fmadd_ps(_mm512_mul_ps(rest, estimate), _mm512_set1_ps(0.5F), root);
    const __m512 exact = _mm512_div_ps(_mm512_set1_ps(1.0F), _mm512_add_ps(root, epsilon));
    const __mmask16 infinite = _mm512_cmp_ps_mask(square, _mm512_set1_ps(__builtin_inff()), _CMP_EQ_OQ);
    inverse = _mm512_mask_mov_ps(exact, infinite, _mm512_setzero_ps());
}

std::size_t adamInVectors(const UpdateOperands& on, std::size_t n, const UpdateFactors& f) {
    const __m512 alpha = _mm512_set1_ps(f.alpha), one = _mm512_set1_ps(f.addMean), two = _mm512_set1_ps(f.addSquare);
    const __m512 epsilon = _mm512_set1_ps(f.epsilon), decay = _mm512_set1_ps(f.decay);
    float *const w = on.w, *const m = on.slots[0], *const v = on.slots[1];
    const float* const g = on.g;
    constexpr std::size_t kAhead = 128;  // elements; more streams than the processor foresees by itself (measured: 25.5 → 22.4 µs)
    __m512 squares = _mm512_setzero_ps();
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __builtin_prefetch(w + i + kAhead, 1);
        __builtin_prefetch(m + i + kAhead, 1);
        __builtin_prefetch(v + i + kAhead, 1);
        __builtin_prefetch(g + i + kAhead);
        const __m512 gradient = _mm512_loadu_ps(g + i), oldMean = _mm512_loadu_ps(m + i), oldSquare = _mm512_loadu_ps(v + i);
        const __m512 mean = _mm512_fmadd_ps(_mm512_sub_ps(gradient, oldMean), one, oldMean);
        const __m512 square = _mm512_fmadd_ps(_mm512_fmsub_ps(gradient, gradient, oldSquare), two, oldSquare);
        squares = _mm512_fmadd_ps(gradient, gradient, squares);
        const __m512 old = _mm512_loadu_ps(w + i), weight = _mm512_fnmadd_ps(old, decay, old);
        __m512 inverse;
        inverseRoot(inverse, square, epsilon);
        _mm512_storeu_ps(m + i, mean);
        _mm512_storeu_ps(v + i, square);
        _mm512_storeu_ps(w + i, _mm512_fnmadd_ps(_mm512_mul_ps(alpha, mean), inverse, weight));
    }
    if (on.squares != nullptr) {
        float lanes[16];
        _mm512_storeu_ps(lanes, squares);
        for (const float lane : lanes) *on.squares += static_cast<double>(lane);
    }
    return i;
}
#else
std::size_t adamInVectors(const UpdateOperands&, std::size_t, const UpdateFactors&) { return 0; }
#endif

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
    const std::size_t done = adamInVectors(on, n, f);
    if (on.squares != nullptr) *on.squares += squareSum(on.g + done, n - done);
    updateEach(on, done, n, f.decay, [=](float g, float w, std::size_t i) {
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
