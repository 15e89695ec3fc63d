#include <store/reader.h>

#include "bucket_math.h"
#include "database.h"
#include "new_points.h"
#include "schema.h"
#include "series_reader.h"
#include "writer_lock.h"

#include <base/file.h>

#include <sys/stat.h>
#include <algorithm>
#include <cassert>
#include <cerrno>
#include <system_error>
#include <utility>

namespace lockstep::store {

using telemetry::Point;
using telemetry::SeriesKey;

namespace {

constexpr auto kMostStep = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

// A piece and the part of it that later pieces leave.
struct LivePiece {
    Piece piece;
    Window window;
};

class SqliteReader : public Reader {
public:
    explicit SqliteReader(std::unique_ptr<Database> database) : m_database(std::move(database)) {}

    Result<std::string> meta(std::string_view key) const override;
    Result<std::vector<StateChange>> states() const override;
    Result<std::vector<RankRow>> ranks() const override;
    Result<std::vector<Event>> events(std::int64_t afterId) const override;
    Result<std::vector<SeriesKey>> series() const override;
    Result<std::vector<Point>> points(const SeriesKey& key, std::uint64_t fromStep, std::uint64_t toStep) const override;
    Result<NewPoints> newPoints(ReadMarks& marks, std::span<const SeriesKey> only, std::size_t most) const override {
        return readNewPoints(*m_database, marks, only, most);
    }
    Result<std::vector<Bucket>> buckets(const SeriesKey& key, std::uint64_t fromStep, std::uint64_t toStep,
                                        std::size_t most) const override;
    Result<Point> lastPoint(const SeriesKey& key) const override;
    Result<std::uint64_t> changeCounter() const override;

private:
    Result<std::vector<LivePiece>> livePieces(const SeriesKey& key, std::uint64_t fromStep, std::uint64_t toStep) const;
    Result<int> chooseLevel(const std::vector<LivePiece>& pieces, std::size_t most) const;

    std::unique_ptr<Database> m_database;
    mutable std::uint64_t m_changes = 0;
    mutable std::int64_t m_seenVersion = -1;
};

// One row after the other into values.
template <class Value, class MakeValue>
Result<std::vector<Value>> all(Statement& rows, MakeValue make) {
    std::vector<Value> values;
    for (;;) {
        LS_TRY_ASSIGN(const bool more, rows.step());
        if (!more) return values;
        values.push_back(make(rows));
    }
}

Result<std::string> SqliteReader::meta(std::string_view key) const {
    LS_TRY_ASSIGN(auto row, m_database->prepare("SELECT value FROM meta WHERE key = ?"));
    LS_TRY_ASSIGN(const bool found, row.bind(1, key).step());
    return found ? row.text(0) : std::string();
}

Result<std::vector<StateChange>> SqliteReader::states() const {
    LS_TRY_ASSIGN(auto rows, m_database->prepare("SELECT time, state, cause, actor FROM state ORDER BY id"));
    LS_TRY_ASSIGN(auto changes, all<StateChange>(rows, [](const Statement& row) {
                      return StateChange{row.real(0), static_cast<RunState>(row.integer(1)), row.text(2), row.text(3)};
                  }));
    for (const auto& change : changes)
        if (nameOf(change.state).empty()) return damagedStore(m_database->file(), "a state has an unknown number");
    return changes;
}

Result<std::vector<RankRow>> SqliteReader::ranks() const {
    LS_TRY_ASSIGN(auto rows, m_database->prepare("SELECT rank, host, device, pid, state, step FROM rank ORDER BY rank"));
    return all<RankRow>(rows, [](const Statement& row) {
        return RankRow{static_cast<int>(row.integer(0)), row.text(1), row.text(2), row.integer(3), row.text(4), row.unsignedInteger(5)};
    });
}

Result<std::vector<Event>> SqliteReader::events(std::int64_t afterId) const {
    LS_TRY_ASSIGN(auto rows, m_database->prepare("SELECT time, kind, rank, step, text, detail, id FROM event WHERE id > ? ORDER BY id"));
    return all<Event>(rows.bind(1, afterId), [](const Statement& row) {
        return Event{row.real(0), row.text(1),   static_cast<int>(row.integer(2)), row.unsignedInteger(3), row.text(4),
                     row.text(5), row.integer(6)};
    });
}

Result<std::vector<SeriesKey>> SqliteReader::series() const {
    LS_TRY_ASSIGN(auto rows, m_database->prepare("SELECT DISTINCT name, rank FROM series ORDER BY name, rank"));
    return all<SeriesKey>(rows, [](const Statement& row) { return SeriesKey{row.text(0), static_cast<int>(row.integer(1))}; });
}

Result<std::vector<LivePiece>> SqliteReader::livePieces(const SeriesKey& key, std::uint64_t fromStep, std::uint64_t toStep) const {
    LS_TRY_ASSIGN(auto rows,
                  m_database->prepare("SELECT id, from_step, count FROM series WHERE name = ? AND rank = ? ORDER BY piece DESC"));
    LS_TRY_ASSIGN(const auto pieces, all<Piece>(rows.bind(1, std::string_view(key.name)).bind(2, key.rank), [](const Statement& row) {
                      return Piece{row.integer(0), row.unsignedInteger(1), row.unsignedInteger(2)};
                  }));
    std::vector<LivePiece> live;
    auto cut = std::min(toStep, kMostStep) + 1;  // later pieces begin here
    for (const auto& piece : pieces) {
        if (cut > fromStep) live.push_back({piece, {0, piece.count, fromStep, cut - 1}});
        cut = std::min(cut, piece.fromStep);
    }
    std::ranges::reverse(live);
    return live;
}

Result<std::vector<Point>> SqliteReader::points(const SeriesKey& key, std::uint64_t fromStep, std::uint64_t toStep) const {
    LS_TRY_ASSIGN(auto transaction, Transaction::begin(*m_database, Transaction::Kind::Read));
    LS_TRY_ASSIGN(const auto pieces, livePieces(key, fromStep, toStep));
    std::vector<Point> points;
    for (const auto& [piece, window] : pieces) {
        LS_TRY_ASSIGN(const auto part, readPoints(*m_database, piece, window));
        uniteSteps(points, part);
    }
    LS_TRY(transaction.commit());
    return points;
}

Result<int> SqliteReader::chooseLevel(const std::vector<LivePiece>& pieces, std::size_t most) const {
    std::uint64_t count = 0;
    for (const auto& [piece, window] : pieces) {
        LS_TRY_ASSIGN(const auto part, estimateCount(*m_database, piece, window));
        count += part;
    }
    int level = 0;
    while (level < kMostLevel && count / pointsOfLevel(level + 1) >= most) ++level;
    return level;
}

Result<std::vector<Bucket>> SqliteReader::buckets(const SeriesKey& key, std::uint64_t fromStep, std::uint64_t toStep,
                                                  std::size_t most) const {
    assert(most > 0);
    LS_TRY_ASSIGN(auto transaction, Transaction::begin(*m_database, Transaction::Kind::Read));
    LS_TRY_ASSIGN(const auto pieces, livePieces(key, fromStep, toStep));
    LS_TRY_ASSIGN(const int level, chooseLevel(pieces, most));
    std::vector<Bucket> buckets;
    for (const auto& [piece, window] : pieces) {
        LS_TRY_ASSIGN(const auto part, readBuckets(*m_database, piece, level, window));
        buckets.insert(buckets.end(), part.begin(), part.end());
    }
    LS_TRY(transaction.commit());
    return thinned(std::move(buckets), most);
}

Result<Point> SqliteReader::lastPoint(const SeriesKey& key) const {
    LS_TRY_ASSIGN(auto row, m_database->prepare("SELECT last_step, last_time, last_value FROM series WHERE name = ? AND rank = ? "
                                                "AND count > 0 ORDER BY piece DESC LIMIT 1"));
    LS_TRY_ASSIGN(const bool found, row.bind(1, std::string_view(key.name)).bind(2, key.rank).step());
    if (!found) return makeError("F611", {{"series", key.name}, {"file", m_database->file().string()}});
    return Point{row.unsignedInteger(0), row.real(1), row.real(2)};
}

Result<std::uint64_t> SqliteReader::changeCounter() const {
    LS_TRY_ASSIGN(const auto version, m_database->number("PRAGMA data_version"));
    if (version != m_seenVersion) ++m_changes;
    m_seenVersion = version;
    return m_changes;
}

Result<void> checkFile(const std::filesystem::path& file) {
    struct stat facts {};
    const auto refused = [&](int reason) { return makeError("F602", {{"file", file.string()}, {"reason", systemText(reason)}}); };
    if (::stat(file.c_str(), &facts) != 0) return refused(errno);
    if (S_ISDIR(facts.st_mode)) return refused(EISDIR);
    // SQLite takes an empty file for an empty database.
    if (!S_ISREG(facts.st_mode) || facts.st_size == 0) return foreignStore(file, "it is not a SQLite database");
    return {};
}

// Reading a WAL database needs its -shm file. Where that can't be made (read-only disk) and no WAL holds anything and nobody writes,
// the main file alone is whole and can be read as it stands.
Result<std::unique_ptr<Database>> openAsItStands(const std::filesystem::path& file) {
    std::error_code status;
    const auto walBytes = std::filesystem::file_size(file.string() + "-wal", status);
    if ((!status && walBytes > 0) || hasWriter(file))
        return makeError("F602",
                         {{"file", file.string()},
                          {"reason", "its -wal file can only be read in a folder where you can write; copy run.db and run.db-wal to one"}});
    LS_TRY_ASSIGN(auto database, Database::open(file, OpenMode::ReadOnlyImmutable));
    LS_TRY(checkStore(*database));
    return database;
}

}  // namespace

Result<std::unique_ptr<Reader>> Reader::open(const std::filesystem::path& file) {
    LS_TRY(checkFile(file));
    LS_TRY_ASSIGN(auto database, Database::open(file, OpenMode::ReadOnly));
    if (const auto checked = checkStore(*database); !checked.ok()) {
        if (checked.error().code != "F602") return checked.error();
        LS_TRY_ASSIGN(database, openAsItStands(file));
    }
    return std::unique_ptr<Reader>(std::make_unique<SqliteReader>(std::move(database)));
}

}  // namespace lockstep::store
