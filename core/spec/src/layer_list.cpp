#include "layer_list.h"

#include "values.h"

#include <base/units.h>
#include <nn/layer_table.h>
#include <spec/nearest.h>

#include <charconv>
#include <sstream>

namespace lockstep::spec {
namespace {

constexpr std::string_view kClass = "class_name";
constexpr std::size_t kMostLayers = 2000;

Error wrongAt(const YamlNode& node, std::string_view code, const std::string& key, std::string expected) {
    return makeError(code,
                     {{"where", node.where()}, {"key", key}, {"expected", std::move(expected)}, {"found", "\"" + node.toFlow() + "\""}});
}

template <class T>
std::optional<T> numberOf(const YamlNode& node) {
    T value{};
    const char* end = node.text.data() + node.text.size();
    const auto [stop, problem] = std::from_chars(node.text.data(), end, value);
    if (problem != std::errc() || stop != end || node.quoted) return std::nullopt;
    return value;
}

nn::Setting scalarOf(const YamlNode& node) {
    if (!node.quoted && (node.text == "true" || node.text == "false")) return node.text == "true";
    if (const auto whole = numberOf<std::int64_t>(node)) return *whole;
    if (const auto real = numberOf<double>(node)) return *real;
    return node.text;
}

// Whole numbers, also of lists in the list ([[1, 1], [2, 2]]).
bool collect(const YamlNode& node, std::vector<std::int64_t>& list) {
    for (const YamlNode& item : node.items) {
        if (item.kind == YamlNode::Kind::Sequence) {
            if (!collect(item, list)) return false;
        } else {
            const auto whole = item.kind == YamlNode::Kind::Scalar ? numberOf<std::int64_t>(item) : std::nullopt;
            if (!whole) return false;
            list.push_back(*whole);
        }
    }
    return true;
}

Result<nn::Setting> valueOf(const YamlNode& node, const std::string& key) {
    switch (node.kind) {
        case YamlNode::Kind::Null: return nn::Setting(std::monostate{});
        case YamlNode::Kind::Scalar: return scalarOf(node);
        case YamlNode::Kind::Sequence: {
            std::vector<std::int64_t> list;
            if (!collect(node, list)) return wrongAt(node, "S303", key, "a value or a list of whole numbers");
            return nn::Setting(std::move(list));
        }
        case YamlNode::Kind::Map: break;
    }
    nn::Named named;
    for (const YamlNode::Entry& entry : node.entries) {
        const auto number = entry.value.kind == YamlNode::Kind::Scalar ? numberOf<double>(entry.value) : std::nullopt;
        if (entry.key == "name" && entry.value.kind == YamlNode::Kind::Scalar)
            named.name = entry.value.text;
        else if (number)
            named.arguments.emplace(entry.key, *number);
        else
            return wrongAt(entry.value, "S303", key + "." + entry.key, "a number");
    }
    return nn::Setting(std::move(named));
}

std::string hintOf(const std::string& word, const std::vector<std::string>& words) {
    const auto nearest = nearestWord(word, words);
    return nearest ? " (did you mean \"" + *nearest + "\"?)" : "";
}

// One entry of the list while it is read.
class LayerReader {
public:
    LayerReader(const YamlNode& node, std::string path) : m_node(node), m_path(std::move(path)) {}

    Result<nn::LayerSpec> read() {
        if (m_node.kind != YamlNode::Kind::Map) return wrongAt(m_node, "S303", m_path, "a map, such as {class_name: dense, units: 10}");
        LS_TRY(readClass());
        for (const YamlNode::Entry& entry : m_node.entries) {
            if (entry.key == kClass) continue;
            if (entry.key == "name")
                LS_TRY(readName(entry.value));
            else if (entry.key == "inputs")
                LS_TRY(readInputs(entry.value));
            else
                LS_TRY(readSetting(entry));
        }
        for (const nn::SettingRow& row : m_info->settings) {
            if (row.fallback.empty() && !m_layer.settings.contains(row.name))
                return makeError("S305", {{"where", m_node.where()}, {"key", m_path + "." + std::string(row.name)}});
        }
        return std::move(m_layer);
    }

private:
    Result<void> readClass() {
        const YamlNode* given = nullptr;
        for (const YamlNode::Entry& entry : m_node.entries)
            if (entry.key == kClass) given = &entry.value;
        const std::string key = m_path + "." + std::string(kClass);
        if (given == nullptr) return makeError("S305", {{"where", m_node.where()}, {"key", key}});
        m_info = given->kind == YamlNode::Kind::Scalar ? nn::findLayer(given->text) : nullptr;
        if (m_info == nullptr) {
            std::vector<std::string> words;
            std::string list;
            for (const nn::LayerInfo& info : nn::layerTable()) {
                words.emplace_back(info.kind);
                list += (list.empty() ? "" : ", ") + words.back();
            }
            return wrongAt(*given, "S304", key, "one of " + list + hintOf(given->text, words));
        }
        m_layer.kind = m_info->kind;
        return {};
    }

    Result<void> readName(const YamlNode& node) {
        if (node.kind != YamlNode::Kind::Scalar || node.text.empty()) return wrongAt(node, "S303", m_path + ".name", "a text");
        m_layer.name = node.text;
        return {};
    }

    Result<void> readInputs(const YamlNode& node) {
        if (node.kind == YamlNode::Kind::Scalar) {
            m_layer.inputs = {node.text};
            return {};
        }
        for (const YamlNode& item : node.items) {
            if (item.kind != YamlNode::Kind::Scalar) return wrongAt(item, "S303", m_path + ".inputs", "a name of a layer");
            m_layer.inputs.push_back(item.text);
        }
        if (m_layer.inputs.empty()) return wrongAt(node, "S303", m_path + ".inputs", "names of layers");
        return {};
    }

    Result<void> readSetting(const YamlNode::Entry& entry) {
        const std::string key = m_path + "." + entry.key;
        const nn::SettingRow* row = nn::findSetting(*m_info, entry.key);
        if (row == nullptr) return unknownSetting(entry, key);
        LS_TRY_ASSIGN(nn::Setting value, valueOf(entry.value, key));
        if (const auto problem = nn::problemOf(*row, value)) {
            if (problem->notBuilt) {
                return makeError("X009", {{"what", entry.value.where() + ": " + key + ": " + entry.value.toFlow()},
                                          {"why", "Keras has it, but this build has not."},
                                          {"next", "Use " + problem->expected + "."}});
            }
            std::vector<std::string> words;
            std::istringstream near(problem->nearWords);
            for (std::string word; near >> word;) words.push_back(word);
            return wrongAt(entry.value, "S304", key, problem->expected + hintOf(entry.value.text, words));
        }
        m_layer.settings.emplace(entry.key, std::move(value));
        return {};
    }

    Error unknownSetting(const YamlNode::Entry& entry, const std::string& key) const {
        YamlNode at = entry.value;
        if (entry.line != 0) {
            at.line = entry.line;
            at.column = entry.column;
        }
        std::vector<std::string> names = nn::settingNames(*m_info);
        for (const char* common : {"class_name", "name", "inputs"}) names.emplace_back(common);
        std::string list;
        for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
        const auto nearest = nearestWord(entry.key, names);
        return makeError(
            "S302",
            {{"where", at.where()}, {"key", key}, {"hint", nearest ? "; did you mean \"" + *nearest + "\"?" : "."}, {"names", list}});
    }

    const YamlNode& m_node;
    std::string m_path;
    const nn::LayerInfo* m_info = nullptr;
    nn::LayerSpec m_layer;
};

struct SettingWriter {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const {
        const std::string text = formatDouble(number);
        return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
    }
    std::string operator()(const std::string& word) const { return quoteText(word); }
    std::string operator()(const std::vector<std::int64_t>& list) const { return nn::toText(nn::Setting(list)); }
    std::string operator()(const nn::Named& named) const {
        std::string out = "{name: " + quoteText(named.name);
        for (const auto& [key, value] : named.arguments) out += ", " + key + ": " + (*this)(value);
        return out + "}";
    }
};

}  // namespace

Result<nn::Setting> readSettingValue(const YamlNode& node, const std::string& key) { return valueOf(node, key); }

std::string writeSettingValue(const nn::Setting& value) { return std::visit(SettingWriter{}, value); }

Result<std::vector<nn::LayerSpec>> readLayers(const KeyRow& row, const YamlNode& node) {
    const std::string key(row.path);
    if (node.kind != YamlNode::Kind::Sequence) return wrongAt(node, "S303", key, "a list of layers");
    if (node.items.size() > kMostLayers) return wrongAt(node, "S304", key, "at most " + std::to_string(kMostLayers) + " layers");
    nn::Architecture model;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        LS_TRY_ASSIGN(nn::LayerSpec layer, LayerReader(node.items[i], key + "." + std::to_string(i)).read());
        model.layers.push_back(std::move(layer));
    }
    if (const auto whole = nn::completed(model); !whole.ok()) {
        Error error = whole.error();
        error.message = node.where() + ": " + error.message;
        return error;
    }
    return std::move(model.layers);
}

std::string writeLayers(const std::vector<nn::LayerSpec>& layers) {
    if (layers.empty()) return "null";
    std::string out = "[";
    for (const nn::LayerSpec& layer : layers) {
        out += (out.size() > 1 ? ", " : "") + ("{class_name: " + layer.kind);
        if (!layer.name.empty()) out += ", name: " + quoteText(layer.name);
        if (!layer.inputs.empty()) {
            out += ", inputs: [";
            for (std::size_t i = 0; i < layer.inputs.size(); ++i) out += (i > 0 ? ", " : "") + quoteText(layer.inputs[i]);
            out += "]";
        }
        for (const auto& [name, value] : layer.settings) out += ", " + name + ": " + std::visit(SettingWriter{}, value);
        out += "}";
    }
    return out + "]";
}

}  // namespace lockstep::spec
