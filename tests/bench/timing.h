// What benchmarks of single steps measure with.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace lockstep::bench {

template <class Body>
double secondsOf(int calls, const Body& body) {
    const auto before = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count() / calls;
}

// The value below which `share` of them lie.
inline double quantile(std::vector<double> values, double share) {
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

inline double median(const std::vector<double>& values) { return quantile(values, 0.5); }

// Never benchmark on zeros: some processors are faster on them.
inline std::vector<float> pattern(std::size_t count) {
    std::vector<float> values(count);
    std::uint32_t state = 12345;
    for (float& value : values) {
        state = state * 1664525U + 1013904223U;
        value = static_cast<float>(state >> 8) / static_cast<float>(1U << 24) - 0.5F;
    }
    return values;
}

}  // namespace lockstep::bench
