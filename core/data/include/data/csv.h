// Tables as text: commas, optional quotes (doubled inside), LF or CR LF, an optional byte order mark; UTF-8. Read piece by piece; memory
// is bounded by the longest line. Any thread.
#pragma once

#include <base/result.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::data {

inline constexpr std::size_t kCsvMostColumns = 65536;
inline constexpr std::size_t kCsvMostLine = std::size_t{16} << 20;  // bytes of a row

struct CsvRow {
    std::int64_t line = 1;     // where the row begins, from 1
    std::uint64_t offset = 0;  // of that line, in bytes
    std::vector<std::string> fields;
};

// Gives every row in order, the first one too; empty lines are skipped. A plain or a gzip file. `sink` may keep nothing of the row.
// Errors: F601 (an empty file), F621 (with line and offset: another number of fields than the first row, a quote that is not closed,
// a NUL, bytes that are no UTF-8, a row beyond the limits), F602, F603; those of `sink`.
Result<void> readCsv(const std::filesystem::path& file, const std::function<Result<void>(const CsvRow&)>& sink);

// The number a field holds (blanks around it are fine), or F621 naming line, column and field. No number: an empty field, "NA".
Result<double> csvNumber(const std::filesystem::path& file, const CsvRow& row, std::size_t column);
// Whether the field is a number.
bool isCsvNumber(std::string_view field);

}  // namespace lockstep::data
