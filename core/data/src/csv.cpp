#include <data/csv.h>

#include "reading.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace lockstep::data {
namespace {

constexpr std::size_t kPiece = 256u << 10;
constexpr std::size_t kMarkBytes = 3;  // the byte order mark of UTF-8
constexpr std::uint64_t kMark = 0xbfbbef;

Error lineError(const std::filesystem::path& file, std::int64_t line, std::uint64_t offset, std::string expected, std::string found,
                std::string cause) {
    return makeError("F621", {{"file", file.string()},
                              {"line", std::to_string(line)},
                              {"offset", std::to_string(offset)},
                              {"expected", std::move(expected)},
                              {"found", std::move(found)},
                              {"cause", std::move(cause)}});
}

// Follows UTF-8 byte by byte: no overlong forms, no surrogates, nothing beyond U+10FFFF.
class Utf8 {
public:
    // False when `byte` can't stand here.
    bool take(unsigned char byte) {
        if (m_left == 0) return begin(byte);
        if (byte < m_low || byte > m_high) return false;
        m_low = 0x80;
        m_high = 0xbf;
        --m_left;
        return true;
    }
    bool whole() const { return m_left == 0; }

private:
    bool begin(unsigned char byte) {
        m_low = 0x80;
        m_high = 0xbf;
        if (byte < 0x80) return true;
        if (byte < 0xc2 || byte > 0xf4) return false;
        m_left = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
        if (byte == 0xe0) m_low = 0xa0;
        if (byte == 0xed) m_high = 0x9f;
        if (byte == 0xf0) m_low = 0x90;
        if (byte == 0xf4) m_high = 0x8f;
        return true;
    }
    int m_left = 0;
    unsigned char m_low = 0x80, m_high = 0xbf;
};

class CsvParser {
public:
    CsvParser(const std::filesystem::path& file, const std::function<Result<void>(const CsvRow&)>& sink) : m_file(file), m_sink(sink) {}

    // What precedes the text: a byte order mark.
    void skip(std::uint64_t bytes) {
        m_offset += bytes;
        m_row.offset = m_offset;
    }

    // Takes the letters at the start of `bytes` that mean nothing but themselves; how many.
    std::size_t takeRun(std::span<const std::byte> bytes) {
        if (!m_utf8.whole() || m_state == State::QuoteInQuoted || m_state == State::CarriageReturn) return 0;
        std::size_t count = 0;
        const std::size_t most = std::min(bytes.size(), kCsvMostLine - m_rowBytes);
        while (count < most && isPlain(std::to_integer<unsigned char>(bytes[count]))) ++count;
        if (count == 0) return 0;
        m_field.append(reinterpret_cast<const char*>(bytes.data()), count);
        if (m_state != State::Quoted) m_state = State::Plain;
        m_offset += count;
        m_rowBytes += count;
        return count;
    }

    Result<void> take(unsigned char byte) {
        const bool wasWhole = m_utf8.whole();
        if (!m_utf8.take(byte) || byte == 0)
            return fault(byte == 0 ? "text" : "UTF-8", byte == 0 ? "a NUL character" : "the byte " + hexText(asByte(byte)),
                         byte == 0 ? "This is no text file." : "The file has another encoding; save it as UTF-8.",
                         wasWhole ? m_offset : m_letterAt);
        if (wasWhole) m_letterAt = m_offset;
        if (++m_rowBytes > kCsvMostLine) return fault("rows of at most 16 MiB", "a longer one", "A quote may be missing.", m_row.offset);
        LS_TRY(step(static_cast<char>(byte)));
        ++m_offset;
        if (byte == '\n') ++m_line;
        return {};
    }

    Result<void> end() {
        if (!m_utf8.whole()) return fault("UTF-8", "the end of the file", "The file was cut off.", m_letterAt);
        if (m_state == State::Quoted)
            return lineError(m_file, m_row.line, m_row.offset, "a closing quote", "the end of the file",
                             "A quote is opened and never closed.");
        if (m_state != State::RowStart) LS_TRY(endRow());
        if (m_rows == 0) return formatError(m_file, 0, "a table", m_offset == 0 ? "an empty file" : "empty lines only");
        return {};
    }

private:
    static bool isPlain(unsigned char byte) { return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != ','; }
    enum class State : std::uint8_t { RowStart, FieldStart, Plain, Quoted, QuoteInQuoted, CarriageReturn };

    Result<void> step(char letter) {
        switch (m_state) {
            case State::CarriageReturn:
                if (letter != '\n') return fault("a line feed after a carriage return", "something else", "", m_offset);
                return endRow();
            case State::Quoted:
                if (letter == '"')
                    m_state = State::QuoteInQuoted;
                else
                    m_field += letter;
                return {};
            case State::QuoteInQuoted:
                if (letter == '"') {
                    m_field += letter;
                    m_state = State::Quoted;
                    return {};
                }
                if (letter != ',' && letter != '\n' && letter != '\r')
                    return fault("a comma or the end of the line after a closing quote", std::string("\"") + letter + "\"",
                                 "Quotes inside of a field are written twice.", m_offset);
                return plain(letter);
            case State::RowStart:
                if (letter == '\n') return restart(m_offset + 1, m_line + 1);
                if (letter == '\r') {
                    m_state = State::CarriageReturn;
                    m_blank = true;
                    return {};
                }
                [[fallthrough]];
            case State::FieldStart:
                if (letter == '"') {
                    m_state = State::Quoted;
                    return {};
                }
                [[fallthrough]];
            case State::Plain: return plain(letter);
        }
        return {};
    }

    Result<void> plain(char letter) {
        if (letter == ',') {
            m_state = State::FieldStart;
            return endField();
        }
        if (letter == '\n') return endRow();
        if (letter == '\r') {
            m_state = State::CarriageReturn;
            return {};
        }
        m_state = State::Plain;
        m_field += letter;
        return {};
    }

    Result<void> endField() {
        if (m_row.fields.size() == kCsvMostColumns) return fault("at most 65536 columns", "more", "This may be no table.", m_offset);
        m_row.fields.push_back(std::move(m_field));
        m_field.clear();
        return {};
    }

    Result<void> endRow() {
        const bool blank = m_blank;
        if (!blank) {
            LS_TRY(endField());
            if (m_columns == 0) m_columns = m_row.fields.size();
            if (m_row.fields.size() != m_columns)
                return lineError(m_file, m_row.line, m_row.offset, std::to_string(m_columns) + " fields",
                                 std::to_string(m_row.fields.size()), "Every row must have as many fields as the first one.");
            ++m_rows;
            LS_TRY(m_sink(m_row));
        }
        return restart(m_offset + 1, m_line + 1);
    }

    Result<void> restart(std::uint64_t offset, std::int64_t line) {
        m_state = State::RowStart;
        m_blank = false;
        m_row.fields.clear();
        m_row.line = line;
        m_row.offset = offset;
        m_rowBytes = 0;
        return {};
    }

    Error fault(std::string expected, std::string found, std::string cause, std::uint64_t offset) const {
        return lineError(m_file, m_line, offset, std::move(expected), std::move(found), std::move(cause));
    }
    static std::vector<std::byte> asByte(unsigned char byte) { return {static_cast<std::byte>(byte)}; }

    const std::filesystem::path& m_file;
    const std::function<Result<void>(const CsvRow&)>& m_sink;
    State m_state = State::RowStart;
    Utf8 m_utf8;
    CsvRow m_row;
    std::string m_field;
    bool m_blank = false;
    std::int64_t m_line = 1, m_rows = 0;
    std::uint64_t m_offset = 0, m_letterAt = 0;
    std::size_t m_columns = 0, m_rowBytes = 0;
};

std::string_view trimmed(std::string_view field) {
    const std::size_t first = field.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return field.substr(first, field.find_last_not_of(" \t") - first + 1);
}

std::optional<double> numberIn(std::string_view field) {
    field = trimmed(field);
    if (field.starts_with('+')) field.remove_prefix(1);
    double value = 0;
    const auto [stop, problem] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (field.empty() || problem != std::errc() || stop != field.data() + field.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

}  // namespace

Result<void> readCsv(const std::filesystem::path& file, const std::function<Result<void>(const CsvRow&)>& sink) {
    LS_TRY_ASSIGN(const auto source, ByteSource::open(file));
    const std::filesystem::path name = source->name();
    CsvParser parser(name, sink);
    std::vector<std::byte> piece(kPiece);
    bool first = true;
    for (;;) {
        LS_TRY_ASSIGN(const std::size_t got, source->read(piece));
        if (got == 0) break;
        std::span<const std::byte> bytes = std::span(piece).first(got);
        if (first && got >= kMarkBytes && loadLittle(bytes, kMarkBytes) == kMark) {
            parser.skip(kMarkBytes);
            bytes = bytes.subspan(kMarkBytes);
        }
        first = false;
        while (!bytes.empty()) {
            bytes = bytes.subspan(parser.takeRun(bytes));
            if (bytes.empty()) break;
            LS_TRY(parser.take(std::to_integer<unsigned char>(bytes[0])));
            bytes = bytes.subspan(1);
        }
    }
    return parser.end();
}

Result<double> csvNumber(const std::filesystem::path& file, const CsvRow& row, std::size_t column) {
    const std::string& field = row.fields[column];
    if (const auto number = numberIn(field)) return *number;
    return lineError(file, row.line, row.offset, "a number in column " + std::to_string(column + 1), "\"" + field.substr(0, 60) + "\"",
                     trimmed(field).empty() ? "The field is empty." : "Fields to learn from must be numbers.");
}

bool isCsvNumber(std::string_view field) { return numberIn(field).has_value(); }

}  // namespace lockstep::data
