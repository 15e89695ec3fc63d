#include "stall_watch.h"

#include <algorithm>
#include <vector>

namespace lockstep::control {
namespace {

constexpr std::size_t kWindow = 64;

}  // namespace

void StallWatch::step(std::uint64_t step, Time now) {
    heard(now);
    if (step <= m_step) return;
    if (m_step > 0 && m_stepping) {
        m_stepSeconds.push_back(Seconds(now - m_moved).count() / static_cast<double>(step - m_step));
        if (m_stepSeconds.size() > kWindow) m_stepSeconds.pop_front();
    }
    m_step = step;
    m_moved = now;
    m_stepping = !m_evaluating;
}

void StallWatch::phase(const std::string& name, Time now) {
    heard(now);
    m_moved = now;
    m_stepping = name == "training";
    m_evaluating = name == "evaluation";
}

Seconds StallWatch::limit() const {
    if (m_stepSeconds.empty()) return kLeast;
    std::vector<double> sorted(m_stepSeconds.begin(), m_stepSeconds.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    return std::max(kLeast, Seconds(kMedianSteps * *middle));
}

Seconds StallWatch::still(Time now) const { return Seconds(now - std::min(m_heard, m_moved)); }

Pulse StallWatch::check(Time now) const {
    if (m_everHeard && now - m_heard >= limit()) return Pulse::Silent;
    const Seconds patience = m_stepping ? limit() : kOtherPhase;
    if (m_step > 0 && now - m_moved >= patience) return Pulse::Stuck;
    return Pulse::Fine;
}

}  // namespace lockstep::control
