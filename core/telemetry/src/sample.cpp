#include <telemetry/sample.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_map>

namespace lockstep::telemetry {
namespace {

constexpr std::array<std::string_view, 23> kNames = {
    "loss",
    "accuracy",
    "epoch_loss",
    "epoch_accuracy",
    "val_loss",
    "val_accuracy",
    "learning_rate",
    "samples_per_second",
    "step_seconds",
    "input_wait_seconds",
    "compute_seconds",
    "communication_seconds",
    "communication_wait_seconds",
    "optimizer_seconds",
    "bytes_sent",
    "device_busy_ratio",
    "memory_bytes",
    "loss_scale",
    "gradient_norm",
    "staleness_steps",
    "checkpoint_seconds",
    "dropped_samples",
    "skipped_steps",
};
static_assert(kNames.size() == static_cast<std::size_t>(Series::SkippedSteps) + 1);

#define LOCKSTEP_METRIC(name) name, "epoch_" name, "val_" name
// In groups of three, from Series::FirstMetric on. Only ever longer.
constexpr std::array<std::string_view, 30> kMetricNames = {
    LOCKSTEP_METRIC("sparse_categorical_accuracy"),
    LOCKSTEP_METRIC("categorical_accuracy"),
    LOCKSTEP_METRIC("binary_accuracy"),
    LOCKSTEP_METRIC("sparse_top_k_categorical_accuracy"),
    LOCKSTEP_METRIC("top_k_categorical_accuracy"),
    LOCKSTEP_METRIC("mean_squared_error"),
    LOCKSTEP_METRIC("mean_absolute_error"),
    LOCKSTEP_METRIC("auc"),
    LOCKSTEP_METRIC("precision"),
    LOCKSTEP_METRIC("recall"),
};
#undef LOCKSTEP_METRIC
constexpr auto kFirstMetric = static_cast<std::size_t>(Series::FirstMetric);

constexpr auto makeAll() {
    std::array<Series, kNames.size() + kMetricNames.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Series>(i < kNames.size() ? i : kFirstMetric + i - kNames.size());
    return all;
}
constexpr auto kAll = makeAll();

}  // namespace

std::string_view nameOf(Series series) {
    const auto index = static_cast<std::size_t>(series);
    if (index < kNames.size()) return kNames[index];
    const bool isMetric = index >= kFirstMetric && index - kFirstMetric < kMetricNames.size();
    return isMetric ? kMetricNames[index - kFirstMetric] : std::string_view{};
}

std::optional<Series> findSeries(std::string_view name) {
    const auto found = std::ranges::find(kNames, name);
    if (found != kNames.end()) return static_cast<Series>(found - kNames.begin());
    const auto metric = std::ranges::find(kMetricNames, name);
    if (metric == kMetricNames.end()) return std::nullopt;
    return static_cast<Series>(kFirstMetric + static_cast<std::size_t>(metric - kMetricNames.begin()));
}

std::optional<Series> metricSeries(std::string_view metric, MetricValue value) {
    constexpr std::array<Series, 3> kAccuracy = {Series::Accuracy, Series::EpochAccuracy, Series::ValAccuracy};
    const auto offset = static_cast<std::size_t>(value);
    if (metric == "accuracy") return kAccuracy[offset];
    for (std::size_t i = 0; i < kMetricNames.size(); i += 3)
        if (kMetricNames[i] == metric) return static_cast<Series>(kFirstMetric + i + offset);
    return std::nullopt;
}

std::span<const Series> allSeries() { return kAll; }

std::vector<Batch> toBatches(std::span<const Sample> samples) {
    std::vector<Batch> batches;
    std::unordered_map<std::uint32_t, std::size_t> places;
    for (const auto& sample : samples) {
        const auto name = nameOf(sample.series);
        if (name.empty()) continue;
        const auto key = static_cast<std::uint32_t>(sample.series) << 16 | static_cast<std::uint16_t>(sample.rank);
        const auto [place, isNew] = places.try_emplace(key, batches.size());
        if (isNew) batches.push_back({{std::string(name), sample.rank}, {}});
        batches[place->second].points.push_back({sample.step, sample.time, sample.value});
    }
    return batches;
}

}  // namespace lockstep::telemetry
