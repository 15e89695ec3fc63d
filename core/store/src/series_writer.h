// Points into the tables series, tail, chunk and bucket, inside the caller's transaction.
#pragma once

#include "database.h"

#include <base/result.h>
#include <store/reader.h>
#include <telemetry/sample.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::store {

class SeriesWriter {
public:
    static Result<std::unique_ptr<SeriesWriter>> open(const Database& database);

    Result<void> write(const telemetry::SeriesKey& key, std::span<const telemetry::Point> points);
    // Steps of the run's loss that are about to be written: it has a point at every step, so where it falls below what an earlier writer
    // left, a resumed run goes on. From then on every series of that writer is replaced from there, also one that is measured seldom.
    void noticeSteps(std::span<const telemetry::Point> loss);
    static inline const telemetry::SeriesKey kEveryStep{"loss", telemetry::kNoRank};
    // The rows of this transaction become what the next one starts from, or are forgotten.
    void committed();
    void rolledBack();

private:
    // The newest piece of a series.
    struct Row {
        std::int64_t id = 0;
        std::int64_t piece = 0;
        std::uint64_t fromStep = 0;
        std::uint64_t count = 0;   // points
        std::uint64_t sealed = 0;  // of them in chunks
        telemetry::Point last;
        bool earlier = false;  // of an earlier writer
    };

    explicit SeriesWriter(const Database& database) : m_database(database) {}
    Result<void> prepare();
    Result<void> load();
    Result<Row*> rowOf(const telemetry::SeriesKey& key, std::uint64_t firstStep);
    Result<void> startPiece(const telemetry::SeriesKey& key, Row& row, std::uint64_t fromStep);
    Result<void> addRun(Row& row, std::span<const telemetry::Point> points);
    Result<void> sealTail(Row& row, std::span<const telemetry::Point> points);
    Result<std::vector<telemetry::Point>> readTail(const Row& row);
    Result<void> insertTail(const Row& row, std::uint64_t first, std::span<const telemetry::Point> points);
    Result<void> insertChunk(Row& row, std::span<const telemetry::Point> points);
    Result<void> insertBuckets(const Row& row, int level, std::uint64_t first, std::span<const Bucket> buckets);
    Result<void> closeUpperLevels(const Row& row);

    const Database& m_database;
    std::map<telemetry::SeriesKey, Row> m_rows;
    std::map<telemetry::SeriesKey, Row> m_changed;
    std::optional<std::uint64_t> m_resumedAt;  // the first step that this writer's run measured again
    Statement m_insertSeries, m_updateSeries, m_insertTail, m_selectTail, m_deleteTail, m_insertChunk, m_insertBucket, m_selectBuckets;
};

// A bucket from a row (first_step, last_step, first_time, last_time, min, max, last) starting at `column`.
Bucket bucketFrom(const Statement& row, int column, std::uint64_t count);

}  // namespace lockstep::store
