// Σ of(i) in chains as wide as the vectors, so that float is exact enough for a row.
template <class Of>
inline double rowSum(std::size_t n, Of of) {
    constexpr std::size_t kWidth = 32;
    float partial[kWidth] = {};
    std::size_t i = 0;
    for (; i + kWidth <= n; i += kWidth)
        for (std::size_t lane = 0; lane < kWidth; ++lane) partial[lane] += of(i + lane);
    double sum = 0;
    for (std::size_t lane = 0; lane < kWidth; ++lane) sum += static_cast<double>(partial[lane]);
    for (; i < n; ++i) sum += static_cast<double>(of(i));
    return sum;
}

void layerNorm(const LayerNormCall& call) {
    const auto columns = static_cast<double>(call.columns);
    const float *const gamma = call.gamma, *const beta = call.beta;
    for (std::size_t row = 0; row < call.rows; ++row) {
        const float* const x = call.x + row * call.columns;
        float* const y = call.y + row * call.columns;
        const auto mean = static_cast<float>(rowSum(call.columns, [=](std::size_t i) { return x[i]; }) / columns);
        // What rounding the mean took off is taken off the variance.
        const double rest = rowSum(call.columns, [=](std::size_t i) { return x[i] - mean; }) / columns;
        const double squares = rowSum(call.columns, [=](std::size_t i) { return (x[i] - mean) * (x[i] - mean); }) / columns;
        const double rstd = 1 / sqrt(squares - rest * rest + call.epsilon);
        const auto factor = static_cast<float>(rstd);
        for (std::size_t i = 0; i < call.columns; ++i) y[i] = (x[i] - mean) * factor * gamma[i] + beta[i];
        call.mean[row] = mean;
        call.rstd[row] = factor;
    }
}

void layerNormGrad(const LayerNormCall& call) {
    const auto columns = static_cast<double>(call.columns);
    const float* const gamma = call.gamma;
    double *const products = call.products, *const sums = call.sums;
    for (std::size_t i = 0; i < call.columns; ++i) products[i] = sums[i] = 0;
    for (std::size_t row = 0; row < call.rows; ++row) {
        const float *const x = call.x + row * call.columns, *const dy = call.dy + row * call.columns;
        float* const dx = call.dx + row * call.columns;
        const float mean = call.mean[row], factor = call.rstd[row];
        for (std::size_t i = 0; i < call.columns; ++i) {
            products[i] += static_cast<double>(dy[i]) * static_cast<double>((x[i] - mean) * factor);
            sums[i] += static_cast<double>(dy[i]);
        }
        const auto inner = static_cast<float>(rowSum(call.columns, [=](std::size_t i) { return dy[i] * gamma[i]; }) / columns);
        const auto product =
            static_cast<float>(rowSum(call.columns, [=](std::size_t i) { return dy[i] * gamma[i] * ((x[i] - mean) * factor); }) / columns);
        for (std::size_t i = 0; i < call.columns; ++i) dx[i] = factor * (dy[i] * gamma[i] - inner - (x[i] - mean) * factor * product);
    }
}

// Philox 4x32-10 of sixteen counters at once (base/random.h has it for one).
struct PhiloxLanes {
    std::uint32_t word[4][16];
};

void philoxLanes(PhiloxLanes& c, std::uint32_t key0, std::uint32_t key1) {
    for (int round = 0; round < 10; ++round) {
        for (std::size_t lane = 0; lane < 16; ++lane) {
            const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c.word[0][lane], p1 = std::uint64_t{0xCD9E8D57} * c.word[2][lane];
            const std::uint32_t first = static_cast<std::uint32_t>(p1 >> 32) ^ c.word[1][lane] ^ key0;
            const std::uint32_t third = static_cast<std::uint32_t>(p0 >> 32) ^ c.word[3][lane] ^ key1;
            c.word[0][lane] = first;
            c.word[1][lane] = static_cast<std::uint32_t>(p1);
            c.word[2][lane] = third;
            c.word[3][lane] = static_cast<std::uint32_t>(p0);
        }
        key0 += 0x9E3779B9U;
        key1 += 0xBB67AE85U;
    }
}

void dropout(const DropoutCall& call) {
    for (std::size_t first = 0; first < call.columns; first += 64) {
        PhiloxLanes numbers;
        for (std::uint32_t lane = 0; lane < 16; ++lane) {
            numbers.word[0][lane] = static_cast<std::uint32_t>(first / 4) + lane;
            numbers.word[1][lane] = call.row;
            numbers.word[2][lane] = call.step;
            numbers.word[3][lane] = 0x44524f50;
        }
        philoxLanes(numbers, static_cast<std::uint32_t>(call.seed), static_cast<std::uint32_t>(call.seed >> 32));
        const std::size_t count = call.columns - first < 64 ? call.columns - first : 64;
        const float* const x = call.x + first;
        float* const y = call.y + first;
        for (std::size_t i = 0; i < count; ++i) y[i] = (numbers.word[i % 4][i / 4] >> 8) >= call.threshold ? x[i] * call.scale : 0.0F;
    }
}

int allFinite(const float* x, std::size_t n) {
    int strange = 0;
    for (std::size_t i = 0; i < n; ++i) strange |= x[i] - x[i] == 0.0F ? 0 : 1;
    return strange == 0 ? 1 : 0;
}

constexpr RowLoops kRows = {layerNorm, layerNormGrad, dropout, allFinite};
