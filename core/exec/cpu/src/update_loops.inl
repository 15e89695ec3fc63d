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

#if defined(__AVX512F__)
// 1/(√square + epsilon) from the processor's 14-bit estimates and one Newton step each: the error is that of a rounding or two, and
// the division and the root, which take most of the time, are gone. An infinite square gives 0, as it should.
inline void inverseRoot(__m512& inverse, const __m512& square, const __m512& epsilon) {
    const __m512 least = _mm512_max_ps(_mm512_set1_ps(1.17549435e-38F), square), estimate = _mm512_rsqrt14_ps(least);
    __m512 root = _mm512_mul_ps(square, estimate);
    const __m512 rest = _mm512_fnmadd_ps(root, root, square);
    root = _mm512_fmadd_ps(_mm512_mul_ps(rest, estimate), _mm512_set1_ps(0.5F), root);
    const __m512 sum = _mm512_add_ps(root, epsilon), guess = _mm512_rcp14_ps(sum);
    const __m512 better = _mm512_fmadd_ps(guess, _mm512_fnmadd_ps(sum, guess, _mm512_set1_ps(1.0F)), guess);
    const __mmask16 infinite = _mm512_cmp_ps_mask(square, _mm512_set1_ps(__builtin_inff()), _CMP_EQ_OQ);
    inverse = _mm512_mask_mov_ps(better, infinite, _mm512_setzero_ps());
}

std::size_t adamInVectors(float* w, const float* g, float* m, float* v, std::size_t n, const AdamFactors& f) {
    const __m512 alpha = _mm512_set1_ps(f.alpha), one = _mm512_set1_ps(f.oneMinusBeta1), two = _mm512_set1_ps(f.oneMinusBeta2);
    const __m512 epsilon = _mm512_set1_ps(f.epsilon);
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m512 gradient = _mm512_loadu_ps(g + i), oldMean = _mm512_loadu_ps(m + i), oldSquare = _mm512_loadu_ps(v + i);
        const __m512 mean = _mm512_fmadd_ps(_mm512_sub_ps(gradient, oldMean), one, oldMean);
        const __m512 square = _mm512_fmadd_ps(_mm512_fmsub_ps(gradient, gradient, oldSquare), two, oldSquare);
        __m512 inverse;
        inverseRoot(inverse, square, epsilon);
        _mm512_storeu_ps(m + i, mean);
        _mm512_storeu_ps(v + i, square);
        _mm512_storeu_ps(w + i, _mm512_fnmadd_ps(_mm512_mul_ps(alpha, mean), inverse, _mm512_loadu_ps(w + i)));
    }
    return i;
}
#else
std::size_t adamInVectors(float*, const float*, float*, float*, std::size_t, const AdamFactors&) { return 0; }
#endif

void adam(float* __restrict w, const float* __restrict g, float* __restrict m, float* __restrict v, std::size_t n,
          const AdamFactors& factors) {
    const AdamFactors f = factors;
    for (std::size_t i = adamInVectors(w, g, m, v, n, f); i < n; ++i) {
        const float mean = m[i] + (g[i] - m[i]) * f.oneMinusBeta1;
        const float square = v[i] + (g[i] * g[i] - v[i]) * f.oneMinusBeta2;
        m[i] = mean;
        v[i] = square;
        w[i] -= f.alpha * mean / (sqrtf(square) + f.epsilon);
    }
}

constexpr UpdateLoops kUpdates = {sgd, momentum, adam};
