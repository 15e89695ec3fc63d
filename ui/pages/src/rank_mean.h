// The mean over ranks of one metric, as a series of its own: for charts that show a crowd by its mean and band, and for stacks.
#pragma once

#include <charts/series_data.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace lockstep::pages {

class RankMean {
public:
    // `factor` turns base units into the chart's: 1e3 for milliseconds.
    explicit RankMean(double factor = 1) : m_factor(factor) {}

    // Steps count only where every rank has a value. A set of ranks other than before, or one that was cleared, starts anew.
    void update(const std::vector<std::shared_ptr<charts::SeriesData>>& ranks);
    const std::shared_ptr<charts::SeriesData>& data() const { return m_mean; }

private:
    struct Source {
        std::shared_ptr<charts::SeriesData> data;
        std::size_t next = 0;  // first sample that is not in the mean yet
        std::uint64_t generation = 0;
    };
    void restart(const std::vector<std::shared_ptr<charts::SeriesData>>& ranks);
    bool sameSources(const std::vector<std::shared_ptr<charts::SeriesData>>& ranks) const;
    bool align();  // brings all sources to one step; false: somebody has no more samples

    double m_factor;
    std::vector<Source> m_sources;
    std::shared_ptr<charts::SeriesData> m_mean = std::make_shared<charts::SeriesData>();
};

}  // namespace lockstep::pages
