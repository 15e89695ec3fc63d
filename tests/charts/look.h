// The colours of the shipped palette, and noisy curves as training draws them.
#pragma once

#include <charts/chart_colors.h>
#include <charts/series_data.h>

#include <QString>

#include <cstdint>
#include <memory>

namespace lockstep::charts::test {

ChartColors paletteColors(const QString& theme);  // "light", "dark"

// A small generator of its own, so that pictures and properties are the same everywhere.
class Noise {
public:
    explicit Noise(std::uint64_t seed) : m_state(seed * 2 + 1) {}
    double uniform();  // 0…1
    double normal();   // roughly, sum of uniforms
    std::uint64_t below(std::uint64_t limit);

private:
    std::uint64_t m_state;
};

std::shared_ptr<SeriesData> lossCurve(std::size_t points, std::uint64_t seed, double floor = 0.25);

}  // namespace lockstep::charts::test
