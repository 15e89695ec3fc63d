#include "yaml_tree.h"

#include <base/units.h>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>

namespace lockstep::spec {
namespace {

// Leaves yaml-cpp's recursion; caught in parseYaml.
struct Refused {
    Error error;
};

class TreeBuilder : public YAML::EventHandler {
public:
    TreeBuilder(std::string origin, const YamlLimits& limits) : m_origin(std::move(origin)), m_limits(limits) {}

    std::optional<YamlNode> take() { return std::move(m_root); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { leaf(mark, "", anchor, YamlNode::Kind::Null, ""); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, "aliases (*name) are not accepted"); }
    void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse(mark, "anchors (&name) are not accepted"); }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
        const bool null = tag == "?" && (value == "null" || value == "~" || value == "Null" || value == "NULL");
        leaf(mark, tag, anchor, null ? YamlNode::Kind::Null : YamlNode::Kind::Scalar, value);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
        open(mark, tag, anchor, YamlNode::Kind::Sequence);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
        open(mark, tag, anchor, YamlNode::Kind::Map);
    }
    void OnMapEnd() override { close(); }

private:
    // A collection that is being filled; a map alternates between waiting for a key and for its value.
    struct Open {
        YamlNode node;
        std::optional<YamlNode::Entry> pending;
    };

    [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& what) const {
        YamlNode at;
        place(at, mark);
        throw Refused{makeError("S309", {{"where", at.where()}, {"what", what}})};
    }

    void place(YamlNode& node, const YAML::Mark& mark) const {
        node.origin = m_origin;
        node.line = mark.line + 1;
        node.column = mark.column + 1;
    }

    void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        if (anchor != YAML::NullAnchor) refuse(mark, "anchors (&name) are not accepted");
        if (!tag.empty() && tag != "?" && tag != "!")
            refuse(mark,
                   "tags (!"
                   "name) are not accepted");
        if (++m_count > m_limits.nodes) refuse(mark, "more than " + std::to_string(m_limits.nodes) + " values");
    }

    void leaf(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind, const std::string& value) {
        check(mark, tag, anchor);
        YamlNode node;
        place(node, mark);
        node.kind = kind;
        node.text = value;
        node.quoted = tag == "!";
        add(std::move(node), mark);
    }

    void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
        check(mark, tag, anchor);
        if (static_cast<int>(m_open.size()) >= m_limits.depth)
            refuse(mark, "nested deeper than " + std::to_string(m_limits.depth) + " levels");
        const bool awaitsKey = !m_open.empty() && m_open.back().node.kind == YamlNode::Kind::Map && !m_open.back().pending;
        if (awaitsKey) refuse(mark, "a key must be a word");
        Open entry;
        place(entry.node, mark);
        entry.node.kind = kind;
        m_open.push_back(std::move(entry));
    }

    void close() {
        YamlNode node = std::move(m_open.back().node);
        m_open.pop_back();
        add(std::move(node), YAML::Mark::null_mark());
    }

    void add(YamlNode node, const YAML::Mark& mark) {
        if (m_open.empty()) {
            m_root = std::move(node);
            return;
        }
        Open& parent = m_open.back();
        if (parent.node.kind == YamlNode::Kind::Sequence) {
            parent.node.items.push_back(std::move(node));
        } else if (!parent.pending) {
            if (node.kind != YamlNode::Kind::Scalar) refuse(mark, "a key must be a word");
            if (parent.node.find(node.text) != nullptr) refuse(mark, "key \"" + node.text + "\" is given twice");
            parent.pending = YamlNode::Entry{node.text, node.line, node.column, {}};
        } else {
            parent.pending->value = std::move(node);
            parent.node.entries.push_back(std::move(*parent.pending));
            parent.pending.reset();
        }
    }

    std::string m_origin;
    YamlLimits m_limits;
    std::size_t m_count = 0;
    std::vector<Open> m_open;
    std::optional<YamlNode> m_root;
};

Error notYaml(const std::string& origin, const YAML::Mark& mark, const std::string& what) {
    YamlNode at;
    at.origin = origin;
    if (!mark.is_null()) {
        at.line = mark.line + 1;
        at.column = mark.column + 1;
    }
    return makeError("S301", {{"where", at.where()}, {"what", what}});
}

}  // namespace

std::string YamlNode::where() const {
    if (line == 0) return origin;
    return origin + ":" + std::to_string(line) + ":" + std::to_string(column);
}

YamlNode* YamlNode::find(std::string_view key) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
    return found == entries.end() ? nullptr : &found->value;
}

std::string YamlNode::toFlow() const {
    switch (kind) {
        case Kind::Null: return "null";
        case Kind::Scalar: return text;
        case Kind::Sequence: {
            std::string out = "[";
            for (const YamlNode& item : items) out += (out.size() > 1 ? ", " : "") + item.toFlow();
            return out + "]";
        }
        case Kind::Map: {
            std::string out = "{";
            for (const Entry& entry : entries) out += (out.size() > 1 ? ", " : "") + entry.key + ": " + entry.value.toFlow();
            return out + "}";
        }
    }
    return {};
}

Result<YamlNode> parseYaml(std::string_view text, const std::string& origin, const YamlLimits& limits) {
    if (text.size() > limits.bytes) {
        return makeError("S309", {{"where", origin}, {"what", "larger than " + formatBytes(limits.bytes)}});
    }
    const std::size_t nul = text.find('\0');
    if (nul != std::string_view::npos) {
        return makeError("S301", {{"where", origin}, {"what", "byte " + std::to_string(nul) + " is 0, so this is not a text"}});
    }
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        TreeBuilder builder(origin, limits);
        const bool any = parser.HandleNextDocument(builder);
        YamlNode root = builder.take().value_or(YamlNode{});
        root.origin = origin;
        TreeBuilder second(origin, limits);
        if (any && parser.HandleNextDocument(second)) {
            const YamlNode extra = second.take().value_or(YamlNode{});
            return makeError("S301", {{"where", extra.where()}, {"what", "a second document; a specification is one"}});
        }
        return root;
    } catch (Refused& refused) {
        return std::move(refused.error);
    } catch (const YAML::ParserException& problem) {
        return notYaml(origin, problem.mark, problem.msg);
    } catch (const std::exception& problem) {
        return notYaml(origin, YAML::Mark::null_mark(), problem.what());
    }
}

}  // namespace lockstep::spec
