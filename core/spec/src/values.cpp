#include "values.h"

#include "callback_list.h"
#include "layer_list.h"

#include <base/units.h>
#include <spec/nearest.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lockstep::spec {
namespace {

constexpr Strategy kStrategies[] = {Strategy::OneDevice, Strategy::Mirrored, Strategy::MultiWorkerMirrored};

std::string kindOf(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::Null: return "nothing";
        case YamlNode::Kind::Sequence: return "a list";
        case YamlNode::Kind::Map: return "a map";
        case YamlNode::Kind::Scalar: return (node.quoted ? "the text \"" : "\"") + node.text + "\"";
    }
    return "";
}

Error wrongType(const KeyRow& row, const YamlNode& node, std::string expected) {
    return makeError("S303",
                     {{"where", node.where()}, {"key", std::string(row.path)}, {"expected", std::move(expected)}, {"found", kindOf(node)}});
}

Error outOfRange(const KeyRow& row, const YamlNode& node, std::string expected) {
    return makeError("S304",
                     {{"where", node.where()}, {"key", std::string(row.path)}, {"expected", std::move(expected)}, {"found", kindOf(node)}});
}

Error notBuilt(const KeyRow& row, const YamlNode& node, Capability capability, const std::string& instead) {
    return makeError("X009", {{"what", node.where() + ": " + std::string(row.path) + ": " + node.toFlow()},
                              {"why", "It belongs to the " + std::string(nameOf(capability)) + " part, which this build does not have."},
                              {"next", instead}});
}

std::string plainNumber(double value) {
    const bool whole = value == std::floor(value) && std::abs(value) < 1e16;
    return whole ? std::to_string(static_cast<long long>(value)) : formatDouble(value);
}

std::string range(const KeyRow& row) {
    if (std::isinf(row.maximum)) return "a value of at least " + plainNumber(row.minimum);
    if (row.minimum == row.maximum) return plainNumber(row.minimum);
    return "a value from " + plainNumber(row.minimum) + " to " + plainNumber(row.maximum);
}

bool inRange(const KeyRow& row, double value) { return value >= row.minimum && value <= row.maximum; }

template <class T>
bool readNumber(const YamlNode& node, T& value) {
    if (node.kind != YamlNode::Kind::Scalar || node.quoted) return false;
    const char* begin = node.text.data();
    const char* end = begin + node.text.size();
    if (node.text.starts_with('+')) ++begin;
    const auto [stop, problem] = std::from_chars(begin, end, value);
    return problem == std::errc() && stop == end;
}

Result<std::string> readChoice(const KeyRow& row, const YamlNode& node) {
    if (node.kind != YamlNode::Kind::Scalar) return wrongType(row, node, "a word");
    std::string built;
    std::vector<std::string> words;
    for (const Choice& choice : choicesOf(row)) {
        if (choice.capability == Capability::MainJob) built += (built.empty() ? "" : ", ") + choice.word;
        if (choice.word == node.text && choice.capability == Capability::MainJob) return node.text;
        if (choice.word == node.text) return notBuilt(row, node, choice.capability, "Use one of: " + built + ".");
        words.push_back(choice.word);
    }
    const auto nearest = nearestWord(node.text, words);
    return outOfRange(row, node, "one of " + built + (nearest ? " (did you mean \"" + *nearest + "\"?)" : ""));
}

Result<std::vector<std::string>> readList(const KeyRow& row, const YamlNode& node) {
    if (node.kind != YamlNode::Kind::Sequence) return wrongType(row, node, "a list, such as " + std::string(row.fallback));
    std::vector<std::string> words;
    for (const YamlNode& item : node.items) {
        if (item.kind != YamlNode::Kind::Scalar) return wrongType(row, item, "a word");
        if (row.type == KeyType::ChoiceList) LS_TRY(readChoice(row, item));
        words.push_back(item.text);
    }
    if (words.empty() && row.fallback != "[]") return outOfRange(row, node, "at least one item");
    return words;
}

Result<double> readQuantity(const KeyRow& row, const YamlNode& node) {
    const std::string example = row.type == KeyType::Bytes ? "a size such as 25MiB" : "a time such as 30s";
    if (node.kind != YamlNode::Kind::Scalar) return wrongType(row, node, example);
    double value = 0;
    if (row.type == KeyType::Bytes) {
        const auto bytes = parseBytes(node.text);
        if (!bytes.ok()) return wrongType(row, node, example);
        value = static_cast<double>(*bytes);
    } else {
        const auto time = parseDuration(node.text);
        if (!time.ok()) return wrongType(row, node, example);
        value = time->count();
    }
    if (!inRange(row, value)) return outOfRange(row, node, range(row) + (row.type == KeyType::Bytes ? " bytes" : " s"));
    return value;
}

template <class Integer>
Result<Integer> readInteger(const KeyRow& row, const YamlNode& node) {
    std::int64_t value = 0;
    double real = 0;
    if (!readNumber(node, value)) {
        // A whole number that is too long is out of range, anything else is of the wrong type.
        const bool tooLong = readNumber(node, real) && node.text.find_first_of(".eEnN") == std::string::npos;
        return tooLong ? outOfRange(row, node, range(row)) : wrongType(row, node, "a whole number");
    }
    if (!inRange(row, static_cast<double>(value))) return outOfRange(row, node, range(row));
    return static_cast<Integer>(value);
}

Result<double> readReal(const KeyRow& row, const YamlNode& node) {
    double value = 0;
    if (!readNumber(node, value) || !std::isfinite(value)) return wrongType(row, node, "a number");
    if (!inRange(row, value)) return outOfRange(row, node, range(row));
    return value;
}

struct Reader {
    const KeyRow& row;
    const YamlNode& node;

    Result<void> operator()(std::monostate) const { return {}; }
    Result<void> operator()(std::string* field) const {
        if (row.type == KeyType::Choice) {
            LS_TRY_ASSIGN(*field, readChoice(row, node));
            return {};
        }
        if (node.kind != YamlNode::Kind::Scalar) return wrongType(row, node, "a text");
        *field = node.text;
        return {};
    }
    Result<void> operator()(Strategy* field) const {
        LS_TRY_ASSIGN(const std::string word, readChoice(row, node));
        for (const Strategy strategy : kStrategies) {
            if (nameOf(strategy) == word) *field = strategy;
        }
        return {};
    }
    Result<void> operator()(bool* field) const {
        const bool yes = node.text == "true";
        if (node.kind != YamlNode::Kind::Scalar || node.quoted || (!yes && node.text != "false"))
            return wrongType(row, node, "true or false");
        *field = yes;
        return {};
    }
    Result<void> operator()(double* field) const {
        LS_TRY_ASSIGN(*field, readReal(row, node));
        return {};
    }
    Result<void> operator()(std::optional<double>* field) const {
        LS_TRY_ASSIGN(*field, readReal(row, node));
        return {};
    }
    Result<void> operator()(std::vector<double>* field) const {
        if (node.kind != YamlNode::Kind::Sequence) return wrongType(row, node, "a list of numbers");
        field->clear();
        for (const YamlNode& item : node.items) {
            LS_TRY_ASSIGN(const double value, readReal(row, item));
            field->push_back(value);
        }
        return {};
    }
    Result<void> operator()(std::vector<nn::LayerSpec>* field) const {
        LS_TRY_ASSIGN(*field, readLayers(row, node));
        return {};
    }
    Result<void> operator()(std::vector<CallbackSpec>* field) const {
        LS_TRY_ASSIGN(*field, readCallbacks(row, node));
        return {};
    }
    Result<void> operator()(int* field) const {
        if (row.type == KeyType::AutoOrInteger && node.kind == YamlNode::Kind::Scalar && node.text == "auto") {
            *field = 0;
            return {};
        }
        LS_TRY_ASSIGN(*field, readInteger<int>(row, node));
        return {};
    }
    Result<void> operator()(std::int64_t* field) const {
        LS_TRY_ASSIGN(*field, readInteger<std::int64_t>(row, node));
        return {};
    }
    Result<void> operator()(std::uint64_t* field) const {
        if (row.type == KeyType::Bytes) {
            LS_TRY_ASSIGN(const double bytes, readQuantity(row, node));
            *field = static_cast<std::uint64_t>(bytes);
            return {};
        }
        LS_TRY_ASSIGN(*field, readInteger<std::uint64_t>(row, node));
        return {};
    }
    Result<void> operator()(std::vector<std::string>* field) const {
        if (row.type == KeyType::WordOrList && node.kind == YamlNode::Kind::Scalar) {
            if (node.text != "none" && node.text != "auto") return outOfRange(row, node, "none, auto or a list of layers");
            field->assign(node.text == "auto" ? 1 : 0, "auto");
            return {};
        }
        LS_TRY_ASSIGN(*field, readList(row, node));
        return {};
    }
    Result<void> operator()(std::optional<Seconds>* field) const {
        LS_TRY_ASSIGN(const double time, readQuantity(row, node));
        *field = Seconds(time);
        return {};
    }
    Result<void> operator()(std::optional<std::uint64_t>* field) const {
        if (row.type == KeyType::Bytes) {
            LS_TRY_ASSIGN(const double bytes, readQuantity(row, node));
            *field = static_cast<std::uint64_t>(bytes);
            return {};
        }
        LS_TRY_ASSIGN(*field, readInteger<std::uint64_t>(row, node));
        return {};
    }
    Result<void> operator()(std::optional<std::string>* field) const {
        if (row.type == KeyType::Json && node.kind == YamlNode::Kind::Map) {
            *field = toJson(node);
            return {};
        }
        if (node.kind != YamlNode::Kind::Scalar) return wrongType(row, node, row.type == KeyType::Json ? "a JSON text or a map" : "a text");
        *field = node.text;
        return {};
    }
    Result<void> operator()(std::optional<std::filesystem::path>* field) const {
        if (node.kind != YamlNode::Kind::Scalar || node.text.empty()) return wrongType(row, node, "a path");
        *field = node.text;
        return {};
    }
};

struct Writer {
    const KeyRow& row;

    std::string operator()(std::monostate) const { return std::string(row.fallback); }
    std::string operator()(const std::string* field) const { return quoteText(*field); }
    std::string operator()(const Strategy* field) const { return std::string(nameOf(*field)); }
    std::string operator()(const bool* field) const { return *field ? "true" : "false"; }
    std::string operator()(const double* field) const { return formatDouble(*field); }
    std::string operator()(const int* field) const {
        return row.type == KeyType::AutoOrInteger && *field == 0 ? "auto" : std::to_string(*field);
    }
    std::string operator()(const std::int64_t* field) const { return std::to_string(*field); }
    std::string operator()(const std::uint64_t* field) const { return std::to_string(*field); }
    std::string operator()(const std::vector<std::string>* field) const {
        if (row.type == KeyType::WordOrList && field->empty()) return "none";
        if (row.type == KeyType::WordOrList && field->size() == 1 && field->front() == "auto") return "auto";
        std::string out = "[";
        for (const std::string& word : *field) out += (out.size() > 1 ? ", " : "") + quoteText(word);
        return out + "]";
    }
    std::string operator()(const std::optional<double>* field) const { return *field ? formatDouble(**field) : "null"; }
    std::string operator()(const std::vector<double>* field) const {
        std::string out = "[";
        for (const double value : *field) out += (out.size() > 1 ? ", " : "") + formatDouble(value);
        return out + "]";
    }
    std::string operator()(const std::vector<nn::LayerSpec>* field) const { return writeLayers(*field); }
    std::string operator()(const std::vector<CallbackSpec>* field) const { return writeCallbacks(*field); }
    std::string operator()(const std::optional<Seconds>* field) const { return *field ? formatDouble((*field)->count()) + "s" : "null"; }
    std::string operator()(const std::optional<std::uint64_t>* field) const { return *field ? std::to_string(**field) : "null"; }
    std::string operator()(const std::optional<std::string>* field) const { return *field ? quoteText(**field) : "null"; }
    std::string operator()(const std::optional<std::filesystem::path>* field) const {
        return *field ? quoteText((*field)->string()) : "null";
    }
};

// Clears optionals and layers for a value of null.
struct Clearer {
    void operator()(std::vector<nn::LayerSpec>* field) const { field->clear(); }
    template <class T>
    void operator()(std::optional<T>* field) const {
        field->reset();
    }
    template <class T>
    void operator()(T) const {}
};

bool sameAsFallback(const KeyRow& row, const YamlNode& node) {
    const std::string text = node.kind == YamlNode::Kind::Scalar || node.kind == YamlNode::Kind::Null ? node.text : node.toFlow();
    if (node.kind == YamlNode::Kind::Null) return row.fallback == "null" || row.fallback == "{}";
    if (text == row.fallback) return true;
    YamlNode fallback;
    fallback.kind = YamlNode::Kind::Scalar;
    fallback.text = std::string(row.fallback);
    double a = 0;
    double b = 0;
    return readNumber(node, a) && readNumber(fallback, b) && a == b;
}

std::string escaped(std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '"' || letter == '\\') {
            out += '\\';
            out += letter;
        } else if (letter == '\n') {
            out += "\\n";
        } else if (letter == '\t') {
            out += "\\t";
        } else if (byte < 0x20 || byte == 0x7f) {
            out += "\\u00";
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        } else {
            out += letter;
        }
    }
    return out + "\"";
}

}  // namespace

Result<void> readValue(const KeyRow& row, const YamlNode& node, const Field& field) {
    if (row.capability != Capability::MainJob) {
        if (sameAsFallback(row, node)) return {};
        return notBuilt(row, node, row.capability, "Leave " + std::string(row.path) + " out.");
    }
    if (std::holds_alternative<std::monostate>(field)) {
        // Nothing to keep, but a wrong value is told.
        if (row.type == KeyType::Choice) LS_TRY(readChoice(row, node));
        if (row.type == KeyType::Integer) LS_TRY(readInteger<std::int64_t>(row, node));
        return {};
    }
    if (node.kind == YamlNode::Kind::Null && mayBeNull(row)) {
        std::visit(Clearer{}, field);
        return {};
    }
    return std::visit(Reader{row, node}, field);
}

std::string writeValue(const KeyRow& row, const Field& field) { return std::visit(Writer{row}, field); }

std::string quoteText(std::string_view text) {
    const bool word =
        !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_') &&
        std::all_of(text.begin(), text.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; });
    const bool special = text == "null" || text == "Null" || text == "NULL" || text == "true" || text == "false";
    return word && !special ? std::string(text) : escaped(text);
}

std::string toJson(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::Null: return "null";
        case YamlNode::Kind::Scalar: {
            double value = 0;
            const bool plain =
                !node.quoted && (node.text == "true" || node.text == "false" || (readNumber(node, value) && std::isfinite(value)));
            return plain ? node.text : escaped(node.text);
        }
        case YamlNode::Kind::Sequence: {
            std::string out = "[";
            for (const YamlNode& item : node.items) out += (out.size() > 1 ? "," : "") + toJson(item);
            return out + "]";
        }
        case YamlNode::Kind::Map: {
            std::string out = "{";
            for (const YamlNode::Entry& entry : node.entries)
                out += (out.size() > 1 ? "," : "") + escaped(entry.key) + ":" + toJson(entry.value);
            return out + "}";
        }
    }
    return {};
}

}  // namespace lockstep::spec
