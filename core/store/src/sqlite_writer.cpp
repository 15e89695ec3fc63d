#include <store/writer.h>

#include "database.h"
#include "schema.h"
#include "series_writer.h"
#include "writer_lock.h"

#include <base/clock.h>

#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

namespace lockstep::store {
namespace {

constexpr auto kCommitEvery = std::chrono::milliseconds(100);
constexpr std::size_t kMostPendingPoints = 1u << 21;
constexpr std::size_t kMostPendingEvents = 10000;
// A commit of this many points at once keeps a burst's memory small.
constexpr std::size_t kCommitPoints = 1u << 16;
constexpr std::size_t kMostNameBytes = 200;
constexpr int kCheckpointPages = 1000;  // 4 MB of WAL
constexpr int kRetryPages = 500;

using Deed = std::function<Result<void>()>;

class SqliteWriter : public Writer {
public:
    SqliteWriter(WriterLock lock, std::unique_ptr<Database> database) : m_lock(std::move(lock)), m_database(std::move(database)) {}
    ~SqliteWriter() override {
        // An error here was already told by an earlier call, or is about less than 100 ms of points that the spool still holds.
        [[maybe_unused]] const auto ignored = flush();
    }

    Result<void> prepare();
    Result<void> setMeta(std::string_view key, std::string_view value) override;
    Result<void> setState(RunState state, std::string_view cause, std::string_view actor) override;
    Result<void> setRank(const RankRow& row) override;
    Result<void> addEvent(const Event& event) override;
    Result<void> append(std::span<const telemetry::Batch> batches, std::string_view source, std::uint64_t position) override;
    Result<std::uint64_t> spoolPosition(std::string_view source) override;
    Result<void> flush() override;

private:
    struct Pending {
        std::map<telemetry::SeriesKey, std::vector<telemetry::Point>> points;
        std::size_t pointCount = 0;
        std::map<std::string, std::uint64_t, std::less<>> positions;
        std::map<int, RankRow> ranks;
        std::vector<Event> events;
        bool empty() const { return points.empty() && positions.empty() && ranks.empty() && events.empty(); }
    };

    Result<void> loadPositions();
    Result<void> loadRanks();
    Error refused(std::string why) const;
    Result<void> accept(std::span<const telemetry::Batch> batches) const;
    Result<void> commit(const Deed& deed = {});
    Result<void> commitDurably(const Deed& deed);
    Result<void> writePending();
    Result<void> writePeople();
    Result<void> keepWalSmall();

    std::mutex m_mutex;
    WriterLock m_lock;  // released after the connection is closed
    std::unique_ptr<Database> m_database;
    std::unique_ptr<SeriesWriter> m_series;
    Statement m_setMeta, m_setState, m_setRank, m_addEvent, m_setPosition;
    Pending m_pending;
    std::map<std::string, std::uint64_t, std::less<>> m_positions;
    std::map<int, RankRow> m_ranks;
    std::chrono::steady_clock::time_point m_lastCommit{};
    int m_checkpointAt = kCheckpointPages;
};

Result<void> SqliteWriter::prepare() {
    LS_TRY(m_database->execute("PRAGMA synchronous=NORMAL"));
    LS_TRY(m_database->execute("PRAGMA journal_size_limit=16777216"));
    LS_TRY_ASSIGN(m_series, SeriesWriter::open(*m_database));
    LS_TRY_ASSIGN(m_setMeta, m_database->prepare("INSERT INTO meta(key, value) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET "
                                                 "value = excluded.value"));
    LS_TRY_ASSIGN(m_setState, m_database->prepare("INSERT INTO state(time, state, name, cause, actor) VALUES(?, ?, ?, ?, ?)"));
    LS_TRY_ASSIGN(m_setRank, m_database->prepare("INSERT OR REPLACE INTO rank(rank, host, device, pid, state, step) "
                                                 "VALUES(?, ?, ?, ?, ?, ?)"));
    LS_TRY_ASSIGN(m_addEvent, m_database->prepare("INSERT INTO event(time, kind, rank, step, text, detail) VALUES(?, ?, ?, ?, ?, ?)"));
    LS_TRY_ASSIGN(m_setPosition, m_database->prepare("INSERT OR REPLACE INTO spool(source, position) VALUES(?, ?)"));
    LS_TRY(loadPositions());
    return loadRanks();
}

Result<void> SqliteWriter::loadPositions() {
    LS_TRY_ASSIGN(auto rows, m_database->prepare("SELECT source, position FROM spool"));
    for (;;) {
        LS_TRY_ASSIGN(const bool more, rows.step());
        if (!more) return {};
        m_positions[rows.text(0)] = rows.unsignedInteger(1);
    }
}

Result<void> SqliteWriter::loadRanks() {
    LS_TRY_ASSIGN(auto rows, m_database->prepare("SELECT rank, host, device, pid, state, step FROM rank"));
    for (;;) {
        LS_TRY_ASSIGN(const bool more, rows.step());
        if (!more) return {};
        const int rank = static_cast<int>(rows.integer(0));
        m_ranks[rank] = {rank, rows.text(1), rows.text(2), rows.integer(3), rows.text(4), rows.unsignedInteger(5)};
    }
}

Result<void> SqliteWriter::setMeta(std::string_view key, std::string_view value) {
    const std::lock_guard guard(m_mutex);
    return commitDurably([&] { return m_setMeta.bind(1, key).bind(2, value).run(); });
}

Result<void> SqliteWriter::setState(RunState state, std::string_view cause, std::string_view actor) {
    const std::lock_guard guard(m_mutex);
    return commitDurably([&] {
        m_setState.bind(1, unixSeconds()).bind(2, static_cast<int>(state)).bind(3, nameOf(state)).bind(4, cause).bind(5, actor);
        return m_setState.run();
    });
}

Result<void> SqliteWriter::setRank(const RankRow& row) {
    const std::lock_guard guard(m_mutex);
    const auto known = m_ranks.find(row.rank);
    auto sameButStep = row;
    if (known != m_ranks.end()) sameButStep.step = known->second.step;
    // A rank that only went on is as urgent as its points; everything else is news.
    const bool onlyStep = known != m_ranks.end() && sameButStep == known->second;
    m_ranks[row.rank] = row;
    m_pending.ranks[row.rank] = row;
    if (onlyStep && std::chrono::steady_clock::now() - m_lastCommit < kCommitEvery) return {};
    return commit();
}

Result<void> SqliteWriter::addEvent(const Event& event) {
    const std::lock_guard guard(m_mutex);
    if (m_pending.events.size() >= kMostPendingEvents) return refused("too many events wait because earlier ones could not be written");
    m_pending.events.push_back(event);
    return commit();
}

Error SqliteWriter::refused(std::string why) const {
    return makeError("F604", {{"file", m_database->file().string()}, {"reason", std::move(why)}});
}

Result<void> SqliteWriter::accept(std::span<const telemetry::Batch> batches) const {
    if (m_pending.pointCount > kMostPendingPoints) return refused("too many points wait because earlier ones could not be written");
    for (const auto& batch : batches) {
        if (batch.key.name.empty() || batch.key.name.size() > kMostNameBytes) return refused("a series name has no or more than 200 bytes");
        for (const auto& point : batch.points)
            if (point.step > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
                return refused("a step is above 2^63 - 1");
    }
    return {};
}

Result<void> SqliteWriter::append(std::span<const telemetry::Batch> batches, std::string_view source, std::uint64_t position) {
    const std::lock_guard guard(m_mutex);
    if (!source.empty()) {
        const auto known = m_positions.find(source);
        if (known != m_positions.end() && position <= known->second) return {};
    }
    LS_TRY(accept(batches));
    for (const auto& batch : batches) {
        if (batch.points.empty()) continue;
        auto& points = m_pending.points[batch.key];
        points.insert(points.end(), batch.points.begin(), batch.points.end());
        m_pending.pointCount += batch.points.size();
    }
    if (!source.empty()) m_positions[std::string(source)] = m_pending.positions[std::string(source)] = position;
    if (m_pending.pointCount < kCommitPoints && std::chrono::steady_clock::now() - m_lastCommit < kCommitEvery) return {};
    return commit();
}

Result<std::uint64_t> SqliteWriter::spoolPosition(std::string_view source) {
    const std::lock_guard guard(m_mutex);
    const auto known = m_positions.find(source);
    return known == m_positions.end() ? 0 : known->second;
}

Result<void> SqliteWriter::flush() {
    const std::lock_guard guard(m_mutex);
    if (m_pending.empty()) return {};
    return commit();
}

Result<void> SqliteWriter::commitDurably(const Deed& deed) {
    LS_TRY(m_database->execute("PRAGMA synchronous=FULL"));
    const auto done = commit(deed);
    LS_TRY(m_database->execute("PRAGMA synchronous=NORMAL"));
    return done;
}

Result<void> SqliteWriter::commit(const Deed& deed) {
    const auto whole = [&]() -> Result<void> {
        LS_TRY_ASSIGN(auto transaction, Transaction::begin(*m_database, Transaction::Kind::Write));
        LS_TRY(writePending());
        if (deed) LS_TRY(deed());
        return transaction.commit();
    }();
    m_lastCommit = std::chrono::steady_clock::now();
    if (!whole.ok()) {
        m_series->rolledBack();
        return whole;
    }
    m_series->committed();
    m_pending = {};
    return keepWalSmall();
}

Result<void> SqliteWriter::writePending() {
    if (const auto loss = m_pending.points.find(SeriesWriter::kEveryStep); loss != m_pending.points.end())
        m_series->noticeSteps(loss->second);
    for (const auto& [key, points] : m_pending.points) LS_TRY(m_series->write(key, points));
    for (const auto& [source, position] : m_pending.positions)
        LS_TRY(m_setPosition.bind(1, std::string_view(source)).bind(2, position).run());
    return writePeople();
}

Result<void> SqliteWriter::writePeople() {
    for (const auto& [number, row] : m_pending.ranks) {
        m_setRank.bind(1, number).bind(2, std::string_view(row.host)).bind(3, std::string_view(row.device)).bind(4, row.pid);
        LS_TRY(m_setRank.bind(5, std::string_view(row.state)).bind(6, row.step).run());
    }
    for (const auto& event : m_pending.events) {
        m_addEvent.bind(1, event.time).bind(2, std::string_view(event.kind)).bind(3, event.rank).bind(4, event.step);
        LS_TRY(m_addEvent.bind(5, std::string_view(event.text)).bind(6, std::string_view(event.detail)).run());
    }
    return {};
}

// A reader in the middle of a query can keep pages in the WAL: then it is tried again after some more pages, never waited for.
Result<void> SqliteWriter::keepWalSmall() {
    if (m_database->walPages() < m_checkpointAt) return {};
    LS_TRY_ASSIGN(const bool all, m_database->checkpoint());
    m_checkpointAt = all ? kCheckpointPages : m_database->walPages() + kRetryPages;
    return {};
}

Result<std::unique_ptr<Database>> openExisting(const std::filesystem::path& file) {
    std::error_code status;
    const auto walBytes = std::filesystem::file_size(file.string() + "-wal", status);
    const bool wasKilled = !status && walBytes > 0;
    LS_TRY_ASSIGN(auto database, Database::open(file, OpenMode::ReadWrite));
    LS_TRY(checkStore(*database));
    LS_TRY(database->execute("PRAGMA journal_mode=WAL"));
    if (!wasKilled) return database;
    LS_TRY_ASSIGN(auto check, database->prepare("PRAGMA quick_check(1)"));
    LS_TRY_ASSIGN(const bool answered, check.step());
    if (!answered || check.text(0) != "ok") return damagedStore(file, "its check says: " + (answered ? check.text(0) : "nothing"));
    return database;
}

}  // namespace

Result<std::unique_ptr<Writer>> Writer::open(const std::filesystem::path& file) {
    LS_TRY_ASSIGN(auto lock, WriterLock::take(file));
    std::error_code status;
    if (!std::filesystem::exists(file, status)) LS_TRY(createStore(file));
    LS_TRY_ASSIGN(auto database, openExisting(file));
    auto writer = std::make_unique<SqliteWriter>(std::move(lock), std::move(database));
    LS_TRY(writer->prepare());
    return std::unique_ptr<Writer>(std::move(writer));
}

}  // namespace lockstep::store
