// Where samples stand, kept once for many series: the series of a rank are measured at the same steps and moments.
//
// Threads: one (the window's).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace lockstep::charts {

struct Sample {
    std::uint64_t step = 0;
    double time = 0;  // Unix seconds
    double value = 0;
};

inline constexpr std::size_t kBlockSamples = 4096;

// Steps and times of one block.
class Places {
public:
    explicit Places(std::span<const Sample> samples);

    // An even stride, as nearly every series has, needs no list.
    std::uint64_t step(std::size_t index) const { return m_steps.empty() ? m_first + m_stride * index : m_steps[index]; }
    double time(std::size_t index) const { return m_times[index]; }
    bool isOf(std::span<const Sample> samples) const;  // bit for bit

private:
    std::uint64_t m_first = 0;
    std::uint64_t m_stride = 0;
    std::vector<std::uint64_t> m_steps;
    std::vector<double> m_times;
};

class PlacePool {
public:
    // Those of `samples`; the same object for all that ask with the same places while somebody keeps it.
    std::shared_ptr<const Places> placesOf(std::span<const Sample> samples);
    std::size_t size() const;  // that somebody keeps

private:
    std::unordered_multimap<std::uint64_t, std::weak_ptr<const Places>> m_known;
};

}  // namespace lockstep::charts
