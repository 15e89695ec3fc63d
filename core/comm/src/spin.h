// How long to wait busily before sleeping: as long as that has paid off lately.
#pragma once

#include <algorithm>
#include <chrono>

namespace lockstep::comm {

inline void relaxProcessor() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Not thread safe. A wait that ends while spinning costs nothing to the kernel; one that is longer than the limit wasted the limit, so
// the next one spins half as long. A sleep that turns out shorter than the longest spin restores it.
class SpinBudget {
public:
    using Duration = std::chrono::nanoseconds;

    // `longest` 0 = never spin (fewer processors than ranks).
    explicit SpinBudget(Duration longest = Duration{0}) : m_longest(longest), m_now(longest) {}

    Duration limit() const { return m_now; }
    void slept(Duration wholeWait) {
        if (wholeWait <= m_longest)
            m_now = m_longest;
        else
            m_now = std::max(m_now / 2, std::min(m_longest, Duration(2000)));
    }

private:
    Duration m_longest;
    Duration m_now;
};

}  // namespace lockstep::comm
