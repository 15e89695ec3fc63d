// Read-only view of a run.db, also while it is being written and after its writer was killed. Never writes, never checkpoints the WAL.
// One reader per thread.
#pragma once

#include <base/result.h>
#include <store/run_state.h>
#include <telemetry/sample.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::store {

struct StateChange {
    double time = 0;
    RunState state{};
    std::string cause;
    std::string actor;
};

// Points of one bucket of a pyramid level (16^level points).
struct Bucket {
    std::uint64_t firstStep = 0, lastStep = 0;
    double firstTime = 0, lastTime = 0;
    double min = 0, max = 0, last = 0;
    std::uint64_t count = 0;
};

class Reader {
public:
    // Errors: F602, F609 (not a run.db, damaged, or newer than this program).
    static Result<std::unique_ptr<Reader>> open(const std::filesystem::path& file);
    virtual ~Reader() = default;

    virtual Result<std::string> meta(std::string_view key) const = 0;           // "" when absent
    virtual Result<std::vector<StateChange>> states() const = 0;
    virtual Result<std::vector<RankRow>> ranks() const = 0;
    virtual Result<std::vector<Event>> events(std::int64_t afterId = 0) const = 0;
    virtual Result<std::vector<telemetry::SeriesKey>> series() const = 0;
    // Points with fromStep ≤ step ≤ toStep, in order.
    virtual Result<std::vector<telemetry::Point>> points(const telemetry::SeriesKey& key, std::uint64_t fromStep = 0,
                                                         std::uint64_t toStep = std::numeric_limits<std::int64_t>::max()) const = 0;
    // At most about `most` buckets covering the range, from the coarsest level that still gives that many.
    virtual Result<std::vector<Bucket>> buckets(const telemetry::SeriesKey& key, std::uint64_t fromStep, std::uint64_t toStep, std::size_t most) const = 0;
    virtual Result<telemetry::Point> lastPoint(const telemetry::SeriesKey& key) const = 0;  // error F611 when the series is empty
    // Grows with every commit: when it is unchanged nothing needs to be read again.
    virtual Result<std::uint64_t> changeCounter() const = 0;
};

}  // namespace lockstep::store
