// Time. Every wait has a Deadline on the monotonic clock; Unix seconds are for people and files only.
#pragma once

#include <chrono>
#include <string>

namespace lockstep {

using Seconds = std::chrono::duration<double>;

// Time source by interface, so that simulations can own the time. Thread safe.
class Clock {
public:
    virtual ~Clock() = default;
    virtual std::chrono::steady_clock::time_point now() const = 0;
    virtual double unixSeconds() const = 0;
};

// The machine's clocks.
const Clock& systemClock();

inline double unixSeconds() { return systemClock().unixSeconds(); }

// A point on the monotonic clock after which a wait must give up.
class Deadline {
public:
    static Deadline in(Seconds time) {
        return Deadline(std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(time));
    }
    static Deadline never() { return Deadline(std::chrono::steady_clock::time_point::max()); }

    bool passed() const { return std::chrono::steady_clock::now() >= m_at; }
    std::chrono::steady_clock::time_point at() const { return m_at; }
    // Remaining whole milliseconds for poll(2): 0 when passed, -1 for never().
    int pollTimeout() const;

private:
    explicit Deadline(std::chrono::steady_clock::time_point at) : m_at(at) {}
    std::chrono::steady_clock::time_point m_at;
};

// "2026-03-01T12:00:00.250Z"
std::string toIsoTime(double unixSeconds);

}  // namespace lockstep
