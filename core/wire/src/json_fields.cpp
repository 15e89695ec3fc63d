#include "json_fields.h"

#include <wire/json_error.h>

#include <base/units.h>

#include <cmath>
#include <limits>

namespace lockstep::wire {
namespace {

constexpr int kDepth = 8;

std::optional<double> toDouble(const Json& value) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_string()) return std::nullopt;
    const auto& text = value.get_ref<const std::string&>();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    return std::nullopt;
}

}  // namespace

Json fromDouble(double value) { return std::isfinite(value) ? Json(value) : Json(formatDouble(value)); }
Json fromOptional(const std::optional<double>& value) { return value ? fromDouble(*value) : Json(nullptr); }

Json fromError(const Error& error) {
    return {{"code", error.code}, {"message", error.message}, {"cause", error.cause},
            {"next", error.next}, {"trail", error.trail},     {"exit_code", error.exitCode}};
}

Result<Fields> Fields::parse(std::string_view text) {
    bool tooDeep = false;
    const auto limit = [&](int depth, Json::parse_event_t, Json&) {
        tooDeep = tooDeep || depth > kDepth;
        return depth <= kDepth;
    };
    auto object = Json::parse(text, limit, false);
    if (tooDeep || !object.is_object()) return makeError("N411", {{"reason", "a message is not a JSON object"}});
    return Fields(std::move(object));
}

const Json* Fields::find(const char* name) {
    const auto found = m_object.find(name);
    if (found != m_object.end()) return &*found;
    wrong(name);
    return nullptr;
}

void Fields::wrong(const char* name) {
    if (m_wrong.empty()) m_wrong = name;
}

std::string Fields::text(const char* name) {
    const auto* value = find(name);
    if (value != nullptr && value->is_string()) return value->get<std::string>();
    wrong(name);
    return {};
}

std::int64_t Fields::integer(const char* name) {
    const auto* value = find(name);
    if (value != nullptr && value->is_number_integer()) return value->get<std::int64_t>();
    wrong(name);
    return 0;
}

std::uint64_t Fields::count(const char* name) {
    const auto* value = find(name);
    if (value != nullptr && value->is_number_unsigned()) return value->get<std::uint64_t>();
    wrong(name);
    return 0;
}

double Fields::number(const char* name) {
    const auto* value = find(name);
    const auto number = value != nullptr ? toDouble(*value) : std::nullopt;
    if (!number) wrong(name);
    return number.value_or(0);
}

std::optional<double> Fields::optionalNumber(const char* name) { return has(name) ? std::optional(number(name)) : std::nullopt; }

bool Fields::flag(const char* name) {
    const auto* value = find(name);
    if (value != nullptr && value->is_boolean()) return value->get<bool>();
    wrong(name);
    return false;
}

std::vector<int> Fields::integers(const char* name) {
    std::vector<int> all;
    const auto* value = find(name);
    if (value == nullptr || !value->is_array())
        wrong(name);
    else
        for (const auto& item : *value) {
            if (!item.is_number_integer())
                wrong(name);
            else
                all.push_back(item.get<int>());
        }
    return all;
}

std::vector<std::string> Fields::texts(const char* name) {
    std::vector<std::string> all;
    const auto* value = find(name);
    if (value == nullptr || !value->is_array())
        wrong(name);
    else
        for (const auto& item : *value) {
            if (!item.is_string())
                wrong(name);
            else
                all.push_back(item.get<std::string>());
        }
    return all;
}

Fields Fields::object(const char* name) {
    const auto* value = find(name);
    if (value != nullptr && value->is_object()) return Fields(*value);
    wrong(name);
    return Fields(Json::object());
}

Error Fields::error(const char* name) {
    const auto* value = find(name);
    Error error;
    if (value == nullptr || !value->is_object()) {
        wrong(name);
        return error;
    }
    Fields fields(*value);
    error.code = fields.text("code");
    error.message = fields.text("message");
    error.cause = fields.text("cause");
    error.next = fields.text("next");
    error.trail = fields.texts("trail");
    error.exitCode = static_cast<int>(fields.integer("exit_code"));
    if (!fields.check().ok()) wrong(name);
    return error;
}

Result<void> Fields::check() const {
    if (m_wrong.empty()) return {};
    return makeError("N411", {{"reason", "field \"" + m_wrong + "\" of a message is absent or of a wrong type"}});
}

std::string errorToJson(const Error& error) { return fromError(error).dump(-1, ' ', false, Json::error_handler_t::replace); }

Error errorFromJson(std::string_view json) {
    auto fields = Fields::parse("{\"error\":" + std::string(json) + "}");
    if (!fields.ok()) return fields.error();
    Error error = fields->error("error");
    if (const auto whole = fields->check(); !whole.ok()) return whole.error();
    return error;
}

}  // namespace lockstep::wire
