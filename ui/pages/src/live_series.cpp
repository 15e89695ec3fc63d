#include "live_series.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lockstep::pages {
namespace {

double quantile(std::vector<double>& values, double part) {
    const auto place = static_cast<std::ptrdiff_t>(std::llround(part * static_cast<double>(values.size() - 1)));
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
}

double meanOf(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

bool LiveSeries::add(const std::vector<api::SeriesPoints>& values) {
    bool anyNew = false;
    for (const auto& entry : values) {
        auto& data = m_series[entry.key];
        if (!data) {
            data = std::make_shared<charts::SeriesData>(m_pool);
            anyNew = true;
        }
        if (!data->empty() && entry.from <= data->last().step) data->cutFrom(entry.from);
        for (const auto& point : entry.points) data->append(charts::Sample{point.step, point.time, point.value});
    }
    return anyNew;
}

LiveSeries::Data LiveSeries::find(const std::string& name, int rank) const {
    const auto found = m_series.find({name, rank});
    return found == m_series.end() ? nullptr : found->second;
}

std::vector<api::SeriesKey> LiveSeries::keys() const {
    std::vector<api::SeriesKey> keys;
    for (const auto& [key, data] : m_series) keys.push_back(key);
    return keys;
}

std::vector<int> LiveSeries::ranksOf(const std::string& name) const {
    std::vector<int> ranks;
    for (auto entry = m_series.lower_bound({name, 0}); entry != m_series.end() && entry->first.name == name; ++entry)
        ranks.push_back(entry->first.rank);
    return ranks;
}

std::optional<std::uint64_t> LiveSeries::firstStepAfter(double time) const {
    const auto loss = find("loss");
    auto index = loss ? loss->nearest(time, charts::XAxis::WallTime, 0) : std::nullopt;
    while (index && *index < loss->size() && loss->at(*index).time < time) ++*index;
    return index && *index < loss->size() ? std::optional(loss->at(*index).step) : std::nullopt;
}

std::optional<std::uint64_t> LiveSeries::lastStepBefore(double time) const {
    const auto loss = find("loss");
    auto index = loss ? loss->nearest(time, charts::XAxis::WallTime, 0) : std::nullopt;
    while (index && *index > 0 && loss->at(*index).time > time) --*index;
    return index && loss->at(*index).time <= time ? std::optional(loss->at(*index).step) : std::nullopt;
}

std::optional<double> LiveSeries::last(const std::string& name, int rank) const {
    const auto data = find(name, rank);
    if (!data || data->empty()) return std::nullopt;
    return data->last().value;
}

std::optional<double> LiveSeries::least(const std::string& name) const {
    const auto data = find(name);
    if (!data) return std::nullopt;
    const auto extent = data->extent(charts::XAxis::Step, 0);
    if (!extent) return std::nullopt;
    const auto columns = data->columns({charts::XAxis::Step, 0, *extent, 1});
    if (columns.empty() || columns.front().samples == 0) return std::nullopt;
    return columns.front().min;
}

std::vector<double> LiveSeries::recent(const std::string& name, int rank) const {
    std::vector<double> values;
    const auto data = find(name, rank);
    if (!data) return values;
    for (std::size_t i = data->size() - std::min(kRecent, data->size()); i < data->size(); ++i)
        if (std::isfinite(data->at(i).value)) values.push_back(data->at(i).value);
    return values;
}

std::optional<double> LiveSeries::recentMean(const std::string& name, int rank) const {
    const auto values = recent(name, rank);
    return values.empty() ? std::nullopt : std::optional(meanOf(values));
}

std::size_t LiveSeries::fewestSamples(const std::string& name) const {
    const auto ranks = ranksOf(name);
    std::size_t fewest = ranks.empty() ? 0 : find(name, ranks.front())->size();
    for (const int rank : ranks) fewest = std::min(fewest, find(name, rank)->size());
    return fewest;
}

std::optional<double> LiveSeries::samplesPerSecond() const {
    std::optional<double> sum;
    for (const int rank : ranksOf("samples_per_second")) {
        double secondsPerRow = 0;
        const auto rates = recent("samples_per_second", rank);
        for (const double rate : rates) secondsPerRow += rate > 0 ? 1 / rate : 0;
        if (secondsPerRow > 0) sum = sum.value_or(0) + static_cast<double>(rates.size()) / secondsPerRow;
    }
    return sum;
}

std::optional<Percentiles> LiveSeries::recentPercentiles(const std::string& name) const {
    std::vector<double> values;
    for (const int rank : ranksOf(name)) {
        const auto own = recent(name, rank);
        values.insert(values.end(), own.begin(), own.end());
    }
    if (values.empty()) return std::nullopt;
    return Percentiles{quantile(values, 0.5), quantile(values, 0.95)};
}

std::map<int, double> LiveSeries::lateness() const {
    std::map<int, double> means;
    std::vector<double> all;
    for (const int rank : ranksOf("compute_seconds")) {
        if (const auto mean = recentMean("compute_seconds", rank)) {
            means[rank] = *mean;
            all.push_back(*mean);
        }
    }
    if (all.empty()) return {};
    const double median = quantile(all, 0.5);
    if (!(median > 0)) return {};
    for (auto& [rank, value] : means) value /= median;
    return means;
}

std::vector<LateRank> LiveSeries::lateRanks() const {
    const auto ratios = lateness();
    std::vector<LateRank> late;
    if (ratios.size() < 3) return late;
    for (const auto& [rank, ratio] : ratios)
        if (ratio > kLate) late.push_back({rank, ratio});
    std::ranges::sort(late, [](const LateRank& a, const LateRank& b) { return a.ratio > b.ratio; });
    return late;
}

}  // namespace lockstep::pages
