#include "bucket_math.h"

#include <algorithm>
#include <cmath>

namespace lockstep::store {

Bucket bucketOf(const telemetry::Point& point) {
    return {point.step, point.step, point.time, point.time, point.value, point.value, point.value, 1};
}

void addTo(Bucket& bucket, const Bucket& later) {
    if (bucket.count == 0) {
        bucket = later;
        return;
    }
    bucket.lastStep = later.lastStep;
    bucket.lastTime = later.lastTime;
    bucket.min = std::fmin(bucket.min, later.min);
    bucket.max = std::fmax(bucket.max, later.max);
    bucket.last = later.last;
    bucket.count += later.count;
}

std::vector<Bucket> merged(std::span<const Bucket> buckets, std::size_t per) {
    std::vector<Bucket> joined;
    joined.reserve(buckets.size() / per + 1);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        if (i % per == 0) joined.emplace_back();
        addTo(joined.back(), buckets[i]);
    }
    return joined;
}

std::vector<Bucket> thinned(std::vector<Bucket> buckets, std::size_t most) {
    if (buckets.size() <= most) return buckets;
    std::uint64_t left = 0;
    for (const auto& bucket : buckets) left += bucket.count;
    std::vector<Bucket> joined(1);
    for (const auto& bucket : buckets) {
        // The share is worked out anew for what is left, so that one huge bucket does not push the number above `most`.
        const auto places = most - joined.size() + 1;
        const auto share = (left + places - 1) / places;
        if (joined.size() < most && joined.back().count > 0 && joined.back().count + bucket.count > share) {
            left -= joined.back().count;
            joined.emplace_back();
        }
        addTo(joined.back(), bucket);
    }
    return joined;
}

}  // namespace lockstep::store
