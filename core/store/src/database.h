// A thin owner of one SQLite connection and its statements: errors become Results here and nowhere else.
#pragma once

#include <base/result.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace lockstep::store {

// Waits at most this long for a lock of another connection.
inline constexpr int kBusyMilliseconds = 5000;

enum class OpenMode { ReadOnly, ReadOnlyImmutable, ReadWrite, Create };

// A prepared statement; rows are valid until the next step or reset.
class Statement {
public:
    Statement() = default;
    Statement(sqlite3_stmt* statement, const class Database* database);

    // Parameters are numbered from 1. Texts and blobs must live until run()/step() is done.
    Statement& bind(int index, std::int64_t value);
    Statement& bind(int index, std::uint64_t value) { return bind(index, static_cast<std::int64_t>(value)); }
    Statement& bind(int index, int value) { return bind(index, std::int64_t{value}); }
    Statement& bind(int index, double value);  // NaN is kept as NULL
    Statement& bind(int index, std::string_view text);
    Statement& bindBlob(int index, std::string_view bytes);

    Result<bool> step();  // true: there is a row
    Result<void> run();   // to the end, then ready for the next parameters
    void reset();

    std::int64_t integer(int column) const;
    std::uint64_t unsignedInteger(int column) const { return static_cast<std::uint64_t>(integer(column)); }
    double real(int column) const;  // NULL is NaN
    std::string text(int column) const;
    std::span<const std::byte> blob(int column) const;

private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
    const Database* m_database = nullptr;
};

class Database {
public:
    // Errors: F602, F603 or F604, F609.
    static Result<std::unique_ptr<Database>> open(const std::filesystem::path& file, OpenMode mode);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    Result<void> execute(const char* sql);
    Result<Statement> prepare(std::string_view sql) const;
    Result<std::int64_t> number(std::string_view sql) const;  // first column of the first row
    // The error of the last call on this connection.
    Error lastError(int code) const;
    // Moves what it can from the WAL into the file without waiting for anybody; true when all of it.
    Result<bool> checkpoint();
    // Pages in the WAL after the last commit of this connection.
    int walPages() const { return m_walPages; }
    const std::filesystem::path& file() const { return m_file; }
    bool canWrite() const { return m_mode == OpenMode::ReadWrite || m_mode == OpenMode::Create; }

private:
    Database(std::filesystem::path file, OpenMode mode) : m_file(std::move(file)), m_mode(mode) {}
    Result<void> connect();

    std::filesystem::path m_file;
    OpenMode m_mode;
    sqlite3* m_connection = nullptr;
    int m_walPages = 0;
};

// A transaction that is rolled back unless committed.
class Transaction {
public:
    enum class Kind { Read, Write };
    static Result<Transaction> begin(Database& database, Kind kind);
    ~Transaction();
    Transaction(Transaction&& other) noexcept : m_database(other.m_database) { other.m_database = nullptr; }
    Transaction& operator=(Transaction&&) = delete;

    Result<void> commit();

private:
    explicit Transaction(Database* database) : m_database(database) {}
    Database* m_database;
};

}  // namespace lockstep::store
