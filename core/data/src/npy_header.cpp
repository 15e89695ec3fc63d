#include "npy_header.h"

#include "reading.h"

#include <limits>

namespace lockstep::data {
namespace {

constexpr std::size_t kMostAxes = 32;

class FieldParser {
public:
    FieldParser(std::string_view text, std::size_t at, const std::filesystem::path& file) : m_text(text), m_start(at), m_file(file) {}

    Result<NpyFields> parse() {
        LS_TRY(take('{'));
        while (!tryTake('}')) {
            LS_TRY(entry());
            if (!tryTake(',')) {
                LS_TRY(take('}'));
                break;
            }
        }
        skipBlanks();
        if (m_at != m_text.size()) return wrong("the end of the header");
        for (const auto& [seen, name] : {std::pair(m_descr, "descr"), std::pair(m_order, "fortran_order"), std::pair(m_shape, "shape")})
            if (!seen) return wrong(std::string("a key '") + name + "'");
        return m_fields;
    }

private:
    Result<void> entry() {
        LS_TRY_ASSIGN(const std::string key, quoted());
        bool* const seen = key == "descr" ? &m_descr : key == "fortran_order" ? &m_order : key == "shape" ? &m_shape : nullptr;
        if (seen == nullptr || *seen) return wrong("descr, fortran_order and shape, once each");
        *seen = true;
        LS_TRY(take(':'));
        if (key == "descr") return descr();
        return key == "shape" ? shape() : order();
    }

    Result<void> descr() {
        skipBlanks();
        m_fields.descrAt = m_start + m_at;
        if (!tryTake('[')) {
            LS_TRY_ASSIGN(m_fields.descr, quoted());
            return {};
        }
        // A structured type: only its end is looked for.
        m_fields.structured = true;
        for (int depth = 1; depth > 0; ++m_at) {
            if (m_at >= m_text.size()) return wrong("']'");
            depth += m_text[m_at] == '[' ? 1 : m_text[m_at] == ']' ? -1 : 0;
        }
        return {};
    }

    Result<void> order() {
        skipBlanks();
        for (const auto& [word, value] : {std::pair(std::string_view("True"), true), std::pair(std::string_view("False"), false)}) {
            if (!m_text.substr(m_at).starts_with(word)) continue;
            m_at += word.size();
            m_fields.fortranOrder = value;
            return {};
        }
        return wrong("True or False");
    }

    Result<void> shape() {
        LS_TRY(take('('));
        while (!tryTake(')')) {
            LS_TRY_ASSIGN(const std::int64_t size, number());
            if (m_fields.shape.size() == kMostAxes) return wrong("at most 32 axes");
            m_fields.shape.push_back(size);
            if (!tryTake(',')) {
                LS_TRY(take(')'));
                break;
            }
        }
        return {};
    }

    Result<std::int64_t> number() {
        skipBlanks();
        std::int64_t value = 0;
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && m_text[m_at] >= '0' && m_text[m_at] <= '9') {
            if (value > (std::numeric_limits<std::int64_t>::max() - 9) / 10) return wrong("a size below 2^63");
            value = 10 * value + (m_text[m_at++] - '0');
        }
        if (m_at == begin) return wrong("a size of at least 0");
        if (m_at < m_text.size() && m_text[m_at] == 'L') ++m_at;  // written by Python 2
        return value;
    }

    Result<std::string> quoted() {
        skipBlanks();
        const char quote = m_at < m_text.size() ? m_text[m_at] : '\0';
        if (quote != '\'' && quote != '"') return wrong("a quoted text");
        const std::size_t end = m_text.find(quote, m_at + 1);
        if (end == std::string_view::npos) return wrong("the end of a quoted text");
        std::string text(m_text.substr(m_at + 1, end - m_at - 1));
        m_at = end + 1;
        return text;
    }

    void skipBlanks() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\t' || m_text[m_at] == '\r'))
            ++m_at;
    }
    bool tryTake(char letter) {
        skipBlanks();
        if (m_at >= m_text.size() || m_text[m_at] != letter) return false;
        ++m_at;
        return true;
    }
    Result<void> take(char letter) {
        if (!tryTake(letter)) return wrong(std::string("'") + letter + "'");
        return {};
    }
    Error wrong(std::string expected) const {
        std::string found = "the end of the header";
        if (m_at < m_text.size()) {
            const char letter = m_text[m_at];
            found = letter >= 32 && letter < 127 ? std::string("'") + letter + "'" : hexText(asByte(letter));
        }
        return formatError(m_file, m_start + m_at, std::move(expected), std::move(found),
                           "The header must be a dictionary of descr, fortran_order and shape, as numpy.save writes it.");
    }
    static std::vector<std::byte> asByte(char letter) { return {static_cast<std::byte>(letter)}; }

    std::string_view m_text;
    std::size_t m_start;
    const std::filesystem::path& m_file;
    std::size_t m_at = 0;
    NpyFields m_fields;
    bool m_descr = false, m_order = false, m_shape = false;
};

}  // namespace

Result<NpyFields> parseNpyFields(std::string_view text, std::size_t at, const std::filesystem::path& file) {
    return FieldParser(text, at, file).parse();
}

}  // namespace lockstep::data
