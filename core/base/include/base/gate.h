// A counter that only goes up and on which threads wait with a deadline: the hand-over between two threads of a loop. Adding costs one
// atomic operation, and a system call only when a target that somebody waits for is reached; no allocation, no lock. Any thread, any number
// of them.
#pragma once

#include <base/clock.h>

#include <atomic>
#include <cstdint>

namespace lockstep {

class Gate {
public:
    Gate() = default;
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    // What was done before is visible to whoever sees the new value.
    void add(std::uint32_t amount = 1);
    std::uint32_t value() const { return m_value.load(std::memory_order_acquire); }
    // Returns once the counter has reached `target` (it may wrap: targets less than 2^31 ahead); false when the deadline passes first.
    bool wait(std::uint32_t target, Deadline deadline) const;

private:
    void announce(std::uint32_t target) const;

    std::atomic<std::uint32_t> m_value{0};
    mutable std::atomic<std::uint32_t> m_waiting{0};
    // The nearest target of those who wait. One that is reached already is nobody's; one too near (its waiter gave up) wakes in vain.
    mutable std::atomic<std::uint32_t> m_nearest{0};
};

}  // namespace lockstep
