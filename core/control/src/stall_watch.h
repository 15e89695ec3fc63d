// Decides whether one rank is stuck, from when it was last heard and when its step counter last moved. Pure: the caller brings the time.
#pragma once

#include <base/clock.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

namespace lockstep::control {

enum class Pulse : std::uint8_t {
    Fine,
    Stuck,   // it answers, but its step counter stands still
    Silent,  // nothing is heard of it
};

class StallWatch {
public:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr Seconds kLeast{5};         // shortest wait before anything is called a stall
    static constexpr double kMedianSteps = 20;  // …and in steps
    static constexpr Seconds kOtherPhase{120};  // longest work between steps: evaluation, checkpoints

    explicit StallWatch(Time start) : m_heard(start), m_moved(start) {}

    // Any message. Before the first one silence is not a stall: launching has deadlines of its own.
    void heard(Time now) {
        m_heard = now;
        m_everHeard = true;
    }
    // The rank's step counter as of now.
    void step(std::uint64_t step, Time now);
    // Between steps there is other work; the phase "training" ends it.
    void phase(const std::string& name, Time now);

    Pulse check(Time now) const;
    // How long a stall must last now.
    Seconds limit() const;
    // Since when nothing moved, in seconds.
    Seconds still(Time now) const;

private:
    Time m_heard;
    Time m_moved;
    std::uint64_t m_step = 0;
    bool m_everHeard = false;
    bool m_stepping = false;
    bool m_evaluating = false;         // the last step before it may be told after it has begun
    std::deque<double> m_stepSeconds;  // newest last, at most kWindow
};

}  // namespace lockstep::control
