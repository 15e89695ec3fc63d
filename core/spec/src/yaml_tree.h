// A YAML document as a bounded tree with positions. Only what a specification needs: one document, maps, sequences and scalars; no
// aliases, anchors, tags or repeated keys.
#pragma once

#include <base/result.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::spec {

struct YamlNode {
    enum class Kind { Null, Scalar, Sequence, Map };
    struct Entry;

    Kind kind = Kind::Null;
    std::string text;     // Scalar
    bool quoted = false;  // Scalar: a quoted one is text, never a number, a boolean or null
    std::string origin;   // file name, or the override it came from
    int line = 0;         // 1-based; 0 = no position (override)
    int column = 0;
    std::vector<YamlNode> items;  // Sequence
    std::vector<Entry> entries;   // Map, in order of the text

    // "spec.yaml:12:5", or the override's name alone.
    std::string where() const;
    YamlNode* find(std::string_view key);
    // The value in flow style, for messages and comparison.
    std::string toFlow() const;
};

struct YamlNode::Entry {
    std::string key;
    int line = 0;
    int column = 0;
    YamlNode value;
};

struct YamlLimits {
    std::size_t bytes = 1u << 20;
    int depth = 32;
    std::size_t nodes = 20000;
};

// Errors: S301 (not YAML), S309 (aliases, anchors, tags, depth, size, repeated keys). An empty text is a Null node.
Result<YamlNode> parseYaml(std::string_view text, const std::string& origin, const YamlLimits& limits = {});

}  // namespace lockstep::spec
