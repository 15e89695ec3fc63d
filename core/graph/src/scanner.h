// Characters of graph text, with the place for error messages.
#pragma once

#include <base/result.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace lockstep::graph {

class Scanner {
public:
    explicit Scanner(std::string_view text) : m_text(text) {}

    // Skips blanks, line ends and comments; then: is the text over?
    bool atEnd();
    // Skips blanks inside the line and takes `c` if it is next.
    bool accept(char c);
    // Skips blanks inside the line and looks at the next character.
    bool peekIs(char c);
    Result<void> expect(char c);
    // Letters, digits and '_'; empty when there are none.
    std::string_view word();
    Result<std::string> quotedText();
    Result<std::int64_t> integer();
    // An integer, or a real when it has a point or an exponent.
    Result<std::variant<std::int64_t, double>> number();
    // After the last token of a line.
    Result<void> endLine();

    // S405 at the current place.
    Error error(std::string_view what) const;

private:
    void skipBlanks();
    char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }

    std::string_view m_text;
    std::size_t m_at = 0;
};

}  // namespace lockstep::graph
