#include "scanner.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace lockstep::graph {
namespace {

bool isWordCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

bool isNumberCharacter(char c) { return isWordCharacter(c) || c == '.' || c == '-' || c == '+'; }

}  // namespace

void Scanner::skipBlanks() {
    while (peek() == ' ' || peek() == '\t') ++m_at;
    if (peek() == '#') m_at = std::min(m_text.find('\n', m_at), m_text.size());
}

bool Scanner::atEnd() {
    for (skipBlanks(); peek() == '\n'; skipBlanks()) ++m_at;
    return m_at >= m_text.size();
}

bool Scanner::peekIs(char c) {
    skipBlanks();
    return m_at < m_text.size() && m_text[m_at] == c;
}

bool Scanner::accept(char c) {
    if (!peekIs(c)) return false;
    ++m_at;
    return true;
}

Result<void> Scanner::expect(char c) {
    if (accept(c)) return {};
    return error(fmt::format("expected '{}'", c));
}

std::string_view Scanner::word() {
    skipBlanks();
    const std::size_t start = m_at;
    while (isWordCharacter(peek())) ++m_at;
    return m_text.substr(start, m_at - start);
}

Result<std::string> Scanner::quotedText() {
    LS_TRY(expect('"'));
    std::string out;
    while (m_at < m_text.size() && m_text[m_at] != '\n') {
        const char c = m_text[m_at++];
        if (c == '"') return out;
        if (c != '\\') {
            out += c;
            continue;
        }
        if (peek() == '"' || peek() == '\\') {
            out += m_text[m_at++];
            continue;
        }
        const std::string_view digits = m_text.substr(m_at, 3);
        unsigned byte = 0;
        if (digits.size() != 3 || digits[0] != 'x' ||
            std::from_chars(digits.data() + 1, digits.data() + 3, byte, 16).ptr != digits.data() + 3) {
            return error("expected \\\", \\\\ or \\xNN");
        }
        out += static_cast<char>(byte);
        m_at += 3;
    }
    return error("the text in quotes has no end");
}

Result<std::int64_t> Scanner::integer() {
    LS_TRY_ASSIGN(const auto value, number());
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
    return error("expected an integer");
}

Result<std::variant<std::int64_t, double>> Scanner::number() {
    skipBlanks();
    std::size_t end = m_at;
    while (end < m_text.size() && isNumberCharacter(m_text[end])) ++end;
    const std::string_view token = m_text.substr(m_at, end - m_at);
    const char* last = token.data() + token.size();
    std::int64_t integer = 0;
    if (const auto read = std::from_chars(token.data(), last, integer); read.ec == std::errc{} && read.ptr == last) {
        m_at = end;
        return std::variant<std::int64_t, double>(integer);
    }
    double real = 0;
    if (const auto read = std::from_chars(token.data(), last, real); read.ec == std::errc{} && read.ptr == last) {
        m_at = end;
        return std::variant<std::int64_t, double>(real);
    }
    return error("expected a number");
}

Result<void> Scanner::endLine() {
    skipBlanks();
    if (m_at < m_text.size() && m_text[m_at] != '\n') return error("expected the end of the line");
    return {};
}

Error Scanner::error(std::string_view what) const {
    const std::string_view before = m_text.substr(0, m_at);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t start = before.rfind('\n');
    const std::size_t column = start == std::string_view::npos ? m_at + 1 : m_at - start;
    return makeError("S405", {{"line", std::to_string(line)}, {"column", std::to_string(column)}, {"what", std::string(what)}});
}

}  // namespace lockstep::graph
