#include "series_reader.h"

#include "bucket_math.h"
#include "schema.h"
#include "series_writer.h"

#include <telemetry/codec.h>

#include <algorithm>

namespace lockstep::store {

using telemetry::Point;

namespace {

// Rows (first, points) of tail or chunk into the points of the window.
Result<void> collect(const Database& database, Statement& rows, const Window& window, std::vector<Point>& points) {
    for (;;) {
        LS_TRY_ASSIGN(const bool more, rows.step());
        if (!more) return {};
        auto part = telemetry::decodePoints(rows.blob(1), "points", kChunkPoints);
        if (!part.ok()) return damagedStore(database.file(), part.error().message);
        auto place = rows.unsignedInteger(0);
        for (const auto& point : *part) {
            const bool inside = place >= window.first && place < window.end && point.step >= window.fromStep && point.step <= window.toStep;
            if (inside) points.push_back(point);
            ++place;
        }
    }
}

Result<void> appendBuckets(const Database& database, const Piece& piece, int level, const Window& window, std::vector<Bucket>& buckets) {
    if (window.first >= window.end) return {};
    LS_TRY_ASSIGN(const auto more, readBuckets(database, piece, level, window));
    buckets.insert(buckets.end(), more.begin(), more.end());
    return {};
}

}  // namespace

Result<PointReader> PointReader::make(const Database& database) {
    LS_TRY_ASSIGN(auto chunks, database.prepare("SELECT first, points FROM chunk WHERE series = ? AND first < ? AND first > ? - 4096 "
                                                "AND last_step >= ? AND first_step <= ? ORDER BY first"));
    LS_TRY_ASSIGN(auto tails, database.prepare("SELECT first, points FROM tail WHERE series = ? AND first < ? AND first + count > ? "
                                               "AND last_step >= ? AND first_step <= ? ORDER BY first"));
    return PointReader(database, std::move(chunks), std::move(tails));
}

Result<std::vector<Point>> PointReader::read(const Piece& piece, const Window& window) {
    std::vector<Point> points;
    for (auto* rows : {&m_chunks, &m_tails}) {
        rows->reset();
        rows->bind(1, piece.id).bind(2, window.end).bind(3, window.first).bind(4, window.fromStep).bind(5, window.toStep);
        LS_TRY(collect(*m_database, *rows, window, points));
    }
    return points;
}

Result<std::vector<Point>> readPoints(const Database& database, const Piece& piece, const Window& window) {
    LS_TRY_ASSIGN(auto reader, PointReader::make(database));
    return reader.read(piece, window);
}

void uniteSteps(std::vector<Point>& points, const std::vector<Point>& more) {
    for (const auto& point : more) {
        if (!points.empty() && points.back().step == point.step)
            points.back() = point;
        else
            points.push_back(point);
    }
}

Result<std::vector<Bucket>> readBuckets(const Database& database, const Piece& piece, int level, const Window& window) {
    std::vector<Bucket> buckets;
    if (level == 0) {
        LS_TRY_ASSIGN(const auto points, readPoints(database, piece, window));
        buckets.resize(points.size());
        std::transform(points.begin(), points.end(), buckets.begin(), bucketOf);
        return buckets;
    }
    const auto span = pointsOfLevel(level);
    LS_TRY_ASSIGN(auto rows, database.prepare("SELECT first, first_step, last_step, first_time, last_time, min, max, last FROM bucket "
                                              "WHERE series = ? AND level = ? AND first >= ? AND first <= ? - ? "
                                              "AND first_step >= ? AND last_step <= ? ORDER BY first"));
    rows.bind(1, piece.id).bind(2, level).bind(3, window.first).bind(4, window.end).bind(5, span);
    rows.bind(6, window.fromStep).bind(7, window.toStep);
    std::vector<Bucket> middle;
    auto first = window.end;  // where the middle begins and ends
    auto end = window.end;
    for (;;) {
        LS_TRY_ASSIGN(const bool more, rows.step());
        if (!more) break;
        const auto place = rows.unsignedInteger(0);
        if (middle.empty()) first = end = place;
        if (place != end) return damagedStore(database.file(), "a bucket is missing");
        middle.push_back(bucketFrom(rows, 1, span));
        end = place + span;
    }
    LS_TRY(appendBuckets(database, piece, level - 1, {window.first, first, window.fromStep, window.toStep}, buckets));
    buckets.insert(buckets.end(), middle.begin(), middle.end());
    LS_TRY(appendBuckets(database, piece, level - 1, {end, window.end, window.fromStep, window.toStep}, buckets));
    return buckets;
}

Result<std::uint64_t> estimateCount(const Database& database, const Piece& piece, const Window& window) {
    LS_TRY_ASSIGN(auto sum, database.prepare("SELECT (SELECT count(*) * 4096 FROM chunk WHERE series = ?1 AND last_step >= ?2 AND "
                                             "first_step <= ?3) + (SELECT coalesce(sum(count), 0) FROM tail WHERE series = ?1 AND "
                                             "last_step >= ?2 AND first_step <= ?3)"));
    sum.bind(1, piece.id).bind(2, window.fromStep).bind(3, window.toStep);
    LS_TRY_ASSIGN(const bool row, sum.step());
    return row ? sum.unsignedInteger(0) : std::uint64_t{0};
}

}  // namespace lockstep::store
