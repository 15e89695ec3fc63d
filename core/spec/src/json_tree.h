// JSON as a bounded tree with the position of every value and key, for messages that point at the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep::spec {

// 1-based; columns count characters, not bytes.
struct JsonPosition {
    int line = 1;
    int column = 1;
    auto operator<=>(const JsonPosition&) const = default;
};

struct JsonNode {
    enum class Kind { Null, Bool, Number, String, Array, Object };
    struct Entry;

    Kind kind = Kind::Null;
    bool truth = false;  // Bool
    std::string text;    // String: decoded; Number: as written
    JsonPosition at;
    std::vector<JsonNode> items;  // Array
    std::vector<Entry> entries;   // Object, in order of the text; names may repeat

    const Entry* find(std::string_view key) const;  // the last one, as most readers take it
    std::string_view kindName() const;              // "a text", "a list"
};

struct JsonNode::Entry {
    std::string key;
    JsonPosition at;
    JsonNode value;
};

struct JsonProblem {
    JsonPosition at;
    std::string what;  // "expected a value, found \"'\""
};

// The tree, or the first character that can't follow. Bounded: 1 MiB, nested 16 deep.
std::variant<JsonNode, JsonProblem> parseJson(std::string_view text);

}  // namespace lockstep::spec
