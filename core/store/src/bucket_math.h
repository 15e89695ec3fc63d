// Arithmetic of min/max/last buckets, shared by the writer (sealed levels) and the readers (everything else).
#pragma once

#include <store/reader.h>
#include <telemetry/sample.h>

#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::store {

Bucket bucketOf(const telemetry::Point& point);
// `later` follows `bucket` in time.
void addTo(Bucket& bucket, const Bucket& later);
// Each `per` neighbours become one, the last may have fewer.
std::vector<Bucket> merged(std::span<const Bucket> buckets, std::size_t per);
// Neighbours joined until at most `most` are left, each with about the same number of points.
std::vector<Bucket> thinned(std::vector<Bucket> buckets, std::size_t most);

}  // namespace lockstep::store
