// The series of the run on the Live page: what charts draw and what the header says of them. No widget, no thread.
#pragma once

#include <api/series.h>
#include <charts/series_data.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::pages {

struct Percentiles {
    double p50 = 0;
    double p95 = 0;
};

struct LateRank {
    int rank = 0;
    double ratio = 1;  // its compute time divided by the median of all ranks
};

class LiveSeries {
public:
    using Data = std::shared_ptr<charts::SeriesData>;

    // Takes in points; true when a series is new. They take the place of what was there from their `from` on.
    bool add(const std::vector<api::SeriesPoints>& values);
    void clear() { m_series.clear(); }

    Data find(const std::string& name, int rank = api::kWholeRun) const;  // null when there is none
    std::vector<api::SeriesKey> keys() const;
    std::vector<int> ranksOf(const std::string& name) const;  // ascending, without the whole run

    // By the loss of the whole run, which has a value at every step: where the run went on, or had got to, at a moment (Unix seconds).
    std::optional<std::uint64_t> firstStepAfter(double time) const;
    std::optional<std::uint64_t> lastStepBefore(double time) const;

    std::optional<double> last(const std::string& name, int rank = api::kWholeRun) const;
    std::optional<double> least(const std::string& name) const;  // of the whole run's series, all of it
    // Rows per second of the whole run: over the ranks, the sum of each one's harmonic mean of its newest `kRecent` rates, which is rows
    // by time (a plain mean of rates gives short steps too much weight).
    std::optional<double> samplesPerSecond() const;
    // Of the rank that has the fewest of them; 0 without any.
    std::size_t fewestSamples(const std::string& name) const;
    std::optional<double> recentMean(const std::string& name, int rank) const;
    // Over the newest `kRecent` values of every rank.
    std::optional<Percentiles> recentPercentiles(const std::string& name) const;
    // Ranks whose own compute time is more than `kLate` times the median of all, worst first. Needs three ranks: of two nobody is the
    // odd one out.
    std::vector<LateRank> lateRanks() const;
    // compute time over the median, all ranks, by rank
    std::map<int, double> lateness() const;

    static constexpr std::size_t kRecent = 50;
    static constexpr double kLate = 1.28;  // the third step of the heat map

private:
    std::vector<double> recent(const std::string& name, int rank) const;
    std::shared_ptr<charts::PlacePool> m_pool = std::make_shared<charts::PlacePool>();
    std::map<api::SeriesKey, Data> m_series;
};

}  // namespace lockstep::pages
