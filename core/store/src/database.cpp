#include "database.h"

#include "schema.h"

#include <sqlite3.h>

#include <cerrno>
#include <cmath>
#include <limits>
#include <utility>

namespace lockstep::store {
namespace {

constexpr int kMostValueBytes = 256 << 20;

// The path as it is when it can't be made absolute (empty, or this process stands in a folder that is gone): SQLite says what is wrong.
std::string wholePath(const std::filesystem::path& file) {
    std::error_code status;
    const auto whole = std::filesystem::absolute(file, status);
    return (status ? file : whole).string();
}

// A path as the URI that SQLite's immutable parameter needs.
std::string uriOf(const std::filesystem::path& file) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string uri = "file:";
    for (const char c : wholePath(file)) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '/' || byte == '.')
            uri += c;
        else
            (uri += '%', uri += kDigits[byte >> 4], uri += kDigits[byte & 15]);
    }
    return uri + "?immutable=1";
}

int flagsOf(OpenMode mode) {
    const int access = mode == OpenMode::ReadWrite ? SQLITE_OPEN_READWRITE
                       : mode == OpenMode::Create  ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                                   : SQLITE_OPEN_READONLY;
    return access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | (mode == OpenMode::ReadOnlyImmutable ? SQLITE_OPEN_URI : 0);
}

int rememberWalPages(void* place, sqlite3*, const char*, int pages) {
    *static_cast<int*>(place) = pages;
    return SQLITE_OK;
}

}  // namespace

Statement::Statement(sqlite3_stmt* statement, const Database* database) : m_statement(statement), m_database(database) {}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement& Statement::bind(int index, std::int64_t value) {
    sqlite3_bind_int64(m_statement.get(), index, value);
    return *this;
}

Statement& Statement::bind(int index, double value) {
    sqlite3_bind_double(m_statement.get(), index, value);
    return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
    // A null pointer would be NULL, not the empty text.
    sqlite3_bind_text64(m_statement.get(), index, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
    return *this;
}

Statement& Statement::bindBlob(int index, std::string_view bytes) {
    sqlite3_bind_blob64(m_statement.get(), index, bytes.data(), bytes.size(), SQLITE_STATIC);
    return *this;
}

Result<bool> Statement::step() {
    const int code = sqlite3_step(m_statement.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return m_database->lastError(code);
}

Result<void> Statement::run() {
    for (;;) {
        const auto row = step();
        if (row.ok() && *row) continue;
        reset();
        if (!row.ok()) return row.error();
        return {};
    }
}

void Statement::reset() {
    sqlite3_reset(m_statement.get());
    sqlite3_clear_bindings(m_statement.get());
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(m_statement.get(), column); }

double Statement::real(int column) const {
    if (sqlite3_column_type(m_statement.get(), column) == SQLITE_NULL) return std::numeric_limits<double>::quiet_NaN();
    return sqlite3_column_double(m_statement.get(), column);
}

std::string Statement::text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(m_statement.get(), column));
    if (text == nullptr) return {};
    return {text, static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column))};
}

std::span<const std::byte> Statement::blob(int column) const {
    const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(m_statement.get(), column));
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column))};
}

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& file, OpenMode mode) {
    auto database = std::unique_ptr<Database>(new Database(file, mode));
    LS_TRY(database->connect());
    return database;
}

Result<void> Database::connect() {
    const auto name = m_mode == OpenMode::ReadOnlyImmutable ? uriOf(m_file) : wholePath(m_file);
    const int code = sqlite3_open_v2(name.c_str(), &m_connection, flagsOf(m_mode), "unix");
    if (m_connection == nullptr) return makeError("M901", {{"what", "the run store"}, {"size", "a connection"}, {"reason", "no memory"}});
    if (code != SQLITE_OK) return lastError(code);
    sqlite3_extended_result_codes(m_connection, 1);
    sqlite3_busy_timeout(m_connection, kBusyMilliseconds);
    sqlite3_limit(m_connection, SQLITE_LIMIT_LENGTH, kMostValueBytes);
    // A run.db may come from a stranger: nothing in its schema may run functions, and damage must be seen, not followed.
    sqlite3_db_config(m_connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(m_connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_wal_autocheckpoint(m_connection, 0);
    if (canWrite())
        sqlite3_wal_hook(m_connection, rememberWalPages, &m_walPages);
    else
        sqlite3_db_config(m_connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    LS_TRY(execute("PRAGMA cell_size_check=ON"));
    return execute("PRAGMA temp_store=MEMORY");
}

Database::~Database() { sqlite3_close_v2(m_connection); }

Result<void> Database::execute(const char* sql) {
    const int code = sqlite3_exec(m_connection, sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return lastError(code);
    return {};
}

Result<Statement> Database::prepare(std::string_view sql) const {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(m_connection, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
    if (code != SQLITE_OK) return lastError(code);
    return Statement(statement, this);
}

Result<std::int64_t> Database::number(std::string_view sql) const {
    LS_TRY_ASSIGN(auto statement, prepare(sql));
    LS_TRY_ASSIGN(const bool row, statement.step());
    return row ? statement.integer(0) : 0;
}

Error Database::lastError(int code) const {
    const int reason = sqlite3_system_errno(m_connection);
    const auto file = m_file.string();
    const auto failed = [&](std::string why) {
        return makeError(canWrite() ? "F604" : "F603", {{"file", file}, {"reason", std::move(why)}});
    };
    switch (code & 0xFF) {
        case SQLITE_FULL: return makeError("F605", {{"file", file}});
        case SQLITE_CORRUPT: return damagedStore(m_file, "it is damaged (" + std::string(sqlite3_errmsg(m_connection)) + ")");
        case SQLITE_NOTADB: return foreignStore(m_file, "it is not a SQLite database");
        case SQLITE_CANTOPEN:
            return makeError("F602", {{"file", file}, {"reason", reason != 0 ? systemText(reason) : sqlite3_errstr(code)}});
        // Said to a reader that can't make the files beside the database.
        case SQLITE_READONLY:
            if (!canWrite()) return makeError("F602", {{"file", file}, {"reason", "its folder is read-only"}});
            return failed("it is read-only");
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return failed("another program kept it locked for " + std::to_string(kBusyMilliseconds / 1000) + " s");
        case SQLITE_IOERR:
            if (canWrite() && (reason == ENOSPC || reason == EDQUOT)) return makeError("F605", {{"file", file}});
            return failed(reason != 0 ? systemText(reason) : sqlite3_errstr(code));
        // A table or column that should be there is missing.
        case SQLITE_ERROR:
            return damagedStore(m_file, "its tables are not as they should be (" + std::string(sqlite3_errmsg(m_connection)) + ")");
        default: return failed(sqlite3_errmsg(m_connection));
    }
}

Result<bool> Database::checkpoint() {
    int inWal = 0;
    int moved = 0;
    const int code = sqlite3_wal_checkpoint_v2(m_connection, nullptr, SQLITE_CHECKPOINT_PASSIVE, &inWal, &moved);
    if (code == SQLITE_BUSY) return false;
    if (code != SQLITE_OK) return lastError(code);
    return inWal == moved;
}

Result<Transaction> Transaction::begin(Database& database, Kind kind) {
    LS_TRY(database.execute(kind == Kind::Write ? "BEGIN IMMEDIATE" : "BEGIN"));
    return Transaction(&database);
}

Transaction::~Transaction() {
    if (m_database == nullptr) return;
    // SQLite has already rolled back after some errors; then this one has nothing to do.
    [[maybe_unused]] const auto ignored = m_database->execute("ROLLBACK");
}

Result<void> Transaction::commit() {
    LS_TRY(m_database->execute("COMMIT"));
    m_database = nullptr;
    return {};
}

}  // namespace lockstep::store
