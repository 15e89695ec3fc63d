// Exponential moving average as TensorBoard draws it: s ← w·s + (1 − w)·x from s = 0, shown divided by 1 − wⁿ (n = values so far), so
// that the first values aren't pulled to zero. It runs at full resolution; charts thin its result and not its input.
// Every piece (after a resume) begins anew; gaps stay gaps and don't count.
#pragma once

#include <charts/series_data.h>

#include <memory>

namespace lockstep::charts {

inline constexpr double kMostSmoothing = 0.999;

class Smoother {
public:
    explicit Smoother(std::shared_ptr<const SeriesData> raw, double weight = 0);

    double weight() const { return m_weight; }
    void setWeight(double weight);  // 0…0.999, others are brought into it; a change computes everything again at the next update()
    // Takes in what is new since the last call. The result has the indices of the raw series and lives as long as this.
    const SeriesData& update();

private:
    void restart();

    std::shared_ptr<const SeriesData> m_raw;
    std::shared_ptr<SeriesData> m_smooth;
    double m_weight = 0;
    double m_state = 0;
    double m_rest = 1;  // wⁿ
    std::size_t m_piece = 0;
    std::uint64_t m_generation = 0;
};

}  // namespace lockstep::charts
