#include "json_tree.h"

#include <algorithm>
#include <optional>

namespace lockstep::spec {
namespace {

constexpr int kDeepest = 16;
constexpr std::size_t kLargest = 1u << 20;

bool isDigit(int c) { return c >= '0' && c <= '9'; }

int hexValue(int c) {
    if (isDigit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

void appendUtf8(std::string& out, std::uint32_t code) {
    const auto push = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) {
        push(code);
    } else if (code < 0x800) {
        push(0xC0u | (code >> 6));
        push(0x80u | (code & 0x3Fu));
    } else if (code < 0x10000) {
        push(0xE0u | (code >> 12));
        push(0x80u | ((code >> 6) & 0x3Fu));
        push(0x80u | (code & 0x3Fu));
    } else {
        push(0xF0u | (code >> 18));
        push(0x80u | ((code >> 12) & 0x3Fu));
        push(0x80u | ((code >> 6) & 0x3Fu));
        push(0x80u | (code & 0x3Fu));
    }
}

// Recursive descent; every method returns false after setting m_problem.
class JsonReader {
public:
    explicit JsonReader(std::string_view text) : m_text(text) {}

    std::variant<JsonNode, JsonProblem> read() {
        JsonNode root;
        if (m_text.size() > kLargest) return JsonProblem{{}, "the text is larger than 1 MiB"};
        if (!value(root, 0)) return *m_problem;
        skipBlanks();
        if (!atEnd()) {
            fail("expected the end, found " + here());
            return *m_problem;
        }
        return root;
    }

private:
    bool atEnd() const { return m_next >= m_text.size(); }
    int peek() const { return atEnd() ? -1 : static_cast<unsigned char>(m_text[m_next]); }

    void advance() {
        const auto byte = static_cast<unsigned char>(m_text[m_next++]);
        if (byte == '\n') {
            ++m_at.line;
            m_at.column = 1;
        } else if (m_next >= m_text.size() || (static_cast<unsigned char>(m_text[m_next]) & 0xC0u) != 0x80u) {
            ++m_at.column;  // the last byte of a character
        }
    }

    void skipBlanks() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') advance();
    }

    std::string here() const {
        if (atEnd()) return "the end of the text";
        std::size_t size = 1;
        while (m_next + size < m_text.size() && (static_cast<unsigned char>(m_text[m_next + size]) & 0xC0u) == 0x80u) ++size;
        const int c = peek();
        return c < 0x20 ? "a control character" : "\"" + std::string(m_text.substr(m_next, size)) + "\"";
    }

    bool fail(std::string what) {
        m_problem = JsonProblem{m_at, std::move(what)};
        return false;
    }

    bool value(JsonNode& node, int depth) {
        skipBlanks();
        node.at = m_at;
        if (depth > kDeepest) return fail("nested deeper than " + std::to_string(kDeepest) + " levels");
        const int c = peek();
        if (c == '{') return object(node, depth);
        if (c == '[') return array(node, depth);
        if (c == '"') {
            node.kind = JsonNode::Kind::String;
            return string(node.text);
        }
        if (c == '-' || isDigit(c)) return number(node);
        if (word(node)) return true;
        return fail("expected a value, found " + here() + (c == '\'' ? "; JSON uses double quotes" : ""));
    }

    bool word(JsonNode& node) {
        const auto take = [&](std::string_view text, JsonNode::Kind kind, bool truth) {
            if (!m_text.substr(m_next).starts_with(text)) return false;
            for (std::size_t i = 0; i < text.size(); ++i) advance();
            node.kind = kind;
            node.truth = truth;
            return true;
        };
        return take("true", JsonNode::Kind::Bool, true) || take("false", JsonNode::Kind::Bool, false) ||
               take("null", JsonNode::Kind::Null, false);
    }

    bool number(JsonNode& node) {
        node.kind = JsonNode::Kind::Number;
        const std::size_t begin = m_next;
        if (peek() == '-') advance();
        const bool zero = peek() == '0';
        if (!digits()) return false;
        if (zero && m_next - begin > (m_text[begin] == '-' ? 2u : 1u)) return fail("a number can't begin with 0");
        if (peek() == '.') {
            advance();
            if (!digits()) return false;
        }
        if (peek() == 'e' || peek() == 'E') {
            advance();
            if (peek() == '+' || peek() == '-') advance();
            if (!digits()) return false;
        }
        node.text = std::string(m_text.substr(begin, m_next - begin));
        return true;
    }

    bool digits() {
        if (!isDigit(peek())) return fail("expected a digit, found " + here());
        while (isDigit(peek())) advance();
        return true;
    }

    bool string(std::string& out) {
        advance();
        while (peek() != '"') {
            const int c = peek();
            if (c < 0) return fail("the text ends inside a string");
            if (c < 0x20) return fail("a control character inside a string");
            if (c == '\\') {
                if (!escape(out)) return false;
                continue;
            }
            out += m_text[m_next];
            advance();
        }
        advance();
        return true;
    }

    bool escape(std::string& out) {
        advance();
        static constexpr std::string_view kLetters = "\"\\/bfnrt";
        static constexpr std::string_view kMeans = "\"\\/\b\f\n\r\t";
        const int c = peek();
        if (c == 'u') {
            std::uint32_t code = 0;
            if (!hex4(code)) return false;
            if (code >= 0xD800 && code < 0xDC00 && m_text.substr(m_next).starts_with("\\u")) {
                advance();
                std::uint32_t low = 0;
                if (!hex4(low)) return false;
                if (low < 0xDC00 || low > 0xDFFF) return fail("half of a surrogate pair");
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            }
            if (code >= 0xD800 && code <= 0xDFFF) return fail("half of a surrogate pair");
            appendUtf8(out, code);
            return true;
        }
        const std::size_t place = c < 0 ? std::string_view::npos : kLetters.find(static_cast<char>(c));
        if (place == std::string_view::npos) return fail("unknown escape " + here());
        out += kMeans[place];
        advance();
        return true;
    }

    bool hex4(std::uint32_t& code) {
        advance();  // the u
        for (int i = 0; i < 4; ++i) {
            const int digit = hexValue(peek());
            if (digit < 0) return fail("expected four hexadecimal digits, found " + here());
            code = code * 16 + static_cast<std::uint32_t>(digit);
            advance();
        }
        return true;
    }

    bool array(JsonNode& node, int depth) {
        node.kind = JsonNode::Kind::Array;
        advance();
        skipBlanks();
        if (peek() == ']') return advance(), true;
        while (true) {
            node.items.emplace_back();
            if (!value(node.items.back(), depth + 1)) return false;
            skipBlanks();
            if (peek() == ']') return advance(), true;
            if (peek() != ',') return fail("expected \",\" or \"]\", found " + here());
            advance();
        }
    }

    bool object(JsonNode& node, int depth) {
        node.kind = JsonNode::Kind::Object;
        advance();
        skipBlanks();
        if (peek() == '}') return advance(), true;
        while (true) {
            skipBlanks();
            if (peek() != '"') return fail("expected a key in double quotes, found " + here());
            JsonNode::Entry entry;
            entry.at = m_at;
            if (!string(entry.key)) return false;
            skipBlanks();
            if (peek() != ':') return fail("expected \":\", found " + here());
            advance();
            if (!value(entry.value, depth + 1)) return false;
            node.entries.push_back(std::move(entry));
            skipBlanks();
            if (peek() == '}') return advance(), true;
            if (peek() != ',') return fail("expected \",\" or \"}\", found " + here());
            advance();
        }
    }

    std::string_view m_text;
    std::size_t m_next = 0;
    JsonPosition m_at;
    std::optional<JsonProblem> m_problem;
};

}  // namespace

const JsonNode::Entry* JsonNode::find(std::string_view key) const {
    const auto found = std::find_if(entries.rbegin(), entries.rend(), [&](const Entry& entry) { return entry.key == key; });
    return found == entries.rend() ? nullptr : &*found;
}

std::string_view JsonNode::kindName() const {
    switch (kind) {
        case Kind::Null: return "null";
        case Kind::Bool: return "true or false";
        case Kind::Number: return "a number";
        case Kind::String: return "a text";
        case Kind::Array: return "a list";
        case Kind::Object: return "an object";
    }
    return "";
}

std::variant<JsonNode, JsonProblem> parseJson(std::string_view text) { return JsonReader(text).read(); }

}  // namespace lockstep::spec
