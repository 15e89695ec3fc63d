#include <charts/place_pool.h>

#include <algorithm>
#include <bit>

namespace lockstep::charts {
namespace {

std::uint64_t bitsOf(double value) { return std::bit_cast<std::uint64_t>(value); }

std::uint64_t hashOf(std::span<const Sample> samples) {
    std::uint64_t hash = samples.size();
    const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL + (hash >> 29); };
    // A few are enough to tell different ones apart; isOf() looks at all.
    for (std::size_t i = 0; i < samples.size(); i += 61) {
        mix(samples[i].step);
        mix(bitsOf(samples[i].time));
    }
    return hash;
}

}  // namespace

Places::Places(std::span<const Sample> samples) {
    m_times.reserve(samples.size());
    for (const Sample& sample : samples) m_times.push_back(sample.time);
    if (samples.empty()) return;
    m_first = samples.front().step;
    m_stride = samples.size() > 1 ? samples[1].step - m_first : 0;
    bool even = true;
    for (std::size_t i = 0; i < samples.size() && even; ++i) even = samples[i].step == m_first + m_stride * i;
    if (even) return;
    m_steps.reserve(samples.size());
    for (const Sample& sample : samples) m_steps.push_back(sample.step);
}

bool Places::isOf(std::span<const Sample> samples) const {
    if (samples.size() != m_times.size()) return false;
    for (std::size_t i = 0; i < samples.size(); ++i)
        if (samples[i].step != step(i) || bitsOf(samples[i].time) != bitsOf(m_times[i])) return false;
    return true;
}

std::shared_ptr<const Places> PlacePool::placesOf(std::span<const Sample> samples) {
    const auto hash = hashOf(samples);
    auto [begin, end] = m_known.equal_range(hash);
    for (auto entry = begin; entry != end; ++entry)
        if (auto places = entry->second.lock(); places && places->isOf(samples)) return places;
    std::erase_if(m_known, [](const auto& entry) { return entry.second.expired(); });
    auto places = std::make_shared<const Places>(samples);
    m_known.emplace(hash, places);
    return places;
}

std::size_t PlacePool::size() const {
    return static_cast<std::size_t>(std::ranges::count_if(m_known, [](const auto& entry) { return !entry.second.expired(); }));
}

}  // namespace lockstep::charts
