#include <base/gate.h>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <climits>
#include <ctime>

namespace lockstep {
namespace {

using namespace std::chrono;

// Longest single sleep, so that a far deadline does not overflow the time given to the system.
constexpr auto kLongestSleep = hours(1);

bool reached(std::uint32_t value, std::uint32_t target) { return static_cast<std::int32_t>(value - target) >= 0; }

void sleepWhile(const std::atomic<std::uint32_t>& word, std::uint32_t expected, steady_clock::duration most) {
    const auto whole = duration_cast<seconds>(most);
    const timespec time{static_cast<time_t>(whole.count()), static_cast<long>(duration_cast<nanoseconds>(most - whole).count())};
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &time, nullptr, 0);
}

}  // namespace

void Gate::add(std::uint32_t amount) {
    const std::uint32_t now = m_value.fetch_add(amount) + amount;
    // Sequentially consistent with the pair in wait(): either we see the waiter and its target or it sees the new value.
    if (m_waiting.load() != 0 && reached(now, m_nearest.load()))
        syscall(SYS_futex, &m_value, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void Gate::announce(std::uint32_t target) const {
    std::uint32_t nearest = m_nearest.load();
    while (reached(m_value.load(), nearest) || !reached(target, nearest))
        if (m_nearest.compare_exchange_weak(nearest, target)) return;
}

bool Gate::wait(std::uint32_t target, Deadline deadline) const {
    if (reached(value(), target)) return true;
    m_waiting.fetch_add(1);
    bool there = false;
    for (;;) {
        announce(target);  // again after every wake-up: others may have come and gone
        const std::uint32_t seen = m_value.load();
        there = reached(seen, target);
        const auto now = steady_clock::now();
        if (there || deadline.at() <= now) break;
        sleepWhile(m_value, seen,
                   deadline.at() == steady_clock::time_point::max() ? kLongestSleep
                                                                    : std::min<steady_clock::duration>(deadline.at() - now, kLongestSleep));
    }
    m_waiting.fetch_sub(1);
    return there;
}

}  // namespace lockstep
