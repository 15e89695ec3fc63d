#include "series_writer.h"

#include "bucket_math.h"
#include "schema.h"

#include <telemetry/codec.h>

#include <algorithm>

namespace lockstep::store {

using telemetry::Point;
using telemetry::SeriesKey;

Bucket bucketFrom(const Statement& row, int column, std::uint64_t count) {
    return {row.unsignedInteger(column), row.unsignedInteger(column + 1),
            row.real(column + 2),        row.real(column + 3),
            row.real(column + 4),        row.real(column + 5),
            row.real(column + 6),        count};
}

Result<std::unique_ptr<SeriesWriter>> SeriesWriter::open(const Database& database) {
    auto writer = std::unique_ptr<SeriesWriter>(new SeriesWriter(database));
    LS_TRY(writer->prepare());
    LS_TRY(writer->load());
    return writer;
}

Result<void> SeriesWriter::prepare() {
    LS_TRY_ASSIGN(m_insertSeries, m_database.prepare("INSERT INTO series(name, rank, piece, from_step, count, sealed, last_step) "
                                                     "VALUES(?, ?, ?, ?, 0, 0, 0) RETURNING id"));
    LS_TRY_ASSIGN(m_updateSeries, m_database.prepare("UPDATE series SET count = ?, sealed = ?, last_step = ?, last_time = ?, "
                                                     "last_value = ? WHERE id = ?"));
    LS_TRY_ASSIGN(m_insertTail, m_database.prepare("INSERT INTO tail(series, first, count, first_step, last_step, points) "
                                                   "VALUES(?, ?, ?, ?, ?, ?)"));
    LS_TRY_ASSIGN(m_selectTail, m_database.prepare("SELECT points FROM tail WHERE series = ? ORDER BY first"));
    LS_TRY_ASSIGN(m_deleteTail, m_database.prepare("DELETE FROM tail WHERE series = ?"));
    LS_TRY_ASSIGN(m_insertChunk, m_database.prepare("INSERT INTO chunk(series, first, first_step, last_step, points) "
                                                    "VALUES(?, ?, ?, ?, ?)"));
    LS_TRY_ASSIGN(m_insertBucket, m_database.prepare("INSERT INTO bucket(series, level, first, first_step, last_step, first_time, "
                                                     "last_time, min, max, last) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    LS_TRY_ASSIGN(m_selectBuckets, m_database.prepare("SELECT first_step, last_step, first_time, last_time, min, max, last FROM bucket "
                                                      "WHERE series = ? AND level = ? AND first >= ? ORDER BY first"));
    return {};
}

Result<void> SeriesWriter::load() {
    // Ascending pieces: the newest of a key stays in the map.
    LS_TRY_ASSIGN(auto rows, m_database.prepare("SELECT name, rank, id, piece, from_step, count, sealed, last_step, last_time, last_value "
                                                "FROM series ORDER BY piece"));
    for (;;) {
        LS_TRY_ASSIGN(const bool more, rows.step());
        if (!more) return {};
        m_rows[{rows.text(0), static_cast<int>(rows.integer(1))}] = {rows.integer(2),
                                                                     rows.integer(3),
                                                                     rows.unsignedInteger(4),
                                                                     rows.unsignedInteger(5),
                                                                     rows.unsignedInteger(6),
                                                                     {rows.unsignedInteger(7), rows.real(8), rows.real(9)},
                                                                     true};
    }
}

void SeriesWriter::committed() {
    for (auto& [key, row] : m_changed) m_rows[key] = row;
    m_changed.clear();
}

void SeriesWriter::rolledBack() {
    m_changed.clear();
    // One of them failed in the middle; a statement takes new parameters only from its start.
    for (auto* statement :
         {&m_insertSeries, &m_updateSeries, &m_insertTail, &m_selectTail, &m_deleteTail, &m_insertChunk, &m_insertBucket, &m_selectBuckets})
        statement->reset();
}

Result<void> SeriesWriter::write(const SeriesKey& key, std::span<const Point> points) {
    while (!points.empty()) {
        LS_TRY_ASSIGN(Row* const row, rowOf(key, points.front().step));
        const auto end = std::is_sorted_until(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.step < b.step; });
        const auto run = points.first(static_cast<std::size_t>(end - points.begin()));
        LS_TRY(addRun(*row, run));
        points = points.subspan(run.size());
    }
    return {};
}

void SeriesWriter::noticeSteps(std::span<const Point> loss) {
    const auto known = m_rows.find(kEveryStep);
    if (m_resumedAt || loss.empty() || known == m_rows.end() || !known->second.earlier || known->second.count == 0) return;
    if (loss.front().step <= known->second.last.step) m_resumedAt = loss.front().step;
}

Result<SeriesWriter::Row*> SeriesWriter::rowOf(const SeriesKey& key, std::uint64_t firstStep) {
    auto [place, isNew] = m_changed.try_emplace(key);
    Row& row = place->second;
    if (isNew) {
        const auto known = m_rows.find(key);
        if (known != m_rows.end()) row = known->second;
    }
    const bool abandoned = row.earlier && m_resumedAt && row.last.step >= *m_resumedAt;
    if (row.count == 0 || firstStep < row.last.step || abandoned)
        LS_TRY(startPiece(key, row, abandoned ? std::min(firstStep, *m_resumedAt) : firstStep));
    return &row;
}

Result<void> SeriesWriter::startPiece(const SeriesKey& key, Row& row, std::uint64_t fromStep) {
    const auto piece = row.count == 0 ? 0 : row.piece + 1;
    m_insertSeries.bind(1, key.name).bind(2, key.rank).bind(3, piece).bind(4, fromStep);
    LS_TRY_ASSIGN(const bool made, m_insertSeries.step());
    row = {made ? m_insertSeries.integer(0) : 0, piece, fromStep, 0, 0, {}, false};
    return m_insertSeries.run();
}

Result<void> SeriesWriter::addRun(Row& row, std::span<const Point> points) {
    if (row.count - row.sealed + points.size() < kChunkPoints)
        LS_TRY(insertTail(row, row.count, points));
    else
        LS_TRY(sealTail(row, points));
    row.count += points.size();
    row.last = points.back();
    m_updateSeries.bind(1, row.count).bind(2, row.sealed).bind(3, row.last.step).bind(4, row.last.time).bind(5, row.last.value);
    return m_updateSeries.bind(6, row.id).run();
}

Result<void> SeriesWriter::sealTail(Row& row, std::span<const Point> points) {
    LS_TRY_ASSIGN(auto open, readTail(row));
    open.insert(open.end(), points.begin(), points.end());
    LS_TRY(m_deleteTail.bind(1, row.id).run());
    auto rest = std::span<const Point>(open);
    for (; rest.size() >= kChunkPoints; rest = rest.subspan(kChunkPoints)) LS_TRY(insertChunk(row, rest.first(kChunkPoints)));
    if (rest.empty()) return {};
    return insertTail(row, row.sealed, rest);
}

Result<std::vector<Point>> SeriesWriter::readTail(const Row& row) {
    std::vector<Point> points;
    m_selectTail.bind(1, row.id);
    for (;;) {
        LS_TRY_ASSIGN(const bool more, m_selectTail.step());
        if (!more) break;
        auto part = telemetry::decodePoints(m_selectTail.blob(0), "tail", kChunkPoints);
        if (!part.ok()) return damagedStore(m_database.file(), part.error().message);
        points.insert(points.end(), part->begin(), part->end());
    }
    m_selectTail.reset();
    if (points.size() != row.count - row.sealed) return damagedStore(m_database.file(), "points of a tail are missing");
    return points;
}

Result<void> SeriesWriter::insertTail(const Row& row, std::uint64_t first, std::span<const Point> points) {
    const auto bytes = telemetry::encodePoints(points);
    m_insertTail.bind(1, row.id).bind(2, first).bind(3, std::uint64_t{points.size()});
    return m_insertTail.bind(4, points.front().step).bind(5, points.back().step).bindBlob(6, bytes).run();
}

Result<void> SeriesWriter::insertChunk(Row& row, std::span<const Point> points) {
    const auto bytes = telemetry::encodePoints(points);
    m_insertChunk.bind(1, row.id).bind(2, row.sealed).bind(3, points.front().step).bind(4, points.back().step).bindBlob(5, bytes);
    LS_TRY(m_insertChunk.run());
    std::vector<Bucket> buckets(points.size());
    std::transform(points.begin(), points.end(), buckets.begin(), bucketOf);
    for (int level = 1; level <= kChunkLevel; ++level) {
        buckets = merged(buckets, pointsOfLevel(1));
        LS_TRY(insertBuckets(row, level, row.sealed, buckets));
    }
    row.sealed += points.size();
    return closeUpperLevels(row);
}

Result<void> SeriesWriter::insertBuckets(const Row& row, int level, std::uint64_t first, std::span<const Bucket> buckets) {
    for (const auto& bucket : buckets) {
        m_insertBucket.bind(1, row.id).bind(2, level).bind(3, first).bind(4, bucket.firstStep).bind(5, bucket.lastStep);
        m_insertBucket.bind(6, bucket.firstTime).bind(7, bucket.lastTime).bind(8, bucket.min).bind(9, bucket.max).bind(10, bucket.last);
        LS_TRY(m_insertBucket.run());
        first += pointsOfLevel(level);
    }
    return {};
}

Result<void> SeriesWriter::closeUpperLevels(const Row& row) {
    for (int level = kChunkLevel + 1; level <= kMostLevel && row.sealed % pointsOfLevel(level) == 0; ++level) {
        const auto first = row.sealed - pointsOfLevel(level);
        Bucket whole;
        m_selectBuckets.bind(1, row.id).bind(2, level - 1).bind(3, first);
        for (;;) {
            LS_TRY_ASSIGN(const bool more, m_selectBuckets.step());
            if (!more) break;
            addTo(whole, bucketFrom(m_selectBuckets, 0, pointsOfLevel(level - 1)));
        }
        m_selectBuckets.reset();
        LS_TRY(insertBuckets(row, level, first, std::span(&whole, 1)));
    }
    return {};
}

}  // namespace lockstep::store
