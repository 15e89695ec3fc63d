#include "schema.h"

#include <base/file.h>
#include <base/ids.h>

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>

namespace lockstep::store {
namespace {

constexpr const char* kTables = R"(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE state(id INTEGER PRIMARY KEY, time REAL NOT NULL, state INTEGER NOT NULL, name TEXT NOT NULL, cause TEXT NOT NULL,
                   actor TEXT NOT NULL);
CREATE TABLE rank(rank INTEGER PRIMARY KEY, host TEXT NOT NULL, device TEXT NOT NULL, pid INTEGER NOT NULL, state TEXT NOT NULL,
                  step INTEGER NOT NULL);
CREATE TABLE event(id INTEGER PRIMARY KEY, time REAL NOT NULL, kind TEXT NOT NULL, rank INTEGER NOT NULL, step INTEGER NOT NULL,
                   text TEXT NOT NULL, detail TEXT NOT NULL);
CREATE TABLE series(id INTEGER PRIMARY KEY, name TEXT NOT NULL, rank INTEGER NOT NULL, piece INTEGER NOT NULL,
                    from_step INTEGER NOT NULL, count INTEGER NOT NULL, sealed INTEGER NOT NULL, last_step INTEGER NOT NULL,
                    last_time REAL, last_value REAL, UNIQUE(name, rank, piece));
CREATE TABLE tail(series INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL, first_step INTEGER NOT NULL,
                  last_step INTEGER NOT NULL, points BLOB NOT NULL, PRIMARY KEY(series, first)) WITHOUT ROWID;
CREATE TABLE chunk(series INTEGER NOT NULL, first INTEGER NOT NULL, first_step INTEGER NOT NULL, last_step INTEGER NOT NULL,
                   points BLOB NOT NULL);
CREATE UNIQUE INDEX chunk_place ON chunk(series, first, first_step, last_step);
CREATE TABLE bucket(series INTEGER NOT NULL, level INTEGER NOT NULL, first INTEGER NOT NULL, first_step INTEGER NOT NULL,
                    last_step INTEGER NOT NULL, first_time REAL, last_time REAL, min REAL, max REAL, last REAL,
                    PRIMARY KEY(series, level, first)) WITHOUT ROWID;
CREATE TABLE spool(source TEXT PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID;
)";
constexpr int kTableCount = 9;

Result<void> fillStore(const std::filesystem::path& file) {
    LS_TRY_ASSIGN(const auto database, Database::open(file, OpenMode::Create));
    LS_TRY(database->execute("PRAGMA journal_mode=WAL"));
    LS_TRY(database->execute("PRAGMA synchronous=FULL"));
    LS_TRY_ASSIGN(auto transaction, Transaction::begin(*database, Transaction::Kind::Write));
    LS_TRY(database->execute(kTables));
    LS_TRY(database->execute(("PRAGMA user_version=" + std::to_string(kSchemaVersion)).c_str()));
    LS_TRY(database->execute(("PRAGMA application_id=" + std::to_string(kApplicationId)).c_str()));
    LS_TRY(transaction.commit());
    LS_TRY_ASSIGN(const bool all, database->checkpoint());
    if (!all) return makeError("F604", {{"file", file.string()}, {"reason", "another program reads it while it is made"}});
    return {};
}

}  // namespace

namespace {

// What a person can do about the store of a run; for a file that lies elsewhere nobody knows whose it is.
std::string rescue(const std::filesystem::path& file, const std::string& first) {
    const auto run = file.parent_path().filename().string();
    if (!isRunId(run)) return first + "Put a copy of the file in its place.";
    return first + "Put a copy of the file in its place, or remove the run with: lockstep rm " + run + ". Its checkpoints are in " +
           (file.parent_path() / "checkpoints").string() + ".";
}

}  // namespace

Error foreignStore(const std::filesystem::path& file, std::string what) {
    return makeError("F609", {{"file", file.string()},
                              {"what", std::move(what)},
                              {"cause", "Another program wrote it, or it was cut off."},
                              {"next", rescue(file, "")}});
}

Error damagedStore(const std::filesystem::path& file, std::string what) {
    return makeError("F609", {{"file", file.string()},
                              {"what", std::move(what)},
                              {"cause", "The disk or another program changed it."},
                              {"next", rescue(file, "Save what is still readable with: sqlite3 " + file.string() + " .recover. ")}});
}

Error newerStore(const std::filesystem::path& file, std::int64_t version) {
    return makeError("F609", {{"file", file.string()},
                              {"what", "its format is version " + std::to_string(version) + ", this program knows up to version " +
                                           std::to_string(kSchemaVersion)},
                              {"cause", "A newer Lockstep made it."},
                              {"next", "Install that version or a later one."}});
}

Result<void> createStore(const std::filesystem::path& file) {
    const auto unfinished = file.string() + ".new";
    // What a killed predecessor left; the caller holds the writer's lock.
    for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((unfinished + suffix).c_str());
    const auto filled = fillStore(unfinished);
    if (filled.ok() && ::rename(unfinished.c_str(), file.c_str()) == 0) return syncFolder(file.parent_path());
    const int reason = errno;
    for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((unfinished + suffix).c_str());
    if (!filled.ok()) return filled.error();
    return makeError("F604", {{"file", file.string()}, {"reason", systemText(reason)}});
}

Result<void> checkStore(const Database& database) {
    LS_TRY_ASSIGN(const auto application, database.number("PRAGMA application_id"));
    if (application != kApplicationId) return foreignStore(database.file(), "it is not a run store");
    LS_TRY_ASSIGN(const auto version, database.number("PRAGMA user_version"));
    if (version > kSchemaVersion) return newerStore(database.file(), version);
    LS_TRY_ASSIGN(const auto tables, database.number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('meta', "
                                                     "'state', 'rank', 'event', 'series', 'tail', 'chunk', 'bucket', 'spool')"));
    LS_TRY_ASSIGN(const auto programs, database.number("SELECT count(*) FROM sqlite_schema WHERE type IN ('view', 'trigger')"));
    if (version < 1 || tables != kTableCount) return damagedStore(database.file(), "a table is missing");
    if (programs != 0) return damagedStore(database.file(), "it holds views or triggers");
    return {};
}

}  // namespace lockstep::store
