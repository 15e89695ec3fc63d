#include "json.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace lockstep::keras {
namespace {

using Json = nlohmann::ordered_json;

// Builds values while the text is read, so that limits hold before memory is taken.
class Builder : public nlohmann::json_sax<Json> {
public:
    Builder(const JsonLimits& limits, std::string& reason) : m_limits(limits), m_reason(reason) {}
    Value take() { return std::move(m_root); }

    bool null() override { return add(Value()); }
    bool boolean(bool value) override { return add(Value(value)); }
    bool number_integer(number_integer_t value) override { return add(Value(std::int64_t{value})); }
    bool number_unsigned(number_unsigned_t value) override {
        if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) return add(Value(static_cast<double>(value)));
        return add(Value(static_cast<std::int64_t>(value)));
    }
    bool number_float(number_float_t value, const string_t&) override { return add(Value(value)); }
    bool string(string_t& value) override { return add(Value(std::move(value))); }
    bool binary(binary_t&) override { return refuse("it holds binary data"); }
    bool start_object(std::size_t) override { return open(Value(Value::Object())); }
    bool start_array(std::size_t) override { return open(Value(Value::List())); }
    bool end_object() override {
        if (const auto twice = nameTwice(*m_open.back()->object())) return refuse("an object has \"" + printable(*twice) + "\" twice");
        return close();
    }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        auto& members = *m_open.back()->object();
        if (members.size() >= m_limits.membersOfOne) return refuse("an object has too many members");
        members.emplace_back(std::move(name), Value());
        return true;
    }
    bool parse_error(std::size_t place, const std::string&, const nlohmann::detail::exception&) override {
        return refuse("it is not JSON at byte " + std::to_string(place == 0 ? 0 : place - 1));
    }

private:
    bool refuse(std::string why) {
        if (m_reason.empty()) m_reason = std::move(why);
        return false;
    }
    static std::optional<std::string_view> nameTwice(const Value::Object& members) {
        std::vector<std::string_view> names;
        for (const auto& member : members) names.push_back(member.first);
        std::ranges::sort(names);
        const auto found = std::ranges::adjacent_find(names);
        return found != names.end() ? std::optional(*found) : std::nullopt;
    }
    // Places in vectors stay valid: a list grows only while it is the innermost one that is open.
    Value* place(Value&& value) {
        if (m_open.empty()) return &(m_root = std::move(value));
        if (auto* list = m_open.back()->list()) return &list->emplace_back(std::move(value));
        return &(m_open.back()->object()->back().second = std::move(value));
    }
    bool add(Value&& value) {
        if (++m_values > m_limits.values) return refuse("it holds too many values");
        place(std::move(value));
        return true;
    }
    bool open(Value&& container) {
        if (++m_values > m_limits.values) return refuse("it holds too many values");
        if (m_open.size() >= m_limits.depth) return refuse("it is nested too deeply");
        m_open.push_back(place(std::move(container)));
        return true;
    }
    bool close() {
        m_open.pop_back();
        return true;
    }

    const JsonLimits& m_limits;
    std::string& m_reason;
    Value m_root;
    std::vector<Value*> m_open;
    std::size_t m_values = 0;
};

Json toJson(const Value& value) {
    if (const auto flag = value.boolean()) return *flag;
    if (const auto whole = value.integer()) return *whole;
    if (const auto number = value.number()) return *number;
    if (value.text() != nullptr) return *value.text();
    if (const auto* list = value.list()) {
        Json array = Json::array();
        for (const Value& item : *list) array.push_back(toJson(item));
        return array;
    }
    if (const auto* members = value.object()) {
        Json object = Json::object();
        // ordered_json searches before it adds; names are known to differ.
        auto& storage = object.get_ref<Json::object_t&>();
        for (const auto& [name, member] : *members) storage.push_back({name, toJson(member)});
        return object;
    }
    return nullptr;
}

}  // namespace

Value parseJson(std::string_view text, std::string& reason, const JsonLimits& limits) {
    reason.clear();
    Builder builder(limits, reason);
    if (!Json::sax_parse(text.begin(), text.end(), &builder) && reason.empty()) reason = "it is not JSON";
    return reason.empty() ? builder.take() : Value();
}

std::string printJson(const Value& value) { return toJson(value).dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string printable(std::string_view text) {
    constexpr std::size_t kMost = 60;
    std::string shown(text.substr(0, kMost));
    for (char& c : shown)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f) c = '?';
    // A character cut in two would make the sentence no UTF-8.
    if (text.size() > kMost) {
        while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xc0) == 0x80) shown.pop_back();
        if (!shown.empty() && static_cast<unsigned char>(shown.back()) >= 0xc0) shown.pop_back();
        shown += "…";
    }
    return shown;
}

}  // namespace lockstep::keras
