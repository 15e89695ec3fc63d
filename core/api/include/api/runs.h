// Reading runs: list, detail, curves, live changes. Never writes. Works for runs of any state, also of a controller that was killed.
//
// Threads: any. Errors of a single run: R531 (no such run), F609 (its run.db is damaged or newer).
#pragma once

#include <api/run.h>
#include <api/series.h>
#include <api/subscription.h>
#include <base/clock.h>
#include <base/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::api {

// Where an update stands in what one watch tells.
enum class UpdateKind : std::uint8_t {
    First,  // whatever was told before is void: the start, or the run's files have come back after a problem
    Next,
};

struct RunUpdate {
    UpdateKind kind = UpdateKind::Next;
    RunSummary summary;  // with a problem (deleted: R531, unreadable: F602, F603, F609) nothing else comes until the next First
    std::vector<RankStatus> ranks;
    std::vector<RunEvent> events;      // new since the last update
    std::vector<SeriesPoints> points;  // new since the last update, of the series asked for
    bool more = false;                 // points are left that had no room; they come next, without a pause
};

enum class SeriesChoice : std::uint8_t {
    Listed,
    All,  // also those that begin while the run goes on
};

struct WatchOptions {
    SeriesChoice choice = SeriesChoice::Listed;
    std::vector<SeriesKey> series;  // Listed: points wanted; state and events always come
    Seconds interval{0.1};          // how often at most
};

class Runs {
public:
    virtual ~Runs() = default;

    // A run by id, by an unambiguous beginning or end of one, or "last" (the one started last). Error R531 (none
    // or more than one fits).
    virtual Result<RunId> find(const std::string& text) const = 0;
    // Newest first. A run whose files can't be read is there, with its problem. Error F635: the project's folder is gone.
    virtual Result<std::vector<RunSummary>> list() const = 0;
    virtual Result<RunSummary> summary(const RunId& run) const = 0;
    virtual Result<RunDetail> detail(const RunId& run) const = 0;

    virtual Result<std::vector<SeriesKey>> series(const RunId& run) const = 0;
    virtual Result<std::vector<Point>> points(const RunId& run, const SeriesKey& key, const StepRange& range) const = 0;
    // At most about `most` buckets over the range: drawing costs pixels, not points.
    virtual Result<std::vector<Bucket>> buckets(const RunId& run, const SeriesKey& key, const StepRange& range, std::size_t most) const = 0;

    // Calls back at once and then whenever something changed, until the subscription is dropped; a call carries at most about 65 536
    // points. From the store's commit to the call: one interval and the reading. A run that is deleted, damaged or can't be read
    // is told as a problem and tried again every second. Without changes it costs one file version per interval. One thread
    // ("watch-run") each.
    virtual Result<std::unique_ptr<Subscription>> watch(const RunId& run, const WatchOptions& options,
                                                        std::function<void(const RunUpdate&)> changed) const = 0;
};

}  // namespace lockstep::api
