#include "limit_loops.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lockstep::bench {
namespace {

constexpr int kChains = 24;

#if defined(__x86_64__)

__attribute__((target("avx512f"))) double adds512(std::uint64_t turns, float& result) {
    __m512 chain[kChains];
    for (int i = 0; i < kChains; ++i) chain[i] = _mm512_set1_ps(static_cast<float>(i));
    const __m512 factor = _mm512_set1_ps(0.999F), term = _mm512_set1_ps(0.001F);
    for (std::uint64_t turn = 0; turn < turns; ++turn) {
#pragma GCC unroll 24
        for (auto& value : chain) value = _mm512_fmadd_ps(value, factor, term);
    }
    float lanes[16];
    result = 0;
    for (const auto& value : chain) {
        _mm512_storeu_ps(lanes, value);
        for (const float lane : lanes) result += lane;
    }
    return static_cast<double>(turns) * kChains * 16 * 2;
}

constexpr int kNarrowChains = 12;  // there are 16 registers

__attribute__((target("avx2,fma"))) double adds256(std::uint64_t turns, float& result) {
    __m256 chain[kNarrowChains];
    for (int i = 0; i < kNarrowChains; ++i) chain[i] = _mm256_set1_ps(static_cast<float>(i));
    const __m256 factor = _mm256_set1_ps(0.999F), term = _mm256_set1_ps(0.001F);
    for (std::uint64_t turn = 0; turn < turns; ++turn) {
#pragma GCC unroll 12
        for (auto& value : chain) value = _mm256_fmadd_ps(value, factor, term);
    }
    float lanes[8];
    result = 0;
    for (const auto& value : chain) {
        _mm256_storeu_ps(lanes, value);
        for (const float lane : lanes) result += lane;
    }
    return static_cast<double>(turns) * kNarrowChains * 8 * 2;
}

#endif

// A multiplication and an addition per lane, by whatever vectors the compiler knows.
double addsPlain(std::uint64_t turns, float& result) {
    float chain[kChains * 4];
    for (int i = 0; i < kChains * 4; ++i) chain[i] = static_cast<float>(i);
    for (std::uint64_t turn = 0; turn < turns; ++turn)
        for (float& value : chain) value = value * 0.999F + 0.001F;
    result = 0;
    for (const float value : chain) result += value;
    return static_cast<double>(turns) * kChains * 4 * 2;
}

}  // namespace

double multiplyAdds(std::uint64_t turns, float& result) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return adds512(turns, result);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return adds256(turns, result);
#endif
    return addsPlain(turns, result);
}

float readAll(std::span<const float> values) {
    float sums[64] = {};
    for (std::size_t at = 0; at + 64 <= values.size(); at += 64)
        for (std::size_t lane = 0; lane < 64; ++lane) sums[lane] += values[at + lane];
    float sum = 0;
    for (const float part : sums) sum += part;
    return sum;
}

void triad(std::span<float> a, std::span<const float> b, std::span<const float> c, float s) {
#if defined(__x86_64__)
    const __m128 factor = _mm_set1_ps(s);
    for (std::size_t at = 0; at < a.size(); at += 4)
        _mm_stream_ps(a.data() + at, _mm_add_ps(_mm_loadu_ps(b.data() + at), _mm_mul_ps(factor, _mm_loadu_ps(c.data() + at))));
    _mm_sfence();
#else
    for (std::size_t at = 0; at < a.size(); ++at) a[at] = b[at] + s * c[at];
#endif
}

}  // namespace lockstep::bench
