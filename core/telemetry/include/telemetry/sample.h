// The smallest unit of telemetry: one value of one series at one step. Fixed size, trivially copyable: it travels through a ring in
// shared memory, spool files and the wire unchanged (little endian).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::telemetry {

// Series names in base units (architecture 7). The number is on disk and on the wire: never renumber.
enum class Series : std::uint16_t {
    Loss = 0,
    Accuracy,
    EpochLoss,
    EpochAccuracy,
    ValLoss,
    ValAccuracy,
    LearningRate,
    SamplesPerSecond,
    StepSeconds,
    InputWaitSeconds,
    ComputeSeconds,
    CommunicationSeconds,
    CommunicationWaitSeconds,
    OptimizerSeconds,
    BytesSent,
    DeviceBusyRatio,
    MemoryBytes,
    LossScale,
    GradientNorm,
    StalenessSteps,
    CheckpointSeconds,
    DroppedSamples,
    SkippedSteps,  // so far, because their gradients were not finite
    // Further metrics: see metricSeries().
    FirstMetric = 256,
};
std::string_view nameOf(Series series);  // "loss", "epoch_loss", "samples_per_second"; "" for an unknown number
std::optional<Series> findSeries(std::string_view name);
std::span<const Series> allSeries();

// A metric of Keras besides loss and accuracy has three series: "auc" of a step, "epoch_auc", "val_auc".
enum class MetricValue : std::uint8_t { Step, Epoch, Validation };
// None for a name that is not among them; "accuracy" gives its own series.
std::optional<Series> metricSeries(std::string_view metric, MetricValue value);

inline constexpr std::int16_t kNoRank = -1;  // a value of the whole run

struct Sample {
    double time = 0;  // Unix seconds
    double value = 0;
    std::uint64_t step = 0;  // 1-based
    Series series{};
    std::int16_t rank = kNoRank;
    std::uint32_t reserved = 0;
};
static_assert(sizeof(Sample) == 32);

// Points of one series in step order (a step may repeat: then the later point is the one that counts); what travels from agent to
// controller to store.
struct Point {
    std::uint64_t step = 0;
    double time = 0;
    double value = 0;
    bool operator==(const Point&) const = default;
};
struct SeriesKey {
    std::string name;
    int rank = kNoRank;
    auto operator<=>(const SeriesKey&) const = default;
};
struct Batch {
    SeriesKey key;
    std::vector<Point> points;
    bool operator==(const Batch&) const = default;
};

// Samples grouped by series and rank in order of first appearance, order kept inside a series. Samples whose series number is not
// known (a newer or a damaged writer) are left out.
std::vector<Batch> toBatches(std::span<const Sample> samples);

}  // namespace lockstep::telemetry
