#include "overrides.h"

#include <charconv>

namespace lockstep::spec {
namespace {

constexpr std::size_t kDeepest = 16;

Error badOverride(const std::string& text, const std::string& what) { return makeError("S306", {{"text", text}, {"what", what}}); }

Result<std::vector<std::string>> splitPath(const std::string& text, std::string_view path) {
    std::vector<std::string> parts(1);
    for (const char letter : path) {
        if (letter == '.') {
            parts.emplace_back();
        } else {
            parts.back() += letter;
        }
    }
    for (const std::string& part : parts) {
        if (part.empty()) return badOverride(text, "the key has an empty part");
    }
    if (parts.size() > kDeepest) return badOverride(text, "the key is too deep");
    return parts;
}

Result<YamlNode*> stepInto(YamlNode& node, const std::string& part, const std::string& text) {
    if (node.kind == YamlNode::Kind::Sequence) {
        std::size_t index = 0;
        const auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), index);
        const bool whole = problem == std::errc() && end == part.data() + part.size();
        if (!whole || index > node.items.size()) {
            return badOverride(text, "\"" + part + "\" is no index of a list of " + std::to_string(node.items.size()));
        }
        if (index == node.items.size()) node.items.emplace_back();
        return &node.items[index];
    }
    if (node.kind == YamlNode::Kind::Scalar) return badOverride(text, "\"" + part + "\" is below a single value");
    if (node.kind == YamlNode::Kind::Null) {
        node.kind = YamlNode::Kind::Map;
        node.text.clear();
    }
    if (YamlNode* found = node.find(part)) return found;
    YamlNode::Entry entry;
    entry.key = part;
    entry.value.origin = "override \"" + text + "\"";
    node.entries.push_back(std::move(entry));
    return &node.entries.back().value;
}

void moveTo(YamlNode& node, const std::string& origin) {
    node.origin = origin;
    node.line = 0;
    for (YamlNode& item : node.items) moveTo(item, origin);
    for (YamlNode::Entry& entry : node.entries) {
        entry.line = 0;
        moveTo(entry.value, origin);
    }
}

}  // namespace

Result<void> applyOverride(YamlNode& root, const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return badOverride(text, "there is no \"=\"");
    LS_TRY_ASSIGN(const std::vector<std::string> parts, splitPath(text, std::string_view(text).substr(0, equals)));
    const std::string origin = "override \"" + text + "\"";
    auto value = parseYaml(std::string_view(text).substr(equals + 1), origin);
    if (!value.ok()) return badOverride(text, "the value is not YAML: " + value.error().message);
    moveTo(*value, origin);

    YamlNode* node = &root;
    for (const std::string& part : parts) {
        LS_TRY_ASSIGN(node, stepInto(*node, part, text));
    }
    *node = std::move(*value);
    return {};
}

}  // namespace lockstep::spec
