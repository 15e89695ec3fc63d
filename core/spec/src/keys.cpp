#include "key_table.h"
#include "values.h"

#include <spec/keys.h>

namespace lockstep::spec {
namespace {

// A JSON string. The table holds plain text only, so that quotes and backslashes are all there is to escape.
std::string jsonText(std::string_view text) {
    std::string out = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') out += '\\';
        out += letter;
    }
    return out + "\"";
}

std::string choiceList(const KeyRow& row) {
    std::string out;
    for (const Choice& choice : choicesOf(row)) {
        if (choice.capability == Capability::MainJob) out += (out.empty() ? "" : ", ") + jsonText(choice.word);
    }
    return "[" + out + "]";
}

std::string limits(const KeyRow& row) {
    std::string out;
    if (row.minimum == row.maximum && row.maximum == 0) return out;
    out += ", \"minimum\": " + std::to_string(static_cast<long long>(row.minimum));
    if (row.maximum <= 1e15) out += ", \"maximum\": " + std::to_string(static_cast<long long>(row.maximum));
    return out;
}

std::string typeOf(const KeyRow& row) {
    const std::string null = mayBeNull(row) ? ", \"null\"" : "";
    switch (row.type) {
        case KeyType::Text: return R"("type": ["string", "number")" + null + "]";
        case KeyType::Choice: return "\"enum\": " + choiceList(row);
        case KeyType::Bool: return R"("type": "boolean")";
        case KeyType::Integer: return R"("type": ["integer")" + null + "]" + limits(row);
        case KeyType::Number: return R"("type": ["number")" + null + "]";
        case KeyType::Bytes: return R"("type": ["string", "integer")" + null + "]";
        case KeyType::Duration: return R"("type": ["string", "null"])";
        case KeyType::TextList: return R"("type": "array", "items": {"type": "string"})";
        case KeyType::NumberList: return R"("type": "array", "items": {"type": "number"})";
        case KeyType::Layers: return R"("type": ["array", "null"], "items": {"type": "object", "required": ["class_name"]})";
        case KeyType::Callbacks: return R"("type": "array", "items": {"type": ["string", "object"]})";
        case KeyType::ChoiceList: return R"("type": "array", "items": {"enum": )" + choiceList(row) + "}";
        case KeyType::WordOrList: return R"("type": ["string", "array"], "items": {"type": "string"})";
        case KeyType::AutoOrInteger: return R"("type": ["string", "integer"])" + limits(row);
        case KeyType::Json: return R"("type": ["string", "object", "null"])";
        case KeyType::Any: return "";
    }
    return "";
}

class SchemaPrinter {
public:
    std::string print() {
        m_text = "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": \"Lockstep run specification\",\n";
        object("", 1);
        return m_text + "\n}\n";
    }

private:
    // The members of an object below `prefix`, without its braces.
    void object(const std::string& prefix, int depth) {
        const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
        m_text += indent + "\"type\": \"object\",\n" + indent + "\"additionalProperties\": false,\n";
        if (prefix.empty()) m_text += indent + "\"required\": [\"name\"],\n";
        m_text += indent + "\"properties\": {";
        bool first = true;
        for (const std::string& name : childrenOf(prefix)) {
            const std::string path = prefix.empty() ? name : prefix + "." + name;
            if (!supported(path)) continue;
            m_text += std::string(first ? "\n" : ",\n") + indent + "  " + jsonText(name) + ": {";
            member(path, depth + 1, indent + "  ");
            m_text += "}";
            first = false;
        }
        m_text += "\n" + indent + "}";
    }

    void member(const std::string& path, int depth, const std::string& indent) {
        const std::string inner(static_cast<std::size_t>(depth + 1) * 2, ' ');
        if (const KeyRow* row = findKey(path)) {
            m_text += typeOf(*row) + ", \"description\": " +
                      jsonText(std::string(row->help) + (row->fallback.empty() ? "" : " Default: " + std::string(row->fallback)));
        } else if (isSection(path)) {
            m_text += "\n";
            object(path, depth + 1);
            m_text += "\n" + indent;
        } else {
            m_text += "\n" + inner + "\"type\": \"array\",\n" + inner + "\"items\": {\n";
            object(path + "[]", depth + 2);
            m_text += "\n" + inner + "}\n" + indent;
        }
    }

    static bool supported(const std::string& path) {
        for (const KeyRow& row : keyTable()) {
            const bool below = row.path == path || row.path.starts_with(path + ".") || row.path.starts_with(path + "[]");
            if (below && row.capability == Capability::MainJob) return true;
        }
        return false;
    }

    std::string m_text;
};

}  // namespace

std::vector<KeyInfo> runSpecKeys() {
    std::vector<KeyInfo> keys;
    for (const KeyRow& row : keyTable()) {
        KeyInfo info;
        info.path = row.path;
        info.fallback = row.fallback;
        info.supported = row.capability == Capability::MainJob;
        info.part = nameOf(row.capability);
        info.help = row.help;
        for (const Choice& choice : choicesOf(row)) {
            if (choice.capability == Capability::MainJob) info.choices.push_back(choice.word);
        }
        keys.push_back(std::move(info));
    }
    return keys;
}

std::string runSpecSchema() { return SchemaPrinter().print(); }

}  // namespace lockstep::spec
