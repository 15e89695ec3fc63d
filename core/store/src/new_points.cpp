#include "new_points.h"

#include "series_reader.h"

#include <algorithm>
#include <limits>

namespace lockstep::store {

using telemetry::Point;
using telemetry::SeriesKey;

namespace {

constexpr auto kMostStep = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - 1;
constexpr std::size_t kLeastSteps = 4096;  // a smaller window would cost more statements than points

// The pieces of a series in the order they were begun, and where the last measured step stands.
struct Head {
    SeriesKey key;
    std::vector<Piece> pieces;
    std::uint64_t lastStep = 0;
};

Result<std::vector<Head>> readHeads(const Database& database) {
    LS_TRY_ASSIGN(auto rows, database.prepare("SELECT name, rank, id, from_step, count, last_step FROM series WHERE count > 0 "
                                              "ORDER BY name, rank, piece"));
    std::vector<Head> heads;
    for (;;) {
        LS_TRY_ASSIGN(const bool more, rows.step());
        if (!more) return heads;
        const SeriesKey key{rows.text(0), static_cast<int>(rows.integer(1))};
        if (heads.empty() || heads.back().key != key) heads.push_back({key, {}, 0});
        heads.back().pieces.push_back({rows.integer(2), rows.unsignedInteger(3), rows.unsignedInteger(4)});
        heads.back().lastStep = rows.unsignedInteger(5);
    }
}

// A later piece hides what earlier ones hold from its first step on.
Result<std::vector<Point>> readLive(PointReader& reader, const std::vector<Piece>& pieces, std::uint64_t from, std::uint64_t to) {
    std::vector<Point> points;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        auto end = to + 1;
        for (std::size_t later = i + 1; later < pieces.size(); ++later) end = std::min(end, pieces[later].fromStep);
        if (end <= from || pieces[i].fromStep > to) continue;
        LS_TRY_ASSIGN(const auto part, reader.read(pieces[i], {0, pieces[i].count, from, end - 1}));
        uniteSteps(points, part);
    }
    return points;
}

Result<SeriesNews> readSeries(PointReader& reader, const Head& head, ReadMark& mark, std::size_t most) {
    auto from = mark.nextStep;
    for (auto i = mark.pieces; i < head.pieces.size() && mark.pieces > 0; ++i) from = std::min(from, head.pieces[i].fromStep);
    SeriesNews added{head.key, from, {}};
    // Steps may be far apart: the window moves on until it holds something.
    for (auto begin = from; added.points.empty() && begin <= head.lastStep;) {
        const auto last = std::min(begin + most - 1, kMostStep);
        LS_TRY_ASSIGN(added.points, readLive(reader, head.pieces, begin, last));
        begin = last + 1;
    }
    if (!added.points.empty()) mark = {added.points.back().step + 1, head.pieces.size()};
    return added;
}

}  // namespace

Result<NewPoints> readNewPoints(Database& database, ReadMarks& marks, std::span<const SeriesKey> only, std::size_t most) {
    LS_TRY_ASSIGN(auto transaction, Transaction::begin(database, Transaction::Kind::Read));
    LS_TRY_ASSIGN(const auto heads, readHeads(database));
    LS_TRY_ASSIGN(auto reader, PointReader::make(database));
    NewPoints news;
    std::size_t count = 0;
    for (const auto& head : heads) {
        if (!only.empty() && std::ranges::find(only, head.key) == only.end()) continue;
        auto& mark = marks[head.key];
        if (head.lastStep < mark.nextStep && head.pieces.size() == mark.pieces) continue;
        if (count >= most) {
            news.more = true;
            break;
        }
        LS_TRY_ASSIGN(auto added, readSeries(reader, head, mark, std::max(most - count, kLeastSteps)));
        if (added.points.empty()) continue;
        count += added.points.size();
        news.more = news.more || mark.nextStep <= head.lastStep;
        news.series.push_back(std::move(added));
    }
    LS_TRY(transaction.commit());
    return news;
}

}  // namespace lockstep::store
