// What benchmarks of single steps measure with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <vector>

namespace lockstep::bench {

// Which time counts: what passes, or what the calling thread spends computing. The second one says little about two threads, but a busy
// machine disturbs it less.
enum class Counted : std::uint8_t { Wall, Thread };

inline double now(Counted clock) {
    timespec time{};
    clock_gettime(clock == Counted::Wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Body>
double secondsOf(int calls, const Body& body, Counted clock = Counted::Wall) {
    const double before = now(clock);
    for (int i = 0; i < calls; ++i) body();
    return (now(clock) - before) / calls;
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
