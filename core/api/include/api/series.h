// Metrics as a client asks for them (names and units: architecture 7).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace lockstep::api {

inline constexpr int kWholeRun = -1;

struct SeriesKey {
    std::string name;  // "loss", "samples_per_second"
    int rank = kWholeRun;
    auto operator<=>(const SeriesKey&) const = default;
};

struct Point {
    std::uint64_t step = 0;  // 1-based
    double time = 0;         // Unix seconds
    double value = 0;
    bool operator==(const Point&) const = default;
};

// Consecutive points in one: their extremes never vanish.
struct Bucket {
    std::uint64_t firstStep = 0, lastStep = 0;
    double firstTime = 0, lastTime = 0;
    double min = 0, max = 0, last = 0;
    std::uint64_t count = 0;
    bool operator==(const Bucket&) const = default;
};

struct StepRange {
    std::uint64_t from = 0;
    std::uint64_t to = std::numeric_limits<std::int64_t>::max();
};

struct SeriesPoints {
    SeriesKey key;
    std::vector<Point> points;  // ascending steps
    std::uint64_t from = 0;     // they take the place of what was told of this and later steps: a resumed run repeats some
    bool operator==(const SeriesPoints&) const = default;
};

}  // namespace lockstep::api
