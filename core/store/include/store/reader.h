// Read-only view of a run.db, also while it is being written, after its writer was killed, and on a read-only disk. Never writes to
// the database, never checkpoints the WAL. Every call sees one state of the file. One reader per thread. Calls may fail with F603
// (disk, or locked by another program for 5 s) and F609 (damaged).
#pragma once

#include <base/result.h>
#include <store/run_state.h>
#include <telemetry/sample.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <span>
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

// What a number of neighbouring points come to. min and max leave NaN out unless there is nothing else.
struct Bucket {
    std::uint64_t firstStep = 0, lastStep = 0;
    double firstTime = 0, lastTime = 0;
    double min = 0, max = 0, last = 0;
    std::uint64_t count = 0;
    bool operator==(const Bucket&) const = default;
};

// How far somebody has read a series; made and moved on by Reader::newPoints().
struct ReadMark {
    std::uint64_t nextStep = 0;
    std::size_t pieces = 0;
};
using ReadMarks = std::map<telemetry::SeriesKey, ReadMark>;

struct SeriesNews {
    telemetry::SeriesKey key;
    std::uint64_t from = 0;  // takes the place of whatever was read of this and later steps (a resumed run repeats some)
    std::vector<telemetry::Point> points;
    bool operator==(const SeriesNews&) const = default;
};

struct NewPoints {
    std::vector<SeriesNews> series;
    bool more = false;  // the next call has something too
};

class Reader {
public:
    // Errors: F602 (also: a killed writer's -wal in a folder where this user can't write), F609 (not a run.db, damaged, or newer than
    // this program).
    static Result<std::unique_ptr<Reader>> open(const std::filesystem::path& file);
    virtual ~Reader() = default;

    virtual Result<std::string> meta(std::string_view key) const = 0;  // "" when absent
    virtual Result<std::vector<StateChange>> states() const = 0;
    virtual Result<std::vector<RankRow>> ranks() const = 0;
    // Events whose id is above `afterId`, in order.
    virtual Result<std::vector<Event>> events(std::int64_t afterId = 0) const = 0;
    virtual Result<std::vector<telemetry::SeriesKey>> series() const = 0;  // by name, then rank
    // Points with fromStep ≤ step ≤ toStep in ascending step order, one per step (the latest). Empty for an unknown series.
    virtual Result<std::vector<telemetry::Point>> points(const telemetry::SeriesKey& key, std::uint64_t fromStep = 0,
                                                         std::uint64_t toStep = std::numeric_limits<std::int64_t>::max()) const = 0;
    // What came since `marks` (empty = nothing was read yet) of these series, every series when `only` is empty; by name, then rank.
    // About `most` points at a time. Cheap for many series that each grew a little.
    virtual Result<NewPoints> newPoints(ReadMarks& marks, std::span<const telemetry::SeriesKey> only, std::size_t most) const = 0;
    // At most `most` buckets covering exactly the points of the range in order, made from the coarsest pyramid level that gives that
    // many. Every point counts, also one whose step was measured again, so no spike is lost. Precondition: most > 0.
    virtual Result<std::vector<Bucket>> buckets(const telemetry::SeriesKey& key, std::uint64_t fromStep, std::uint64_t toStep,
                                                std::size_t most) const = 0;
    virtual Result<telemetry::Point> lastPoint(const telemetry::SeriesKey& key) const = 0;  // error F611 when the series is empty
    // Of this reader: grows when somebody has committed since the last call; unchanged = nothing needs to be read again. Costs
    // microseconds.
    virtual Result<std::uint64_t> changeCounter() const = 0;
};

}  // namespace lockstep::store
