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

constexpr UpdateLoops kUpdates = {sgd, momentum, adam};
