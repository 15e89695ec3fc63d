// Points and buckets of one piece of a series out of the tables tail, chunk and bucket, inside the caller's transaction.
#pragma once

#include "database.h"

#include <base/result.h>
#include <store/reader.h>
#include <telemetry/sample.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace lockstep::store {

struct Piece {
    std::int64_t id = 0;
    std::uint64_t fromStep = 0;
    std::uint64_t count = 0;
};

// Half-open range of positions in a piece, closed range of steps; what lies in both is meant.
struct Window {
    std::uint64_t first = 0, end = 0;
    std::uint64_t fromStep = 0, toStep = 0;
};

// Keeps its statements, for many reads in one transaction.
class PointReader {
public:
    static Result<PointReader> make(const Database& database);
    // All points of the window in order, repeated steps included.
    Result<std::vector<telemetry::Point>> read(const Piece& piece, const Window& window);

private:
    PointReader(const Database& database, Statement chunks, Statement tails)
        : m_database(&database), m_chunks(std::move(chunks)), m_tails(std::move(tails)) {}
    const Database* m_database;
    Statement m_chunks;
    Statement m_tails;
};

// The same once.
Result<std::vector<telemetry::Point>> readPoints(const Database& database, const Piece& piece, const Window& window);

// Buckets of at most `level` that cover exactly the points of the window, in order: whole ones of that level in the middle, finer ones
// at its edges, single points where nothing coarser lies inside.
Result<std::vector<Bucket>> readBuckets(const Database& database, const Piece& piece, int level, const Window& window);

// Appended in order, the latest of each step kept.
void uniteSteps(std::vector<telemetry::Point>& points, const std::vector<telemetry::Point>& more);

// How many points the window holds, up to a chunk at each edge.
Result<std::uint64_t> estimateCount(const Database& database, const Piece& piece, const Window& window);

}  // namespace lockstep::store
